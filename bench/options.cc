// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the command line.
#include "options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "arguments.h"
#include "canny/settings.h"
#include "pictures.h"
#include "reference/masks.h"

namespace bench {

const char kUsage[] = R"(usage: bench_detector [OPTION]...

Times every combination of the lists below, after a comparison with the reference. The exit status
is 1 if an output differs from it, and 2 after a wrong argument.

  --sizes LIST     WIDTHxHEIGHT (1920x1080,3840x2160,7680x4320; without CUDA the first two)
  --contents LIST  pictures: photo (needs --tiles), shapes, noise, texture, snake, snake36;
                   masks, which go straight to hysteresis: spiral, serpentine, vserpentine,
                   checkerboard, random41, random60, comb, vcomb, diagonals, antidiagonals, ones;
                   hard-NAME: one of either as a picture in black and white alone
                   (photo with --tiles, else shapes; noise)
  --sigmas LIST    Gaussian blur (1.4)
  --passes LIST    passes of hysteresis, 0 = until stable (0)
  --norms LIST, --operators LIST, --color-modes LIST, --luma-depths LIST, --threshold-modes LIST,
  --views LIST     values of the properties norm (l2), operator (sobel), color-mode (luma),
                   luma-depth (full), threshold-mode (absolute) and output (edges); a wrong one is
                   answered with all of them. The output has the input's format with overlay and
                   masked, else it is gray
  --min-lengths LIST
                   pixels of the shortest edge, 0 = any (0)
  --regions LIST   shares of the frame's area in which edges may lie, 0 = no region: a rectangle of
                   the frame's aspect in its middle or, after a w, of its width (0)
  --thick          no non-maximum suppression
  --formats LIST   gray, rgb, bgr, rgbx, planes, gray16 and so on (rgb); a wrong one is answered
                   with all of them
  --backends LIST  cuda, cpu (cuda if there is a device, else cpu)
  --threads N      threads of the CPU backend, 0 = one for each core (0)
  --target NAME    the CPU backend's instruction set, as Highway calls it: AVX3, AVX2, SSE4, SSSE3,
                   EMU128; with Highway 1.2 also AVX3_SPR, AVX3_ZEN4, SSE2; AVX3_VNNI is AVX3 with
                   VNNI (the best of the machine)
  --tiles FOLDER   tiles made by tests/pictures/tiles
  --window         input frames are windows at an odd address and an odd stride
  --batch N        pictures of a batch (1): all times are those of a batch
  --components N   also find the components of at least N pixels, on CUDA, without a comparison
  --in-flight N    frames in flight of thr on CUDA (8)
  --kernels        also time the kernels alone, without the detector around them, on CUDA
  --once           run each picture once, for tools that count instructions; on CUDA as one graph
  --stages         also time the stages, as Params::measure_stages does, and each kernel of a frame
                   on CUDA
  --counts FILE    with --stages, instructions and bytes that bench/count_instructions counted
  --npp            also time NPP, on RGB pictures with sigma 1.4 and hysteresis until stable
  --json FILE      also write the rows to FILE
  --help

CUDA frames are in device memory, and buffers rotate so that none is in the L2 cache. Columns, as
medians in microseconds: ev, one frame alone, between two events of a CUDA stream that its input and
output name; thr, what each frame adds to a sequence with several in flight, on the host's clock;
wall, detect() of one frame; wall N, the same where N frames may be in flight; host, submit() alone;
copy, what a kernel that reads the frame and writes an edge map of it adds to a sequence of such
kernels. The times of a mask are those of the hysteresis and the output, queued in one stream: ev, between two events around them; thr, in a sequence; wall, from the first call to
the end of the work; host, the calls alone. CPU frames are in host memory and have a single time.
For them, copy is one thread that only reads the frame; OpenCV, its cvtColor, GaussianBlur and Canny
with as many threads; alone, the CPU backend with one thread. All of these take turns. With --stages,
front, hyst and out are times of the stages of one frame alone, whose kernels are then queued one by
one; up and down are those of the copies of a frame in page-locked memory, on CUDA. With --kernels,
k alone and k thr are times of the graphs of kernels, one alone and in a sequence, queued without
copies and waits.

With --stages, a row on CUDA is followed by a table of the frame's kernels, in order. alone: the
time that the kernel adds to a frame alone on an idle device, which is the time of a graph that ends
after the kernel less that of one that ends before it. The first kernel includes the start of the
graph; the host's part does not count. thr: likewise, the time that the kernel adds to each frame of
a sequence, with as many side by side as may be in flight; a kernel that uses what others leave idle
adds little. The last line has the times of the whole graph, which are the sums. From --counts, for
frames and kernels of which it has counts: 10^6 instr, executed by warps; issue, the time in which
all multiprocessors issue as many at the highest clock; MB, between multiprocessors and L2 cache;
copy, what a copy of as many bytes adds to a sequence of copies; /floor, thr over the larger one of
issue and copy. In the last line, MB and copy are those of the frame's input and output.
)";

namespace {

// In the order of canny::PixelFormat.
constexpr const char* kFormats[] = {
    "gray",    "rgb",     "bgr",      "rgbx",       "bgrx",       "xrgb",
    "xbgr",    "yuy2",    "uyvy",     "ayuv",       "vuya",       "rgb16",
    "bgr16",   "rgb15",   "bgr15",    "planes",     "gray16",     "gray16be",
    "gray10",  "gray12",  "y210",     "y410",       "v210",       "rgb10a2",
    "bgr10a2", "rgbx64",  "xrgb64",   "gray-f32",   "gray-f16",   "gray-bf16",
    "rgb-f32", "rgb-f16", "rgb-bf16", "planes-f32", "planes-f16", "planes-bf16"};
static_assert(std::size(kFormats) ==
              static_cast<std::size_t>(canny::PixelFormat::kRgbPlanesBf16) + 1);

canny::PixelFormat format(const std::string& text) {
  const auto found = std::find(std::begin(kFormats), std::end(kFormats), text);
  if (found != std::end(kFormats)) return static_cast<canny::PixelFormat>(found - kFormats);
  std::string names;
  for (const std::string name : kFormats) names += (names.empty() ? "" : ", ") + name;
  refuse(text, "is not one of " + names);
}

template <class Enum>
Enum choice(const std::string& text) {
  if (const std::optional<Enum> found = canny::find<Enum>(text)) return *found;
  refuse(text, "is not one of " + canny::names<Enum>());
}

Size size(const std::string& text) {
  const std::size_t x = text.find('x');
  if (x == std::string::npos) refuse(text, "is not WIDTHxHEIGHT");
  return {read_number<int>(text.substr(0, x), 1, canny::kMaxSide),
          read_number<int>(text.substr(x + 1), 1, canny::kMaxSide)};
}

std::string content(const std::string& text) {
  const std::string name = soft(text);
  if (!pictures::find(name) && !masks::find(name)) refuse(text, "is neither a picture nor a mask");
  return text;
}

double sigma(const std::string& text) { return read_number<double>(text, 0, canny::kMaxSigma); }
unsigned passes(const std::string& text) {
  return read_number<unsigned>(text, 0, canny::kMaxHysteresisPasses);
}
unsigned min_length(const std::string& text) {
  return read_number<unsigned>(text, 0, canny::kMaxMinLength);
}

RegionShare region(const std::string& text) {
  const bool is_wide = !text.empty() && text.front() == 'w';
  return {read_number<double>(text.substr(is_wide ? 1 : 0), 0, 1), is_wide};
}

canny::Backend backend(const std::string& text) {
  if (text == "cuda") return canny::Backend::kCuda;
  if (text == "cpu") return canny::Backend::kCpu;
  refuse(text, "is neither cuda nor cpu");
}

/// Reads the items of a comma-separated list.
template <class Item, class Read>
auto list(std::vector<Item>* items, Read read) {
  return [=](const std::string& text) {
    items->clear();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      items->push_back(read(text.substr(begin, end - begin)));
      begin = end + 1;
    }
  };
}
template <class Enum>
auto list(std::vector<Enum>* items) {
  return list(items, choice<Enum>);
}

}  // namespace

bool is_hard(const std::string& content) { return content.rfind(kHard, 0) == 0; }
std::string soft(const std::string& content) {
  return is_hard(content) ? content.substr(std::strlen(kHard)) : content;
}

const char* name(canny::PixelFormat format) { return kFormats[static_cast<int>(format)]; }

canny::Rectangle RegionShare::rectangle(Size size) const {
  const double side = std::sqrt(share);
  const int width = is_wide ? size.width : static_cast<int>(std::lround(side * size.width));
  const int height = static_cast<int>(std::lround((is_wide ? share : side) * size.height));
  return {(size.width - width) / 2, (size.height - height) / 2, width, height};
}

std::string RegionShare::name() const {
  char text[16];
  std::snprintf(text, sizeof text, "%s%.4g", is_wide ? "w" : "", share);
  return text;
}

canny::Params params(double sigma, canny::Norm norm, canny::Operator op) {
  canny::Params result;
  result.sigma = sigma;
  result.norm = norm;
  result.gradient_operator = op;
  canny::set_default_thresholds(&result);
  result.high_threshold = 2 * result.low_threshold;
  return result;
}

bool is_plain(const canny::Params& params) {
  return params.gradient_operator == canny::Operator::kSobel && params.thin_edges &&
         params.color_mode == canny::ColorMode::kLuma &&
         params.luma_depth == canny::LumaDepth::kFull &&
         params.threshold_mode == canny::ThresholdMode::kAbsolute && params.min_length <= 1 &&
         params.view == canny::View::kEdges;
}

std::vector<canny::Params> all_params(const Options& options) {
  std::vector<canny::Params> all;
  for (const double sigma : options.sigmas)
    for (const canny::Norm norm : options.norms)
      for (const canny::Operator op : options.operators) all.push_back(params(sigma, norm, op));
  // Replaces each combination by those with every value of a further list.
  const auto combine = [&](const auto& values, auto set) {
    std::vector<canny::Params> combined;
    for (const canny::Params& each : all) {
      for (const auto value : values) {
        combined.push_back(each);
        set(&combined.back(), value);
      }
    }
    all = std::move(combined);
  };
  using canny::Params;
  combine(options.color_modes, [](Params* p, canny::ColorMode mode) { p->color_mode = mode; });
  combine(options.luma_depths, [](Params* p, canny::LumaDepth depth) { p->luma_depth = depth; });
  combine(options.threshold_modes,
          [](Params* p, canny::ThresholdMode mode) { p->threshold_mode = mode; });
  for (Params& each : all) each.thin_edges = !options.thick;
  return all;
}

Options parse(int argc, char** argv) {
  Options o;
  const OptionReaders readers = {
      {"--sizes", list(&o.sizes, size)},
      {"--contents", list(&o.contents, content)},
      {"--sigmas", list(&o.sigmas, sigma)},
      {"--norms", list(&o.norms)},
      {"--passes", list(&o.passes, passes)},
      {"--operators", list(&o.operators)},
      {"--color-modes", list(&o.color_modes)},
      {"--luma-depths", list(&o.luma_depths)},
      {"--threshold-modes", list(&o.threshold_modes)},
      {"--min-lengths", list(&o.min_lengths, min_length)},
      {"--views", list(&o.views)},
      {"--regions", list(&o.regions, region)},
      {"--formats", list(&o.formats, format)},
      {"--backends", list(&o.backends, backend)},
      {"--batch", store(&o.batch, 1, canny::kMaxPictures)},
      {"--components", store(&o.components, 0, 1e9)},
      {"--in-flight", store(&o.in_flight, 1, canny::kMaxFramesInFlight)},
      {"--threads", store(&o.threads, 0, canny::kMaxThreads)},
      {"--target", store(&o.target)},
      {"--tiles", store(&o.tiles_folder)},
      {"--json", store(&o.json_path)},
      {"--counts", store(&o.counts_path)},
  };
  const Flags flags = {{"--once", &o.once},     {"--kernels", &o.kernels}, {"--npp", &o.npp},
                       {"--stages", &o.stages}, {"--thick", &o.thick},     {"--window", &o.window},
                       {"--help", &o.help}};
  read_options(argc, argv, readers, flags);
  return o;
}

}  // namespace bench
