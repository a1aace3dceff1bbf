// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests samples of more than 8 bits: the place of each sample, in literal pixels; which of their
// bits count; bounds of gradients, also of 8 bits; lengths of gradients; regions; and that a frame
// of 8 bits keeps its edges when its samples become the highest bits of 16.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "canny/auto_threshold.h"
#include "canny/canny.h"
#include "canny/plan.h"
#include "cases.h"
#include "harness.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace {

using canny::Backend;
using canny::Norm;
using canny::Operator;
using canny::Params;
using canny::PixelFormat;
using canny::View;

harness::Tally tally;

canny::Plan plan_of(const Params& params, PixelFormat input) {
  canny::Plan plan;
  const canny::Status status = make_plan(params, input, PixelFormat::kGray8, &plan);
  tally.count(status.ok(), "plan " + status.message());
  return plan;
}

std::string text(const Params& params) {
  return "operator " + std::to_string(static_cast<int>(params.gradient_operator)) +
         (params.norm == Norm::kL1 ? ", L1" : ", L2");
}

// Calls `test` with each operator and norm.
template <class Test>
void for_operators(const Test& test) {
  for (const Operator op : reference::kOperators) {
    for (const Norm norm : {Norm::kL1, Norm::kL2}) {
      Params params;
      params.gradient_operator = op;
      params.norm = norm;
      test(params);
    }
  }
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
    tally.count(gradient == bounds.gradient, "bound of the gradient, " + text(params));
    tally.count(magnitude <= bounds.magnitude, "bound of the magnitude, " + text(params));
  });
}

// The largest length of an operator falls in a bin.
void test_last_bins() {
  for_operators([](Params params) {
    params.threshold_mode = canny::ThresholdMode::kQuantile;
    const canny::Plan plan = plan_of(params, PixelFormat::kGray16Le);
    const std::uint32_t length = canny::deep_length(plan.bounds.magnitude, plan.is_squared());
    tally.count(length >> plan.auto_threshold.bin_shift < canny::kBins,
                "last bin, " + text(params));
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
};

void test_literals() {
  for (const Literal& literal : kLiterals) {
    const canny::ConstFrame frame = {literal.bytes.data(),
                                     static_cast<std::ptrdiff_t>(literal.bytes.size()), 2, 1,
                                     literal.format};
    const std::string name = "format " + std::to_string(static_cast<int>(literal.format));
    tally.count(
        static_cast<std::size_t>(canny::row_bytes(literal.format, 2)) == literal.bytes.size(),
        "row of " + name);
    const reference::Words luma = reference::deep_luma(frame);
    tally.count(luma.samples[0] == literal.luma[0] && luma.samples[1] == literal.luma[1],
                "luma of " + name + ": " + std::to_string(luma.samples[0]) + ", " +
                    std::to_string(luma.samples[1]));
  }
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
    params.gradient_operator = reference::kOperators[random.between(0, 8)];
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

// Pages of memory before one that can't be accessed.
class Pages {
 public:
  explicit Pages(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (bytes + page - 1) / page * page;
    all_ = size_ + page;
    data_ = mmap(nullptr, all_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED || mprotect(end(), page, PROT_NONE) != 0) std::abort();
  }
  ~Pages() { munmap(data_, all_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::uint8_t* end() const { return static_cast<std::uint8_t*>(data_) + size_; }

 private:
  std::size_t size_, all_;
  void* data_;
};

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
      const Pages pages(pixels.size());
      std::uint8_t* data = pages.end() - pixels.size();
      std::copy(pixels.begin(), pixels.end(), data);
      Params params;
      params.luma_depth = width % 2 == 0 ? canny::LumaDepth::kFull : canny::LumaDepth::k8;
      const canny::ConstFrame frame = {data, canny::row_bytes(format, width), width, kHeight,
                                       format};
      if (!detector.set_size(width, kHeight).ok()) std::abort();
      tally.count(Backend::kCpu,
                  "format " + std::to_string(i) + " of width " + std::to_string(width),
                  harness::difference(reference::detect(params, frame),
                                      detect(detector, params, frame), width));
    }
  }
}

void run(Backend backend) {
  canny::Detector detector;
  constexpr int kWidth = 213, kHeight = 97;
  canny::Status status = canny::Detector::create(harness::detector_options(backend), &detector);
  if (!status.ok() && backend == Backend::kCuda) return tally.skip(backend, status.message());
  if (status.ok()) status = detector.set_size(kWidth, kHeight);
  tally.count(status.ok(), "detector " + status.message());
  if (!status.ok()) return;
  test_shifted(detector, kWidth, kHeight);
  test_regions(detector, kWidth, kHeight);
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
  for (const Backend backend : options.backends()) run(backend);
  return tally.summary();
}
