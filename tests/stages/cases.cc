// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of geometries and fills, and the random cases.
#include "cases.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

#include "case_region.h"
#include "reference/masks.h"
#include "reference/pixel_formats.h"
#include "reference/reference.h"

namespace cases {
namespace {

using reference::Random;

struct Size {
  int width, height;
};

// One pixel, one row, one column; words, tiles, blocks of 4 pixels and strips of every backend,
// each also one pixel smaller and larger.
constexpr Size kSizes[] = {
    {1, 1},    {2, 1},    {1, 2},    {2, 2},     {3, 3},    {1, 7},     {7, 1},     {1, 300},
    {300, 1},  {4, 5},    {5, 4},    {31, 31},   {32, 32},  {33, 33},   {31, 65},   {65, 31},
    {63, 64},  {64, 63},  {95, 97},  {127, 129}, {128, 33}, {129, 127}, {255, 40},  {256, 41},
    {257, 39}, {511, 20}, {512, 21}, {513, 19},  {40, 255}, {40, 256},  {40, 257},  {640, 9},
    {9, 640},  {121, 60}, {60, 121}, {122, 61},  {1030, 5}, {17, 1025}, {320, 240}, {319, 241},
};
constexpr int kSizesCount = sizeof(kSizes) / sizeof(kSizes[0]);

// For cases of the front end: columns around strips of 64 and tiles of 224, rows around the steps
// of its kernels, and both sides of each limit at which it uses another kernel or reach of taps.
constexpr int kFrontWidths[][2] = {{60, 70}, {120, 136}, {186, 200}, {220, 230}};  // ranges
constexpr int kFrontRows[] = {12, 16, 28, 44, 60, 124};
constexpr int kFrontTaps[] = {1, 3, 5, 7, 9, 11, 13, 15, 25, 49, 51};
constexpr int kMaxFrontOffset = 8;
constexpr Fill kFrontFills[] = {Fill::kNoise,        Fill::kBlackWhite, Fill::kNearMax,
                                Fill::kSinglePixels, Fill::kBlocks,     Fill::kRamp};

constexpr int kLastView = static_cast<int>(canny::View::kBlurred);

constexpr double kSigmas[] = {0.0, 0.05, 0.3, 0.5, 0.84, 1.0, 1.4, 2.0, 3.0, 5.0, 11.3, 20.0};
constexpr double kThresholds[] = {0.0,   0.5,   1.0,    20.0,   49.99,  50.0,   100.0,
                                  150.0, 361.2, 1020.0, 1442.0, 2040.0, 32767.0};

canny::PixelFormat any_input_format(Random& random) {
  return static_cast<canny::PixelFormat>(random.between(0, static_cast<int>(kLastInput)));
}
canny::PixelFormat any_output_format(Random& random) {
  return output_format(random.between(0, kOutputs - 1));
}

// Often zero, often a multiple of 4, and often neither.
int any_gap(Random& random) {
  const int kind = random.between(0, 3);
  if (kind == 0) return 0;
  return kind == 1 ? 4 * random.between(1, 20) : random.between(1, 67);
}

int any_offset(Random& random) { return random.between(0, 1) ? 0 : random.between(1, 15); }

// Sets members to other values than their defaults.
void vary(Random& random, canny::Params* params) {
  if (random.between(0, 3)) params->gradient_operator = random.any(reference::kOperators);
  params->thin_edges = random.between(0, 3) != 0;
  if (random.between(0, 3) == 0) params->color_mode = canny::ColorMode::kLargestChannel;
  if (random.between(0, 3) == 0) params->min_length = random.between(1, 40);
  if (random.between(0, 3) == 0) params->luma_depth = canny::LumaDepth::k8;
  if (random.between(0, 2)) {
    // Other operators have larger gradients.
    params->low_threshold *= random.between(1, 20);
    params->high_threshold *= random.between(1, 20);
    params->low_threshold = std::min(params->low_threshold, canny::kMaxThreshold);
    params->high_threshold = std::min(params->high_threshold, canny::kMaxThreshold);
    return;
  }
  params->threshold_mode = static_cast<canny::ThresholdMode>(random.between(1, 4));
  if (random.between(0, 1)) params->high_ratio = random.between(1, 1500) / 1000.0;
  if (random.between(0, 1)) params->low_ratio = random.between(1, 1000) / 1000.0;
}

harness::Chroma any_chroma(Random& random) {
  return {random.between(1, 2), random.between(0, canny::kMaxChromaShift),
          random.between(0, canny::kMaxChromaShift)};
}

// Lets the output show something else. Overlays and masks are of the input's format and chroma.
void vary_view(Random& random, Case* c) {
  canny::Params& params = c->params;
  params.view = static_cast<canny::View>(random.between(0, kLastView));
  if (params.view != canny::View::kOverlay && params.view != canny::View::kMasked) {
    // Half of the outputs that can have chroma do.
    if (c->output == canny::PixelFormat::kGray8 && random.between(0, 1))
      c->chroma = any_chroma(random);
    return;
  }
  if (reference::is_deep(c->output)) c->output = canny::PixelFormat::kGray8;
  c->input = c->output;
  const int alpha = random.between(0, 2) ? random.between(0, 255) : 255 * random.between(0, 1);
  params.edge_color = static_cast<std::uint32_t>(random.between(0, 0xffffff)) |
                      static_cast<std::uint32_t>(alpha) << 24;
  // Half of these frames have chroma.
  if (random.between(0, 1)) c->input = c->output = canny::PixelFormat::kGray8;
  if (c->input != canny::PixelFormat::kGray8 || random.between(0, 4) == 0) return;
  c->chroma = any_chroma(random);
}

canny::Params any_params(Random& random) {
  canny::Params params;
  params.sigma = random.between(0, 3) ? random.any(kSigmas) : random.between(0, 20000) / 1000.0;
  params.low_threshold =
      random.between(0, 1) ? random.any(kThresholds) : random.between(0, 3000) / 10.0;
  params.high_threshold =
      random.between(0, 1) ? random.any(kThresholds) : random.between(0, 9000) / 10.0;
  params.norm = random.between(0, 1) ? canny::Norm::kL1 : canny::Norm::kL2;
  params.hysteresis_passes = random.between(0, 1) ? 0 : random.between(1, 8);
  if (random.between(0, 1)) vary(random, &params);
  return params;
}

// The formats with separate code in the front end: pixels of 1 to 4 bytes, words of colors, planes,
// deep samples.
enum Pixels { kBytes1 = 1, kBytes2, kBytes3, kBytes4, kWords, kPlanes, kDeep };

Pixels pixels_of(canny::PixelFormat format) {
  if (reference::is_deep(format)) return kDeep;
  if (reference::color_bits(format)) return kWords;
  if (format == canny::PixelFormat::kRgbPlanes) return kPlanes;
  return static_cast<Pixels>(canny::bytes_per_pixel(format));
}

struct FrontShape {
  int width, height, taps, offset;
  Pixels pixels;
};

std::vector<int> front_widths() {
  std::vector<int> widths;
  for (const auto& [first, last] : kFrontWidths)
    for (int width = first; width <= last; ++width) widths.push_back(width);
  return widths;
}

// One and two times the rows, each 3 rows less to 3 rows more.
std::vector<int> front_heights() {
  std::set<int> heights;
  for (int rows : kFrontRows)
    for (int times : {1, 2})
      for (int more = -3; more <= 3; ++more) heights.insert(times * rows + more);
  return {heights.begin(), heights.end()};
}

// Every width with every number of taps and every height with every alignment, both with every
// pixel size. Words and planes, which become luma first, and deep samples are combined with some of
// them. The rest of a shape is random.
std::vector<FrontShape> list_front_shapes() {
  Random random(1);
  const std::vector<int> widths = front_widths(), heights = front_heights();
  std::vector<FrontShape> shapes;
  for (Pixels pixels : {kBytes1, kBytes2, kBytes3, kBytes4}) {
    for (int width : widths)
      for (int taps : kFrontTaps)
        shapes.push_back(
            {width, random.any(heights), taps, random.between(0, kMaxFrontOffset), pixels});
    for (int height : heights)
      for (int offset = 0; offset <= kMaxFrontOffset; ++offset)
        shapes.push_back({random.any(widths), height, random.any(kFrontTaps), offset, pixels});
  }
  for (Pixels pixels : {kWords, kPlanes, kDeep, kDeep, kDeep}) {
    for (int width : widths)
      shapes.push_back({width, random.any(heights), random.any(kFrontTaps),
                        random.between(0, kMaxFrontOffset), pixels});
    for (int height : heights)
      shapes.push_back({random.any(widths), height, random.any(kFrontTaps),
                        random.between(0, kMaxFrontOffset), pixels});
  }
  return shapes;
}

const std::vector<FrontShape>& front_shapes() {
  static const std::vector<FrontShape> shapes = list_front_shapes();
  return shapes;
}

canny::PixelFormat any_input_format(Pixels pixels, Random& random) {
  for (;;) {
    const canny::PixelFormat format = any_input_format(random);
    if (pixels_of(format) == pixels) return format;
  }
}

Case front_case(std::uint64_t seed) {
  const FrontShape& shape = front_shapes()[(seed - kFrontSeeds) % front_shapes().size()];
  Random random(seed);
  Case c;
  c.seed = seed;
  c.width = shape.width;
  c.height = shape.height;
  c.fill = random.any(kFrontFills);
  c.input = any_input_format(shape.pixels, random);
  c.input_offset = shape.offset;
  c.input_gap = random.between(0, 8);
  c.input_bottom_up = random.between(0, 3) == 0;
  c.threads = random.between(1, 4);
  c.params.sigma = (shape.taps - 1) / 6.0;
  // A blur leaves weaker edges.
  const double scale = 1 + c.params.sigma * c.params.sigma;
  c.params.low_threshold = random.between(0, 120) / scale;
  c.params.high_threshold = c.params.low_threshold + random.between(0, 200) / scale;
  c.params.norm = random.between(0, 1) ? canny::Norm::kL1 : canny::Norm::kL2;
  return c;
}

// The fills made of lines.
std::optional<masks::Mask> mask_of(Fill fill) {
  switch (fill) {
    case Fill::kSpiral:
      return masks::Mask::kSpiral;
    case Fill::kSerpentine:
      return masks::Mask::kSerpentine;
    case Fill::kVerticalSerpentine:
      return masks::Mask::kVSerpentine;
    case Fill::kCheckerboard:
      return masks::Mask::kCheckerboard;
    default:
      return {};
  }
}

void fill_single_pixels(int width, int height, Random& random, std::vector<std::uint8_t>* image) {
  const int count = 1 + width * height / 50;
  for (int i = 0; i < count; ++i)
    (*image)[static_cast<std::size_t>(random.between(0, height - 1)) * width +
             random.between(0, width - 1)] = static_cast<std::uint8_t>(random.between(1, 255));
}

void fill_blocks(int width, int height, Random& random, std::vector<std::uint8_t>* image) {
  for (int i = 0; i < 12; ++i) {
    const int x0 = random.between(0, width - 1), x1 = random.between(x0, width - 1);
    const int y0 = random.between(0, height - 1), y1 = random.between(y0, height - 1);
    const auto value = static_cast<std::uint8_t>(random.between(0, 255));
    for (int y = y0; y <= y1; ++y)
      std::fill_n(image->begin() + static_cast<std::ptrdiff_t>(y) * width + x0, x1 - x0 + 1, value);
  }
}

}  // namespace

const char* name(Fill fill) {
  constexpr const char* kNames[kFills] = {
      "noise",       "black-white", "near-max", "constant",   "single-pixels",
      "blocks",      "ramp",        "spiral",   "serpentine", "vertical-serpentine",
      "checkerboard"};
  return kNames[static_cast<int>(fill)];
}

std::uint64_t table_size() { return static_cast<std::uint64_t>(kSizesCount) * kFills; }

std::uint64_t front_cases() { return front_shapes().size(); }

Case make_case(std::uint64_t seed, int max_side) {
  if (seed >= kFrontSeeds) return front_case(seed);
  Random random(seed);
  Case c;
  c.seed = seed;
  if (seed < table_size()) {
    c.width = kSizes[seed / kFills].width;
    c.height = kSizes[seed / kFills].height;
    c.fill = static_cast<Fill>(seed % kFills);
  } else {
    c.width = random.between(1, max_side);
    c.height = random.between(1, max_side);
    c.fill = static_cast<Fill>(random.between(0, kFills - 1));
  }
  c.input = any_input_format(random);
  c.output = any_output_format(random);
  c.input_offset = any_offset(random);
  c.output_offset = any_offset(random);
  c.input_gap = any_gap(random);
  c.output_gap = any_gap(random);
  c.input_bottom_up = random.between(0, 3) == 0;
  c.output_bottom_up = random.between(0, 3) == 0;
  c.threads = random.between(1, 17);
  c.params = any_params(random);
  if (random.between(0, 3) == 0) vary_view(random, &c);
  if (random.between(0, 2) == 0) c.region = any_region(c.width, c.height, random);
  return c;
}

void set_size(int width, int height, Case* c) {
  c->width = width;
  c->height = height;
  Random random(c->seed);
  if (c->region != nullptr) c->region = any_region(width, height, random);
}

std::string describe(const Case& c) {
  std::ostringstream text;
  text << "seed " << c.seed << ": " << c.width << "x" << c.height << " " << name(c.fill)
       << ", format " << static_cast<int>(c.input) << " to " << static_cast<int>(c.output)
       << ", offsets " << c.input_offset << " " << c.output_offset << ", gaps " << c.input_gap
       << " " << c.output_gap << ", bottom-up " << c.input_bottom_up << " " << c.output_bottom_up
       << ", threads " << c.threads << ", low " << c.params.low_threshold << ", high "
       << c.params.high_threshold << ", sigma " << c.params.sigma << ", "
       << (c.params.norm == canny::Norm::kL1 ? "L1" : "L2") << ", passes "
       << c.params.hysteresis_passes << ", " << describe(c.region.get()) << ", operator "
       << static_cast<int>(c.params.gradient_operator) << (c.params.thin_edges ? "" : ", thick")
       << ", color mode " << static_cast<int>(c.params.color_mode)
       << (c.params.luma_depth == canny::LumaDepth::k8 ? ", 8 bits" : "") << ", threshold mode "
       << static_cast<int>(c.params.threshold_mode) << " with " << c.params.high_ratio << " "
       << c.params.low_ratio << ", min length " << c.params.min_length << ", view "
       << static_cast<int>(c.params.view) << " in color " << std::hex << c.params.edge_color
       << std::dec << ", chroma " << c.chroma.step_bytes << " " << c.chroma.shift_x << " "
       << c.chroma.shift_y << (c.params.measure_stages ? ", measured" : "");
  return text.str();
}

std::string describe_operator(const canny::Params& params) {
  return "operator " + std::to_string(static_cast<int>(params.gradient_operator)) +
         (params.norm == canny::Norm::kL1 ? ", L1" : ", L2");
}

std::vector<std::uint8_t> fill_image(Fill fill, int width, int height, Random& random) {
  std::vector<std::uint8_t> image(static_cast<std::size_t>(width) * height);
  const auto each = [&](auto value) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        image[static_cast<std::size_t>(y) * width + x] = static_cast<std::uint8_t>(value(x, y));
  };
  const int base = random.between(0, 120), step = random.between(5, 135);
  switch (fill) {
    case Fill::kNoise:
      each([&](int, int) { return random.between(0, 255); });
      break;
    case Fill::kBlackWhite:
      each([&](int, int) { return 255 * random.between(0, 1); });
      break;
    case Fill::kNearMax:
      each([&](int, int) { return random.between(250, 255); });
      break;
    case Fill::kConstant:
      each([&](int, int) { return base; });
      break;
    case Fill::kSinglePixels:
      fill_single_pixels(width, height, random, &image);
      break;
    case Fill::kBlocks:
      fill_blocks(width, height, random, &image);
      break;
    case Fill::kRamp:
      each([&](int x, int y) { return base + step * (x + 2 * y) / 16; });
      break;
    default: {
      const reference::Bytes line = masks::candidates(*mask_of(fill), width, height);
      each([&](int x, int y) { return base + step * line.row(y)[x]; });
    }
  }
  return image;
}

std::vector<std::uint8_t> fill_mask(Fill fill, int width, int height, Random& random) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(width) * height);
  // Densities around the point where clusters begin to span the image, and the extremes.
  constexpr int kPercent[] = {3, 20, 35, 41, 50, 60, 80, 97, 100};
  const int density = random.any(kPercent);
  const int strong_per_mille = random.between(0, 2) ? random.between(0, 12) : 0;
  const auto line = mask_of(fill);
  reference::Bytes on_line;
  if (line) on_line = masks::candidates(*line, width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool candidate = line ? on_line.row(y)[x] != 0 : random.between(0, 99) < density;
      const bool strong = candidate && random.between(0, 999) < strong_per_mille;
      mask[static_cast<std::size_t>(y) * width + x] = candidate + strong;
    }
  }
  if (mask[0] != 0 && random.between(0, 1)) mask[0] = 2;  // a line's end
  return mask;
}

}  // namespace cases
