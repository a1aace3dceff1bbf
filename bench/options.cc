// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the command line.
#include "options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "canny/frame.h"
#include "canny/operator.h"
#include "canny/plan.h"
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
  --formats LIST   gray, rgb, bgr, rgbx, bgrx, xrgb, xbgr, yuy2, uyvy, ayuv, vuya, rgb16, bgr16,
                   rgb15, bgr15, planes, gray16, gray10, y410, v210, rgb10a2, rgbx64,
                   gray-f32, rgb-f32, rgb-f16, planes-f32, planes-f16 (rgb)
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

/// Thrown for a wrong argument; parse() catches it.
struct WrongArgument : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(const canny::Status& status) {
  if (!status.ok()) throw WrongArgument(status.message());
}

struct Format {
  const char* name;
  canny::PixelFormat format;
};
constexpr Format kFormats[] = {{"gray", canny::PixelFormat::kGray8},
                               {"rgb", canny::PixelFormat::kRgb},
                               {"bgr", canny::PixelFormat::kBgr},
                               {"rgbx", canny::PixelFormat::kRgbx},
                               {"bgrx", canny::PixelFormat::kBgrx},
                               {"xrgb", canny::PixelFormat::kXrgb},
                               {"xbgr", canny::PixelFormat::kXbgr},
                               {"yuy2", canny::PixelFormat::kYuy2},
                               {"uyvy", canny::PixelFormat::kUyvy},
                               {"ayuv", canny::PixelFormat::kAyuv},
                               {"vuya", canny::PixelFormat::kVuya},
                               {"rgb16", canny::PixelFormat::kRgb16},
                               {"bgr16", canny::PixelFormat::kBgr16},
                               {"rgb15", canny::PixelFormat::kRgb15},
                               {"bgr15", canny::PixelFormat::kBgr15},
                               {"planes", canny::PixelFormat::kRgbPlanes},
                               {"gray16", canny::PixelFormat::kGray16Le},
                               {"gray10", canny::PixelFormat::kGray10Le},
                               {"y410", canny::PixelFormat::kY410Le},
                               {"v210", canny::PixelFormat::kV210},
                               {"rgb10a2", canny::PixelFormat::kRgb10a2Le},
                               {"rgbx64", canny::PixelFormat::kRgbx64Le},
                               {"gray-f32", canny::PixelFormat::kGrayF32},
                               {"rgb-f32", canny::PixelFormat::kRgbF32},
                               {"rgb-f16", canny::PixelFormat::kRgbF16},
                               {"planes-f32", canny::PixelFormat::kRgbPlanesF32},
                               {"planes-f16", canny::PixelFormat::kRgbPlanesF16}};

canny::PixelFormat format(const std::string& text) {
  std::string names;
  for (const Format& each : kFormats) {
    if (text == each.name) return each.format;
    names += (names.empty() ? "" : ", ") + std::string(each.name);
  }
  throw WrongArgument("\"" + text + "\" is not one of " + names);
}

template <class Enum>
Enum choice(const std::string& text) {
  if (const std::optional<Enum> found = canny::find<Enum>(text)) return *found;
  throw WrongArgument("\"" + text + "\" is not one of " + canny::names<Enum>());
}

double number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw WrongArgument("\"" + text + "\" is not a number");
  return value;
}

unsigned whole_number(const std::string& text) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos)
    throw WrongArgument("\"" + text + "\" is not a whole number of at least 0");
  return static_cast<unsigned>(std::stoul(text));
}

Size size(const std::string& text) {
  const std::size_t x = text.find('x');
  if (x == std::string::npos) throw WrongArgument("\"" + text + "\" is not WIDTHxHEIGHT");
  const Size result{static_cast<int>(whole_number(text.substr(0, x))),
                    static_cast<int>(whole_number(text.substr(x + 1)))};
  require(canny::check_size(result.width, result.height));
  return result;
}

std::string content(const std::string& text) {
  const std::string name = soft(text);
  if (!pictures::find(name) && !masks::find(name))
    throw WrongArgument("\"" + text + "\" is neither a picture nor a mask");
  return text;
}

void require_valid(const canny::Params& params) {
  canny::Plan ignored;
  require(make_plan(params, canny::PixelFormat::kGray8, canny::PixelFormat::kGray8, &ignored));
}

double sigma(const std::string& text) {
  require_valid(params(number(text), canny::Norm::kL2, canny::Operator::kSobel));
  return number(text);
}

unsigned passes(const std::string& text) {
  canny::Params params;
  params.hysteresis_passes = whole_number(text);
  require_valid(params);
  return params.hysteresis_passes;
}

unsigned min_length(const std::string& text) {
  canny::Params params;
  params.min_length = whole_number(text);
  require_valid(params);
  return params.min_length;
}

unsigned number_up_to(unsigned most, const std::string& text) {
  const unsigned number = whole_number(text);
  if (number >= 1 && number <= most) return number;
  throw WrongArgument("\"" + text + "\" is outside 1.." + std::to_string(most));
}
unsigned in_flight(const std::string& text) {
  return number_up_to(canny::kMaxFramesInFlight, text);
}
unsigned batch(const std::string& text) { return number_up_to(canny::kMaxPictures, text); }

RegionShare region(const std::string& text) {
  const bool is_wide = !text.empty() && text.front() == 'w';
  const RegionShare result = {number(text.substr(is_wide ? 1 : 0)), is_wide};
  if (!(result.share >= 0 && result.share <= 1))
    throw WrongArgument("\"" + text + "\" is not a share of 0 to 1");
  return result;
}

canny::Backend backend(const std::string& text) {
  const auto found = choice<canny::Backend>(text);
  if (found == canny::Backend::kCuda || found == canny::Backend::kCpu) return found;
  throw WrongArgument("\"" + text + "\" is neither cuda nor cpu");
}

/// Reads the items of a comma-separated list, each with `read`.
template <class Read>
auto list(const std::string& text, Read read) {
  std::vector<decltype(read(text))> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(read(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return items;
}

using Setter = void (*)(const std::string& value, Options* options);

const std::map<std::string, Setter> kFlags = {
    {"--once", [](const std::string&, Options* o) { o->once = true; }},
    {"--kernels", [](const std::string&, Options* o) { o->kernels = true; }},
    {"--npp", [](const std::string&, Options* o) { o->npp = true; }},
    {"--stages", [](const std::string&, Options* o) { o->stages = true; }},
    {"--thick", [](const std::string&, Options* o) { o->thick = true; }},
    {"--window", [](const std::string&, Options* o) { o->window = true; }},
    {"--help", [](const std::string&, Options* o) { o->help = true; }},
};
const std::map<std::string, Setter> kWithValue = {
    {"--sizes", [](const std::string& v, Options* o) { o->sizes = list(v, size); }},
    {"--contents", [](const std::string& v, Options* o) { o->contents = list(v, content); }},
    {"--sigmas", [](const std::string& v, Options* o) { o->sigmas = list(v, sigma); }},
    {"--norms", [](const std::string& v, Options* o) { o->norms = list(v, choice<canny::Norm>); }},
    {"--passes", [](const std::string& v, Options* o) { o->passes = list(v, passes); }},
    {"--operators",
     [](const std::string& v, Options* o) { o->operators = list(v, choice<canny::Operator>); }},
    {"--color-modes",
     [](const std::string& v, Options* o) { o->color_modes = list(v, choice<canny::ColorMode>); }},
    {"--luma-depths",
     [](const std::string& v, Options* o) { o->luma_depths = list(v, choice<canny::LumaDepth>); }},
    {"--threshold-modes",
     [](const std::string& v, Options* o) {
       o->threshold_modes = list(v, choice<canny::ThresholdMode>);
     }},
    {"--min-lengths",
     [](const std::string& v, Options* o) { o->min_lengths = list(v, min_length); }},
    {"--views", [](const std::string& v, Options* o) { o->views = list(v, choice<canny::View>); }},
    {"--regions", [](const std::string& v, Options* o) { o->regions = list(v, region); }},
    {"--formats", [](const std::string& v, Options* o) { o->formats = list(v, format); }},
    {"--backends", [](const std::string& v, Options* o) { o->backends = list(v, backend); }},
    {"--batch", [](const std::string& v, Options* o) { o->batch = batch(v); }},
    {"--components", [](const std::string& v, Options* o) { o->components = whole_number(v); }},
    {"--in-flight", [](const std::string& v, Options* o) { o->in_flight = in_flight(v); }},
    {"--threads", [](const std::string& v, Options* o) { o->threads = whole_number(v); }},
    {"--target", [](const std::string& v, Options* o) { o->target = v; }},
    {"--tiles", [](const std::string& v, Options* o) { o->tiles_folder = v; }},
    {"--json", [](const std::string& v, Options* o) { o->json_path = v; }},
    {"--counts", [](const std::string& v, Options* o) { o->counts_path = v; }},
};

/// Reads argument `i` and its value; returns the index of the next one.
int read_option(int argc, char** argv, int i, Options* options) {
  const std::string option = argv[i];
  if (const auto flag = kFlags.find(option); flag != kFlags.end()) {
    flag->second("", options);
    return i + 1;
  }
  const auto found = kWithValue.find(option);
  if (found == kWithValue.end()) throw WrongArgument("unknown option; --help lists them");
  if (i + 1 == argc || *argv[i + 1] == '\0') throw WrongArgument("needs a value");
  found->second(argv[i + 1], options);
  return i + 2;
}

}  // namespace

bool is_hard(const std::string& content) { return content.rfind(kHard, 0) == 0; }
std::string soft(const std::string& content) {
  return is_hard(content) ? content.substr(std::strlen(kHard)) : content;
}

const char* name(canny::PixelFormat format) {
  for (const Format& each : kFormats)
    if (each.format == format) return each.name;
  return "";
}

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
  // Thresholds count before the operator's division.
  const auto gain = [](canny::Operator of) {
    const canny::OperatorWeights weights = canny::operator_weights(of);
    return operator_gain(weights) << weights.shift;
  };
  const double times = 1.0 * gain(op) / gain(canny::Operator::kSobel);
  canny::Params result;
  result.low_threshold = 50 * times;
  result.high_threshold = 100 * times;
  result.sigma = sigma;
  result.norm = norm;
  result.gradient_operator = op;
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

Options parse(int argc, char** argv, std::string* error) {
  Options options;
  int i = 1;
  try {
    while (i < argc) i = read_option(argc, argv, i, &options);
  } catch (const WrongArgument& wrong) {
    *error = std::string(argv[i]) + ": " + wrong.what();
  }
  return options;
}

}  // namespace bench
