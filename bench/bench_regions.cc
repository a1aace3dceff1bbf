// SPDX-License-Identifier: LGPL-2.1-or-later
// Times frames with many rectangles in their region, beside a frame without a region:
//
//     bench_regions cpu|cuda
//
// Prints medians in milliseconds for each kind and number of rectangles.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "check.h"
#include "measure.h"
#include "reference/random.h"

namespace {

constexpr int kWidth = 3840, kHeight = 2160;
constexpr std::size_t kCounts[] = {1, 100, 4096, 4097, 20000, 100000};

using Rectangles = std::vector<canny::Rectangle>;

// All over the frame, one above the other.
canny::Rectangle full(std::size_t, reference::Random&) { return {0, 0, kWidth, kHeight}; }

// Each begins and ends in a column and row of its own, so that rows have as many borders as can be.
canny::Rectangle nested(std::size_t i, reference::Random&) {
  const int inset = static_cast<int>(i % (kHeight / 2 - 1));
  return {inset, inset, kWidth - 2 * inset, kHeight - 2 * inset};
}

canny::Rectangle scattered(std::size_t, reference::Random& random) {
  return {random.between(-64, kWidth), random.between(-64, kHeight), random.between(1, 128),
          random.between(1, 128)};
}

struct Kind {
  const char* name;
  canny::Rectangle (*make)(std::size_t i, reference::Random& random);
};

constexpr Kind kKinds[] = {{"full", full}, {"nested", nested}, {"scattered", scattered}};

using bench::check;

double median_milliseconds(canny::Detector& detector, const std::vector<std::uint8_t>& image,
                           const canny::Region* region) {
  std::vector<std::uint8_t> edges(image.size());
  canny::ConstFrame input = {image.data(), kWidth, kWidth, kHeight};
  input.region = region;
  const auto detect = [&] {
    check(detector.detect({}, input, {edges.data(), kWidth, kWidth, kHeight}, nullptr));
  };
  return 1e-3 * bench::time_on_host([] {}, detect);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string backend = argc == 2 ? argv[1] : "";
  if (backend != "cpu" && backend != "cuda") bench::fail("usage: bench_regions cpu|cuda", 2);
  canny::Detector detector =
      bench::open_detector({backend == "cpu" ? canny::Backend::kCpu : canny::Backend::kCuda});
  check(detector.set_size(kWidth, kHeight));
  reference::Random random(1);
  std::vector<std::uint8_t> image(static_cast<std::size_t>(kWidth) * kHeight);
  for (std::uint8_t& pixel : image) pixel = static_cast<std::uint8_t>(random.between(0, 255));
  std::printf("%s, %dx%d, noise; ms a frame, %.2f without a region\n%10s",
              detector.info().device.c_str(), kWidth, kHeight,
              median_milliseconds(detector, image, nullptr), "");
  for (const std::size_t count : kCounts) std::printf(" %8zu", count);
  for (const Kind& kind : kKinds) {
    std::printf("\n%10s", kind.name);
    for (const std::size_t count : kCounts) {
      Rectangles rectangles;
      for (std::size_t i = 0; i < count; ++i) rectangles.push_back(kind.make(i, random));
      canny::Region region;
      region.rectangles = rectangles.data();
      region.rectangle_count = rectangles.size();
      std::printf(" %8.2f", median_milliseconds(detector, image, &region));
    }
  }
  std::printf("\n");
}
