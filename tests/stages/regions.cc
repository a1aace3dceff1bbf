// SPDX-License-Identifier: LGPL-2.1-or-later
// Regions of small frames, with results that are written down here.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "cases.h"
#include "device_memory.h"
#include "harness.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::Params;
using canny::Rectangle;
using canny::Region;
using canny::ThresholdMode;
using canny::View;
using Bytes = std::vector<std::uint8_t>;

harness::Tally tally;

constexpr int kWidth = 8, kHeight = 6;
constexpr int kMost = std::numeric_limits<int>::max(), kLeast = std::numeric_limits<int>::min();

// A step of 40 in the upper half and of 36 in the lower one. The third pixel of each row is the
// last one before the step: strong in the upper half, another candidate in the lower one. Its right
// neighbor has the same magnitude.
const Bytes kPicture = {
    10, 10, 10, 50, 50, 50, 50, 50,  //
    10, 10, 10, 50, 50, 50, 50, 50,  //
    10, 10, 10, 50, 50, 50, 50, 50,  //
    12, 12, 12, 48, 48, 48, 48, 48,  //
    12, 12, 12, 48, 48, 48, 48, 48,  //
    12, 12, 12, 48, 48, 48, 48, 48,  //
};

struct Outcome {
  canny::Status status;
  canny::Result result;
  Bytes pixels = Bytes(kWidth * kHeight, 77);
};

Outcome detect(Detector& detector, const Params& params, const Region* region) {
  Outcome outcome;
  canny::ConstFrame input = {kPicture.data(), kWidth, kWidth, kHeight};
  input.region = region;
  outcome.status = detector.detect(params, input, {outcome.pixels.data(), kWidth, kWidth, kHeight},
                                   &outcome.result);
  return outcome;
}

Region region_of(const std::vector<Rectangle>& rectangles) {
  Region region;
  region.rectangles = rectangles.data();
  region.rectangle_count = rectangles.size();
  return region;
}

Params sharp() {
  Params params;
  params.sigma = 0;
  return params;
}

// A frame whose third column has these values, and whose other pixels are 0.
Bytes column(const Bytes& values) {
  Bytes image(kWidth * kHeight);
  for (int y = 0; y < kHeight; ++y) image[y * kWidth + 2] = values[y];
  return image;
}

void expect(Backend backend, const std::string& what, const Outcome& outcome, const Bytes& expected,
            std::uint64_t edges) {
  std::string failure = outcome.status.message();
  if (failure.empty()) failure = harness::difference(expected, outcome.pixels, kWidth);
  if (failure.empty() && outcome.result.edge_pixels != edges)
    failure = "counted " + std::to_string(outcome.result.edge_pixels) + " edges";
  tally.count(backend, what, failure);
}

struct Drawn {
  const char* name;
  std::vector<Rectangle> rectangles;
  Bytes edges;  // of the third column
};

const Drawn kDrawn[] = {
    {"all", {{0, 0, kWidth, kHeight}}, {255, 255, 255, 255, 255, 255}},
    {"none", {}, {0, 0, 0, 0, 0, 0}},
    {"empty rectangles", {{2, 2, 0, 9}, {2, 2, 9, -1}, {0, 0, kLeast, 9}}, {0, 0, 0, 0, 0, 0}},
    {"two rows", {{0, 1, kWidth, 2}}, {0, 255, 255, 0, 0, 0}},
    {"one pixel", {{2, 2, 1, 1}}, {0, 0, 255, 0, 0, 0}},
    {"beside the edge, where suppression drops pixels", {{3, 0, 5, kHeight}}, {0, 0, 0, 0, 0, 0}},
    {"no strong pixel", {{0, 3, kWidth, 3}}, {0, 0, 0, 0, 0, 0}},
    {"no way to the strong pixels", {{0, 0, 8, 2}, {0, 4, 8, 2}}, {255, 255, 0, 0, 0, 0}},
    {"a way around, over columns that have no candidates",
     {{0, 0, 8, 3}, {3, 3, 2, 1}, {0, 4, 8, 2}},
     {255, 255, 255, 0, 0, 0}},
    {"overlap", {{1, 1, 3, 3}, {2, 2, 1, 9}, {2, 3, 5, 1}}, {0, 255, 255, 255, 255, 255}},
    {"beyond all sides",
     {{kLeast, kLeast, kMost, kMost}, {-5, 2, kMost, kMost}},
     {0, 0, 255, 255, 255, 255}},
    {"outside",
     {{kMost, 0, kMost, kMost}, {0, kMost, kMost, kMost}, {kLeast, 0, kMost, kMost}, {-3, 0, 3, 9}},
     {0, 0, 0, 0, 0, 0}},
};

void test_rectangles(Backend backend, Detector& detector) {
  for (const Drawn& drawn : kDrawn) {
    const Region region = region_of(drawn.rectangles);
    std::uint64_t edges = 0;
    for (const std::uint8_t value : drawn.edges) edges += value == 255;
    expect(backend, drawn.name, detect(detector, sharp(), &region), column(drawn.edges), edges);
  }
  expect(backend, "the whole frame again", detect(detector, sharp(), nullptr),
         column({255, 255, 255, 255, 255, 255}), 6);
}

// A thousand rectangles of a pixel: every second row of the frame, many times.
void test_many(Backend backend, Detector& detector) {
  std::vector<Rectangle> rectangles;
  for (int i = 0; i < 1000; ++i) rectangles.push_back({i % kWidth, i / kWidth % 3 * 2, 1, 1});
  const Region region = region_of(rectangles);
  expect(backend, "a thousand rectangles", detect(detector, sharp(), &region),
         column({255, 0, 255, 0, 0, 0}), 2);
}

// Rows 1 to 3 of a mask, stored in both directions with 3 bytes between its rows.
void test_masks(Backend backend, Detector& detector) {
  constexpr int kStride = kWidth + 3;
  for (const bool is_bottom_up : {false, true}) {
    Bytes mask(kStride * kHeight, 255);
    Region region;
    region.mask = {is_bottom_up ? mask.data() + kStride * (kHeight - 1) : mask.data(),
                   is_bottom_up ? -kStride : kStride};
    for (int y = 0; y < kHeight; ++y) {
      std::uint8_t* row = mask.data() + (is_bottom_up ? kHeight - 1 - y : y) * kStride;
      for (int x = 0; x < kWidth; ++x)
        row[x] = static_cast<std::uint8_t>(y >= 1 && y <= 3 ? 1 << x : 0);
    }
    expect(backend, is_bottom_up ? "a mask from the bottom up" : "a mask",
           detect(detector, sharp(), &region), column({0, 255, 255, 255, 0, 0}), 3);
  }
}

// A mask in device memory, which the input's stream may still be writing when the frame begins.
void test_device_mask(Detector& detector, bool holds_streams) {
  Bytes bytes(kWidth * kHeight);
  std::fill(bytes.begin() + 1 * kWidth, bytes.begin() + 4 * kWidth, std::uint8_t{1});
  const device_memory::Block mask(bytes), late(Bytes(bytes.size()));
  const Bytes expected = column({0, 255, 255, 255, 0, 0});
  Region region;
  region.mask_memory = canny::Memory::kDevice;
  region.mask = {mask.data() + kWidth * (kHeight - 1), -kWidth};
  expect(Backend::kCuda, "a mask in device memory, from the bottom up",
         detect(detector, sharp(), &region), column({0, 0, 255, 255, 255, 0}), 3);

  if (!holds_streams) return;
  device_memory::Stream stream;
  stream.hold();
  stream.copy(mask, late);
  region.mask = {late.data(), kWidth};
  Outcome outcome;
  canny::ConstFrame input = {kPicture.data(), kWidth, kWidth, kHeight};
  input.region = &region;
  input.cuda_stream = stream.handle();
  outcome.status =
      detector.submit(sharp(), input, {outcome.pixels.data(), kWidth, kWidth, kHeight});
  stream.release();
  if (outcome.status.ok()) outcome.status = detector.wait(&outcome.result);
  expect(Backend::kCuda, "a mask that is being written", outcome, expected, 3);
}

// Rectangles of a frame, and the mask that has the same pixels.
struct Crowd {
  static constexpr int kColumns = 300, kRows = 210;

  Crowd(std::size_t count, int longest, std::uint64_t seed) : mask(kColumns * kRows) {
    reference::Random random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      const Rectangle added = {random.between(-20, kColumns + 20), random.between(-20, kRows + 20),
                               random.between(0, longest), random.between(0, longest)};
      rectangles.push_back(added);
      for (int y = std::max(added.y, 0); y < std::min(added.y + added.height, kRows); ++y)
        for (int x = std::max(added.x, 0); x < std::min(added.x + added.width, kColumns); ++x)
          mask[y * kColumns + x] = 1;
    }
  }

  std::vector<Rectangle> rectangles;
  Bytes mask;
};

// The edges of noise in many rectangles are those in their mask, however many overlap.
void test_crowds(Backend backend, Detector& detector) {
  reference::Random random(3);
  const Bytes image = cases::fill_image(cases::Fill::kNoise, Crowd::kColumns, Crowd::kRows, random);
  Params params = sharp();
  params.low_threshold = params.high_threshold = 100;
  const auto edges_in = [&](const Region& region, Bytes* edges) {
    edges->assign(image.size(), 77);
    canny::ConstFrame input = {image.data(), Crowd::kColumns, Crowd::kColumns, Crowd::kRows};
    input.region = &region;
    return detector.detect(
        params, input, {edges->data(), Crowd::kColumns, Crowd::kColumns, Crowd::kRows}, nullptr);
  };
  constexpr std::size_t kCounts[] = {1, 8, 9, 100, 1000, 4096, 4097, 20000};
  if (!detector.set_size(Crowd::kColumns, Crowd::kRows).ok())
    tally.count(backend, "many", "no size");
  for (const std::size_t count : kCounts) {
    for (const int longest : {2, 9, 400}) {
      const Crowd crowd(count, longest, count);
      Region region;
      region.mask = {crowd.mask.data(), Crowd::kColumns};
      Bytes expected, actual;
      canny::Status status = edges_in(region, &expected);
      if (status.ok()) status = edges_in(region_of(crowd.rectangles), &actual);
      tally.count(
          backend,
          std::to_string(count) + " rectangles of up to " + std::to_string(longest) +
              " pixels a side",
          status.ok() ? harness::difference(expected, actual, Crowd::kColumns) : status.message());
    }
  }
  if (!detector.set_size(kWidth, kHeight).ok()) tally.count(backend, "many", "no size after");
}

void test_views(Backend backend, Detector& detector) {
  const std::vector<Rectangle> rectangles = {{0, 2, kWidth, 3}};
  const Region region = region_of(rectangles);
  Params params = sharp();
  params.view = View::kClasses;
  expect(backend, "classes", detect(detector, params, &region), column({0, 0, 255, 128, 128, 0}),
         0);
  params.view = View::kPasses;
  expect(backend, "passes", detect(detector, params, &region), column({0, 0, 255, 239, 239, 0}), 0);
  params.view = View::kMasked;
  expect(backend, "masked", detect(detector, params, &region), column({0, 0, 10, 12, 12, 0}), 3);
  params.view = View::kLuma;
  expect(backend, "luma shows the whole frame", detect(detector, params, &region), kPicture, 0);
}

struct MeasuredCase {
  const char* name;
  ThresholdMode mode;
  std::vector<Rectangle> rectangles;
  double high;
  double ratio = 1;
};

// The lengths of columns 2 and 3 are 160 in rows 0 and 1, and 144 in rows 4 and 5.
const MeasuredCase kMeasured[] = {
    {"median of the left side", ThresholdMode::kMedian, {{0, 0, 3, 6}}, 10},
    {"median of the right side", ThresholdMode::kMedian, {{3, 0, 5, 3}, {3, 3, 2, 1}}, 50},
    {"median of three of 12 and three of 48", ThresholdMode::kMedian, {{2, 3, 2, 3}}, 12},
    {"largest magnitude of a lower row", ThresholdMode::kRelative, {{0, 5, 8, 1}}, 144},
    {"largest magnitude of a flat part", ThresholdMode::kRelative, {{0, 0, 2, 2}}, 0},
    {"largest magnitude of the upper rows", ThresholdMode::kRelative, {{0, 0, 8, 2}}, 160},
    {"no pixels, largest magnitude", ThresholdMode::kRelative, {}, 0},
    {"no pixels, quantile", ThresholdMode::kQuantile, {}, 2047},
    {"no pixels, Otsu", ThresholdMode::kOtsu, {}, 32767},
    {"no pixels, median", ThresholdMode::kMedian, {}, 0},
    {"one class, Otsu", ThresholdMode::kOtsu, {{0, 0, 8, 2}}, 32767},
    {"two classes, Otsu", ThresholdMode::kOtsu, {{2, 0, 1, 1}, {2, 5, 1, 1}}, 144},
    {"quantile of the flat half", ThresholdMode::kQuantile, {{0, 0, 4, 2}}, 0, 0.4},
    {"quantile of more than it", ThresholdMode::kQuantile, {{0, 0, 4, 2}}, 160, 0.6},
};

void test_measured(Backend backend, Detector& detector) {
  for (const MeasuredCase& measured : kMeasured) {
    const Region region = region_of(measured.rectangles);
    Params params = sharp();
    params.threshold_mode = measured.mode;
    params.high_ratio = measured.ratio;
    params.low_ratio = 0.5;
    const Outcome outcome = detect(detector, params, &region);
    std::string failure = outcome.status.message();
    if (failure.empty() && (outcome.result.high_threshold != measured.high ||
                            outcome.result.low_threshold != measured.high / 2))
      failure = "thresholds " + std::to_string(outcome.result.low_threshold) + " and " +
                std::to_string(outcome.result.high_threshold);
    if (failure.empty() && measured.rectangles.empty() && outcome.result.edge_pixels != 0)
      failure = "edges without a region";
    tally.count(backend, measured.name, failure);
  }
}

void test_refusals(Backend backend, Detector& detector) {
  Bytes mask(kWidth * kHeight, 1);
  const std::vector<Rectangle> rectangles = {{0, 0, 1, 1}};
  const auto refuse = [&](const char* message, auto spoil) {
    Region region;
    spoil(region);
    const Outcome outcome = detect(detector, sharp(), &region);
    tally.expect(backend, message, outcome.status, canny::StatusCode::kInvalidFrame, message);
    tally.count(backend, message,
                outcome.pixels == Bytes(kWidth * kHeight, 77) ? "" : "wrote to the output");
  };
  refuse("input frame, region: rectangles is null, but rectangle_count is 3",
         [](Region& region) { region.rectangle_count = 3; });
  refuse("input frame, region: has rectangles and a mask", [&](Region& region) {
    region = region_of(rectangles);
    region.mask = {mask.data(), kWidth};
  });
  refuse("input frame, mask of the region: stride_bytes -7 is shorter than a row of 8 bytes",
         [&](Region& region) {
           region.mask = {mask.data(), -7};
         });
  refuse("input frame, mask of the region: unknown memory", [&](Region& region) {
    region.mask = {mask.data(), kWidth};
    region.mask_memory = static_cast<canny::Memory>(5);
  });
  refuse(backend == Backend::kCuda ? "mask of the region: data is not in memory of CUDA device"
                                   : "masks in host memory only",
         [&](Region& region) {
           region.mask = {mask.data(), kWidth};
           region.mask_memory = canny::Memory::kDevice;
         });
}

// Edges would change a mask in the place of the output.
void test_overlap(Backend backend, Detector& detector) {
  Bytes output(kWidth * kHeight, 1);
  Region region;
  region.mask = {output.data() + kWidth * (kHeight - 1), -kWidth};
  canny::ConstFrame input = {kPicture.data(), kWidth, kWidth, kHeight};
  input.region = &region;
  tally.expect(backend, "a mask that is the output",
               detector.detect(sharp(), input, {output.data(), kWidth, kWidth, kHeight}, nullptr),
               canny::StatusCode::kInvalidFrame,
               "output frame: overlaps the mask of the input's region");
  // The input can be its own mask.
  region.mask = {kPicture.data(), kWidth};
  tally.expect(backend, "a mask that is the input",
               detector.detect(sharp(), input, {output.data(), kWidth, kWidth, kHeight}, nullptr),
               canny::StatusCode::kOk);
}

void run(Backend backend, Detector& detector, const harness::Options& options) {
  const canny::Status status = detector.set_size(kWidth, kHeight);
  tally.expect(backend, "set_size()", status, canny::StatusCode::kOk);
  test_rectangles(backend, detector);
  test_many(backend, detector);
  test_masks(backend, detector);
  if (backend == Backend::kCuda) test_device_mask(detector, options.held_streams);
  test_crowds(backend, detector);
  test_views(backend, detector);
  test_measured(backend, detector);
  test_refusals(backend, detector);
  test_overlap(backend, detector);
}

}  // namespace

int main(int argc, char** argv) {
  harness::for_backends(harness::parse(argc, argv, {}), &tally, run);
  return tally.summary();
}
