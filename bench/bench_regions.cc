// SPDX-License-Identifier: LGPL-2.1-or-later
// Times frames with many rectangles in their region, beside a frame without a region:
//
//     bench_regions [cpu|cuda]
//
// Prints medians in milliseconds for each kind and number of rectangles.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "canny/canny.h"
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

void check(const canny::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench_regions: %s\n", status.message().c_str());
  std::exit(1);
}

double median_milliseconds(canny::Detector& detector, const std::vector<std::uint8_t>& image,
                           const canny::Region* region) {
  std::vector<std::uint8_t> edges(image.size());
  canny::ConstFrame input = {image.data(), kWidth, kWidth, kHeight};
  input.region = region;
  std::vector<double> times;
  for (int i = 0; i < 12; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    check(detector.detect({}, input, {edges.data(), kWidth, kWidth, kHeight}, nullptr));
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
    if (i > 0) times.push_back(time.count());  // the first frame allocates memory
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  canny::Options options;
  options.backend =
      argc > 1 && std::string(argv[1]) == "cuda" ? canny::Backend::kCuda : canny::Backend::kCpu;
  canny::Detector detector;
  check(canny::Detector::create(options, &detector));
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
