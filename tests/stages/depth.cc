// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests samples of more than 8 bits: the place of each sample, in literal pixels; which of their
// bits count; the numbers of floats; bounds of gradients, also of 8 bits; lengths of gradients;
// regions; and that a frame of 8 bits keeps its edges when its samples become the highest bits
// of 16.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "canny/auto_threshold.h"
#include "canny/canny.h"
#include "canny/plan.h"
#include "cases.h"
#include "harness.h"
#include "pages.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace {

using canny::Backend;
using canny::Norm;
using canny::Operator;
using canny::Params;
using canny::PixelFormat;
using canny::View;
using cases::describe_operator;
using cases::for_operators;

harness::Tally tally;

canny::Plan plan_of(const Params& params, PixelFormat input) {
  canny::Plan plan;
  const canny::Status status = make_plan(params, input, PixelFormat::kGray8, &plan);
  tally.count(status.ok(), "plan " + status.message());
  return plan;
}

// Samples of more than 8 bits count in full unless the parameters want 8.
void test_plans() {
  for (int i = 0; i <= static_cast<int>(cases::kLastInput); ++i) {
    const auto format = static_cast<PixelFormat>(i);
    Params params;
    tally.count(plan_of(params, format).is_deep == reference::is_deep(format),
                "depth of format " + std::to_string(i));
    params.luma_depth = canny::LumaDepth::k8;
    tally.count(!plan_of(params, format).is_deep, "8 bits of format " + std::to_string(i));
  }
}

// The largest absolute value of the samples.
template <class Sample>
std::int64_t largest(const reference::Plane<Sample>& plane) {
  std::int64_t result = 0;
  for (const Sample sample : plane.samples)
    result = std::max(result, std::abs(std::int64_t{sample}));
  return result;
}

// Noise, pixels of the smallest and the largest sample, and a step across each axis.
template <class Sample>
std::vector<reference::Plane<Sample>> extreme_images() {
  constexpr int kSide = 64, kLargest = std::numeric_limits<Sample>::max();
  reference::Random random(1);
  std::vector<reference::Plane<Sample>> images(22, reference::Plane<Sample>(kSide, kSide));
  for (int round = 0; round < 20; ++round) {
    for (Sample& pixel : images[round].samples)
      pixel = static_cast<Sample>(round < 10 ? kLargest * random.between(0, 1)
                                             : random.between(0, kLargest));
  }
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      images[20].row(y)[x] = x < kSide / 2 ? 0 : kLargest;
      images[21].row(y)[x] = y < kSide / 2 ? 0 : kLargest;
    }
  }
  return images;
}

// The largest |gx| and |gy|, difference of a diagonal, or response of a mask.
std::int64_t steepest(const reference::Response& response, Operator op) {
  if (!reference::has_norm(op)) return largest(response.magnitude);
  const std::vector<std::int32_t>&gx = response.direction.gx.samples,
        &gy = response.direction.gy.samples;
  if (op != Operator::kRoberts)
    return std::max(largest(response.direction.gx), largest(response.direction.gy));
  std::int64_t result = 0;
  for (std::size_t i = 0; i < gx.size(); ++i)
    result =
        std::max<std::int64_t>({result, std::abs(gx[i] + gy[i]) / 2, std::abs(gx[i] - gy[i]) / 2});
  return result;
}

// Extreme pixels reach the bound of the gradient, and nothing exceeds either bound.
template <class Sample>
void test_bounds(PixelFormat format) {
  const auto images = extreme_images<Sample>();
  for_operators([&](const Params& params) {
    const canny::Bounds bounds = plan_of(params, format).bounds;
    std::int64_t gradient = 0, magnitude = 0;
    for (const reference::Plane<Sample>& image : images) {
      const reference::Response response =
          reference::respond(image, params.gradient_operator, params.norm);
      gradient = std::max(gradient, steepest(response, params.gradient_operator));
      magnitude = std::max(magnitude, largest(response.magnitude));
    }
    tally.count(gradient == bounds.gradient, "bound of the gradient, " + describe_operator(params));
    tally.count(magnitude <= bounds.magnitude,
                "bound of the magnitude, " + describe_operator(params));
  });
}

// The largest length of an operator falls in a bin.
void test_last_bins() {
  for_operators([](Params params) {
    params.threshold_mode = canny::ThresholdMode::kQuantile;
    const canny::Plan plan = plan_of(params, PixelFormat::kGray16Le);
    const std::uint32_t length = canny::deep_length(plan.bounds.magnitude, plan.is_squared());
    tally.count(length >> plan.auto_threshold.bin_shift < canny::kBins,
                "last bin, " + describe_operator(params));
  });
}

// Lengths are rounded down, also next to squares.
void test_lengths() {
  reference::Random random(3);
  for (std::uint64_t unit = 1; unit < 34000; unit += random.between(1, 9)) {
    const std::uint64_t length = 256 * unit, square = length * length;
    tally.count(canny::deep_length(square, true) == unit &&
                    canny::deep_length(square - 1, true) == unit - 1,
                "length of the square " + std::to_string(square));
    tally.count(canny::deep_length(length, false) == unit &&
                    canny::deep_length(length - 1, false) == unit - 1,
                "length of " + std::to_string(length));
  }
}

// Two pixels and their luma. Other bits than those of the samples are mixed.
struct Literal {
  PixelFormat format;
  std::vector<std::uint8_t> bytes;
  std::uint16_t luma[2];
};
const Literal kLiterals[] = {
    {PixelFormat::kGray16Le, {0x34, 0x12, 0xff, 0xfe}, {0x1234, 0xfeff}},
    {PixelFormat::kGray16Be, {0x12, 0x34, 0xfe, 0xff}, {0x1234, 0xfeff}},
    {PixelFormat::kGray10Le, {0xff, 0xab, 0x01, 0x56}, {0xffc0, 0x8040}},
    {PixelFormat::kGray12Le, {0xbc, 0xfa, 0x01, 0x08}, {0xabc0, 0x8010}},
    {PixelFormat::kY210Le, {0x40, 0x12, 0xaa, 0xbb, 0xc0, 0xff, 0xcc, 0xdd}, {0x1240, 0xffc0}},
    {PixelFormat::kY410Le,
     {0xff, 0x07, 0xf8, 0xff, 0x00, 0xfc, 0x07, 0x00},
     {0x201 << 6, 0x1ff << 6}},
    {PixelFormat::kV210,
     {0xff, 0x07, 0xf8, 0xff, 0x02, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0},
     {0x201 << 6, 0x302 << 6}},
    // Red alone, and blue alone: 65472 times the weight, rounded.
    {PixelFormat::kRgb10a2Le, {0xff, 0x03, 0x00, 0xc0, 0x00, 0x00, 0xf0, 0x3f}, {19577, 7463}},
    {PixelFormat::kBgr10a2Le, {0xff, 0x03, 0x00, 0xc0, 0x00, 0x00, 0xf0, 0x3f}, {7463, 19577}},
    {PixelFormat::kRgbx64Le,
     {0xff, 0xff, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 0, 0xff, 0xff, 0x56, 0x78},
     {19596, 7470}},
    {PixelFormat::kXrgb64Le,
     {0x12, 0x34, 0xff, 0xff, 0, 0, 0, 0, 0x56, 0x78, 0, 0, 0, 0, 0xff, 0xff},
     {19596, 7470}},
    // 1/2 and 1; red alone, and blue alone.
    {PixelFormat::kGrayF32, {0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f}, {32768, 65535}},
    {PixelFormat::kGrayF16, {0, 0x38, 0, 0x3c}, {32768, 65535}},
    {PixelFormat::kGrayBf16, {0, 0x3f, 0x80, 0x3f}, {32768, 65535}},
    {PixelFormat::kRgbF32,
     {0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f},
     {19596, 7470}},
    {PixelFormat::kRgbF16, {0, 0x3c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3c}, {19596, 7470}},
    {PixelFormat::kRgbBf16, {0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f}, {19596, 7470}},
    {PixelFormat::kRgbPlanesF32,
     {0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f},
     {19596, 7470}},
    {PixelFormat::kRgbPlanesF16, {0, 0x3c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3c}, {19596, 7470}},
    {PixelFormat::kRgbPlanesBf16, {0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f}, {19596, 7470}},
};

// A frame whose planes, without gaps, follow each other.
canny::ConstFrame tight_frame(const std::uint8_t* data, int width, int height, PixelFormat format) {
  const std::ptrdiff_t row = canny::row_bytes(format, width);
  canny::ConstFrame frame = {data, row, width, height, format};
  if (canny::planes(format) == 3) {
    frame.green = {data + row * height, row};
    frame.blue = {data + 2 * row * height, row};
  }
  return frame;
}

void test_literals() {
  for (const Literal& literal : kLiterals) {
    const canny::ConstFrame frame = tight_frame(literal.bytes.data(), 2, 1, literal.format);
    const std::string name = "format " + std::to_string(static_cast<int>(literal.format));
    tally.count(static_cast<std::size_t>(canny::row_bytes(literal.format, 2) *
                                         canny::planes(literal.format)) == literal.bytes.size(),
                "row of " + name);
    const reference::Words luma = reference::deep_luma(frame);
    tally.count(luma.samples[0] == literal.luma[0] && luma.samples[1] == literal.luma[1],
                "luma of " + name + ": " + std::to_string(luma.samples[0]) + ", " +
                    std::to_string(luma.samples[1]));
  }
}

// Floats of 32 bits and the numbers of 8 and of 16 bits that they count as. The product 0.3 * 255
// is rounded to 76.5.
struct FloatNumber {
  float x;
  int byte, word;
};
constexpr float kInfinity = std::numeric_limits<float>::infinity(),
                kNan = std::numeric_limits<float>::quiet_NaN();
constexpr FloatNumber kFloatNumbers[] = {
    {0.0f, 0, 0},           {-0.0f, 0, 0},          {1.0f, 255, 65535},      {2.0f, 255, 65535},
    {0.5f, 128, 32768},     {0.3f, 76, 19660},      {-0.5f, 0, 0},           {kNan, 0, 0},
    {-kNan, 0, 0},          {-kInfinity, 0, 0},     {kInfinity, 255, 65535}, {1e-40f, 0, 0},
    {3e38f, 255, 65535},    {-3e38f, 0, 0},         {1 / 255.0f, 1, 257},    {1 / 65535.0f, 0, 1},
    {0.499f / 255, 0, 128}, {0.501f / 255, 1, 129},
};

std::vector<std::uint8_t> bytes_of(const std::vector<float>& numbers) {
  std::vector<std::uint8_t> bytes(4 * numbers.size());
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

void test_float_numbers() {
  for (const FloatNumber& number : kFloatNumbers) {
    const std::vector<std::uint8_t> bytes = bytes_of({number.x});
    const canny::ConstFrame frame = tight_frame(bytes.data(), 1, 1, PixelFormat::kGrayF32);
    const int byte = reference::luma(frame).samples[0];
    const int word = reference::deep_luma(frame).samples[0];
    tally.count(byte == number.byte && word == number.word,
                "the float " + std::to_string(number.x) + " is " + std::to_string(byte) + " and " +
                    std::to_string(word));
  }
}

// The floats around those whose product with 255 or 65535 lies between two numbers, and those
// above.
std::vector<float> floats_near_halves(int* halves) {
  std::vector<float> numbers;
  for (const FloatNumber& number : kFloatNumbers) numbers.push_back(number.x);
  for (const auto& [largest, step] : {std::pair(255.0f, 1.0f), std::pair(65535.0f, 128.0f)}) {
    for (float half = 0.5f; half < largest; half += step) {
      float x = half / largest;
      for (int i = 0; i < 4; ++i) x = std::nextafter(x, 0.0f);
      for (int i = 0; i < 8; ++i, x = std::nextafter(x, 1.0f)) {
        numbers.push_back(x);
        *halves += x * largest == half;
      }
    }
  }
  return numbers;
}

// The edges, or another view, of a frame.
std::vector<std::uint8_t> detect(canny::Detector& detector, const Params& params,
                                 const canny::ConstFrame& input) {
  std::vector<std::uint8_t> output(static_cast<std::size_t>(input.width) * input.height);
  const canny::Frame frame = {output.data(), input.width, input.width, input.height};
  const canny::Status status = detector.detect(params, input, frame, nullptr);
  tally.count(status.ok(), "detection " + status.message());
  return output;
}

// Shows the luma of floats in rows of 256, the last row filled up.
void test_floats(canny::Detector& detector, std::vector<std::uint8_t> bytes, PixelFormat format) {
  constexpr int kWidth = 256;
  const int row = canny::row_bytes(format, kWidth);
  const int height = (static_cast<int>(bytes.size()) + row - 1) / row;
  bytes.resize(static_cast<std::size_t>(row) * height);
  if (!detector.set_size(kWidth, height).ok()) std::abort();
  for (const canny::LumaDepth depth : {canny::LumaDepth::kFull, canny::LumaDepth::k8}) {
    const canny::ConstFrame frame = tight_frame(bytes.data(), kWidth, height, format);
    Params params;
    params.view = View::kLuma;
    params.luma_depth = depth;
    const reference::Bytes expected = depth == canny::LumaDepth::k8
                                          ? reference::luma(frame)
                                          : reference::highest(reference::deep_luma(frame));
    tally.count(detector.info().backend,
                std::string(name(depth)) + " luma of all floats of format " +
                    std::to_string(static_cast<int>(format)),
                harness::difference(expected.samples, detect(detector, params, frame), kWidth));
  }
}

// A step of brightness from 0 to a float whose product with 65535 lies halfway between two numbers.
// Thresholds are the gradient of the lower number, which only the upper one exceeds.
void test_halves_of_words(canny::Detector& detector) {
  constexpr int kWidth = 16, kHeight = 4;
  if (!detector.set_size(kWidth, kHeight).ok()) std::abort();
  Params params;
  params.sigma = 0;
  params.norm = Norm::kL1;
  params.thin_edges = false;
  int halves = 0;
  for (int number = 1; number < 65535; number += number / 8 + 1) {
    const float half = static_cast<float>(number) + 0.5f;
    float x = half / 65535;
    for (int i = 0; i < 4; ++i) x = std::nextafter(x, 0.0f);
    for (int i = 0; i < 8 && x * 65535 != half; ++i) x = std::nextafter(x, 1.0f);
    if (x * 65535 != half) continue;
    ++halves;
    std::vector<float> numbers(kWidth * kHeight);
    for (int i = 0; i < kWidth * kHeight; ++i) numbers[i] = i % kWidth < kWidth / 2 ? 0 : x;
    const std::vector<std::uint8_t> bytes = bytes_of(numbers);
    params.low_threshold = params.high_threshold = 4 * number / 256.0;
    const std::vector<std::uint8_t> edges =
        detect(detector, params, tight_frame(bytes.data(), kWidth, kHeight, PixelFormat::kGrayF32));
    const bool is_up = std::count(edges.begin(), edges.end(), 255) > 0;
    tally.count(detector.info().backend, "the half above " + std::to_string(number),
                is_up == (number % 2 == 1) ? "" : "it is not rounded to even");
  }
  tally.count(halves > 20, "halves of 16 bits: " + std::to_string(halves));
}

void test_all_floats(canny::Detector& detector) {
  test_halves_of_words(detector);
  std::vector<std::uint8_t> patterns;
  for (int pattern = 0; pattern < 65536; ++pattern)
    patterns.insert(patterns.end(),
                    {static_cast<std::uint8_t>(pattern), static_cast<std::uint8_t>(pattern >> 8)});
  for (const PixelFormat format : {PixelFormat::kGrayF16, PixelFormat::kGrayBf16})
    test_floats(detector, patterns, format);
  int halves = 0;
  const std::vector<float> numbers = floats_near_halves(&halves);
  tally.count(halves > 500, "floats whose product is a half: " + std::to_string(halves));
  test_floats(detector, bytes_of(numbers), PixelFormat::kGrayF32);
}

// A frame of 8 bits and the same samples as the highest bits of 16 have the same edges without a
// blur. kSobel7 rounds after a division, and so differs.
void test_shifted(canny::Detector& detector, int width, int height) {
  reference::Random random(5);
  for (int round = 0; round < 40; ++round) {
    const auto fill = static_cast<cases::Fill>(round % cases::kFills);
    const std::vector<std::uint8_t> bytes = cases::fill_image(fill, width, height, random);
    std::vector<std::uint8_t> words;
    for (const std::uint8_t byte : bytes) words.insert(words.end(), {0, byte});
    Params params;
    params.sigma = 0;
    params.norm = round % 2 == 0 ? Norm::kL1 : Norm::kL2;
    params.gradient_operator = random.any(reference::kOperators);
    if (params.gradient_operator == Operator::kSobel7) params.gradient_operator = Operator::kSobel;
    params.low_threshold = random.between(0, 4000) / 10.0;
    params.high_threshold = random.between(0, 9000) / 10.0;
    params.threshold_mode = static_cast<canny::ThresholdMode>(random.between(0, 4));
    params.view = static_cast<View>(round % 3 == 0 ? random.between(3, 9) : 0);
    const auto of_bytes = detect(detector, params, {bytes.data(), width, width, height});
    const auto of_words =
        detect(detector, params, {words.data(), 2 * width, width, height, PixelFormat::kGray16Le});
    tally.count(detector.info().backend, "shifted samples, round " + std::to_string(round),
                harness::difference(of_bytes, of_words, width));
  }
}

// Only the pixels of a region count for edges and thresholds, in whatever column it begins.
void test_regions(canny::Detector& detector, int width, int height) {
  const Backend backend = detector.info().backend;
  reference::Random random(5);
  for (int i = 0; i <= static_cast<int>(cases::kLastInput); ++i) {
    const auto format = static_cast<PixelFormat>(i);
    if (!reference::is_deep(format)) continue;
    harness::GuardedFrame painted(width, height, format, 0, 0, false);
    painted.paint(cases::fill_image(cases::Fill::kBlocks, width, height, random), 1);
    for (int mode = 0; mode <= static_cast<int>(canny::ThresholdMode::kMedian); ++mode) {
      const int x = random.between(0, width - 1), y = random.between(0, height - 1);
      const std::vector<canny::Rectangle> rectangles = {{x, y, 40, 50}, {width - 33, y, 9, 1}};
      canny::Region region;
      region.rectangles = rectangles.data();
      region.rectangle_count = rectangles.size();
      canny::ConstFrame frame = painted.const_frame();
      frame.region = &region;
      Params params;
      params.threshold_mode = static_cast<canny::ThresholdMode>(mode);
      params.luma_depth = random.between(0, 3) ? canny::LumaDepth::kFull : canny::LumaDepth::k8;
      tally.count(backend,
                  "region from column " + std::to_string(x) + " on, format " + std::to_string(i) +
                      ", threshold mode " + std::to_string(mode),
                  harness::difference(reference::detect(params, frame),
                                      detect(detector, params, frame), width));
    }
  }
}

// No byte behind the last row is read, whatever the width.
void test_ends(canny::Detector& detector) {
  constexpr int kHeight = 3;
  for (int i = 0; i <= static_cast<int>(cases::kLastInput); ++i) {
    const auto format = static_cast<PixelFormat>(i);
    if (!reference::is_deep(format)) continue;
    for (int width = 1; width <= 140; ++width) {
      harness::GuardedFrame painted(width, kHeight, format, 0, 0, false);
      reference::Random random(width);
      painted.paint(cases::fill_image(cases::Fill::kNoise, width, kHeight, random), 1);
      const std::vector<std::uint8_t> pixels = harness::pixels(painted.const_frame());
      const paged::Block block(pixels.size(), paged::Block::At::kEnd);
      std::copy(pixels.begin(), pixels.end(), block.data());
      Params params;
      params.luma_depth = width % 2 == 0 ? canny::LumaDepth::kFull : canny::LumaDepth::k8;
      const canny::ConstFrame frame = tight_frame(block.data(), width, kHeight, format);
      if (!detector.set_size(width, kHeight).ok()) std::abort();
      tally.count(Backend::kCpu,
                  "format " + std::to_string(i) + " of width " + std::to_string(width),
                  harness::difference(reference::detect(params, frame),
                                      detect(detector, params, frame), width));
    }
  }
}

void run(Backend backend, canny::Detector& detector, const harness::Options&) {
  constexpr int kWidth = 213, kHeight = 97;
  const canny::Status status = detector.set_size(kWidth, kHeight);
  tally.count(status.ok(), "size " + status.message());
  if (!status.ok()) return;
  test_shifted(detector, kWidth, kHeight);
  test_regions(detector, kWidth, kHeight);
  test_all_floats(detector);
  if (backend == Backend::kCpu) test_ends(detector);
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  test_plans();
  test_bounds<std::uint8_t>(PixelFormat::kGray8);
  test_bounds<std::uint16_t>(PixelFormat::kGray16Le);
  test_last_bins();
  test_lengths();
  test_literals();
  test_float_numbers();
  harness::for_backends(options, &tally, run);
  return tally.summary();
}
