// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the processor time of frames with 16 times the pixels, or the rectangles: no content may
// take time that grows with the square.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "canny/components.h"
#include "canny/contours.h"
#include "harness.h"
#include "reference/masks.h"

namespace {

// Linear time is 16 times as long, and more where caches end. The square is 256 times as long.
constexpr int kFactor = 4, kMost = 40;
constexpr int kSide = 256;

harness::Tally tally;

std::vector<std::uint8_t> picture_of(masks::Mask mask, int side) {
  std::vector<std::uint8_t> pixels = masks::candidates(mask, side, side).samples;
  for (std::uint8_t& pixel : pixels) pixel = pixel != 0 ? 255 : 0;
  return pixels;
}

// Seconds of the processor, the least of so many times that other programs disturb not all of them.
double seconds(const std::function<void()>& work) {
  double least = 1e9;
  for (int i = 0; i < 12; ++i) {
    const std::clock_t begin = std::clock();
    work();
    least = std::min(least, double(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

void compare(const std::string& what, double small, double large) {
  const double factor = large / std::max(small, 1e-4);
  std::printf("%-40s %9.3f ms %9.3f ms, %.1f times\n", what.c_str(), 1e3 * small, 1e3 * large,
              factor);
  tally.count(factor <= kMost, what + " takes " + std::to_string(factor) + " times as long");
}

// A frame on one thread, with everything that follows edges.
double detect(const std::vector<std::uint8_t>& pixels, int side, const canny::Params& params,
              const canny::Region* region) {
  canny::Detector detector;
  canny::Contours contours;
  canny::Components components;
  std::vector<std::uint8_t> edges(pixels.size());
  canny::ConstFrame input = {pixels.data(), side, side, side, canny::PixelFormat::kGray8};
  input.region = region;
  canny::Frame output = {edges.data(), side, side, side, canny::PixelFormat::kGray8};
  output.contours = &contours;
  output.components = &components;
  canny::Status status =
      canny::Detector::create(harness::detector_options(canny::Backend::kCpu, 1), &detector);
  if (status.ok()) status = detector.set_size(side, side);
  const double time = seconds([&] {
    if (status.ok()) status = detector.detect(params, input, output, nullptr);
  });
  tally.count(status.ok(), status.message());
  return time;
}

void compare_masks() {
  for (int i = 0; i < masks::kMasks; ++i) {
    const auto mask = static_cast<masks::Mask>(i);
    canny::Params thick, thin;
    thick.sigma = 0;
    thick.thin_edges = false;
    thick.min_length = canny::kMaxMinLength;
    thin.threshold_mode = canny::ThresholdMode::kOtsu;
    thin.min_length = 9;
    double thick_times[2], thin_times[2], trace_times[2];
    for (const int size : {0, 1}) {
      const int side = size == 0 ? kSide : kFactor * kSide;
      const std::vector<std::uint8_t> pixels = picture_of(mask, side);
      thick_times[size] = detect(pixels, side, thick, nullptr);
      thin_times[size] = detect(pixels, side, thin, nullptr);
      canny::Contours contours;
      trace_times[size] = seconds([&] {
        const canny::Status status =
            contours.trace({pixels.data(), side, side, side, canny::PixelFormat::kGray8});
        tally.count(status.ok(), status.message());
      });
    }
    const std::string name = masks::name(mask);
    compare(name + ", all of the longest edges", thick_times[0], thick_times[1]);
    compare(name + ", thin edges", thin_times[0], thin_times[1]);
    compare(name + ", traced", trace_times[0], trace_times[1]);
  }
}

// Rectangles that overlap, of all sizes.
std::vector<canny::Rectangle> rectangles_of(std::size_t count, int side) {
  reference::Random random(1);
  std::vector<canny::Rectangle> rectangles(count);
  for (canny::Rectangle& each : rectangles)
    each = {random.between(-9, side), random.between(-9, side), random.between(1, side),
            random.between(1, side)};
  return rectangles;
}

void compare_rectangles() {
  constexpr std::size_t kFew = 4096, kMany = kFew * kFactor * kFactor;
  const auto time_of = [](std::size_t count, int side) {
    const std::vector<canny::Rectangle> rectangles = rectangles_of(count, side);
    canny::Region region;
    region.rectangles = rectangles.data();
    region.rectangle_count = rectangles.size();
    return detect(picture_of(masks::Mask::kRandom41, side), side, {}, &region);
  };
  constexpr int kSmall = kSide / 8;  // the rectangles take most of the time
  compare("16 times the rectangles", time_of(kFew, kSmall), time_of(kMany, kSmall));
  compare("16 times the pixels, in rectangles", time_of(kFew, kSide),
          time_of(kFew, kFactor * kSide));
}

}  // namespace

int main() {
  compare_masks();
  compare_rectangles();
  return tally.summary();
}
