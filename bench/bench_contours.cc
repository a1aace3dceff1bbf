// SPDX-License-Identifier: LGPL-2.1-or-later
// Times contours beside OpenCV's findContours on the same edge maps, in turns:
//
//     bench_contours THREADS [TILES]
//
// TILES is a folder of tests/pictures/tiles, for photos. Prints the least microseconds of 30
// turns, since other programs disturb several threads more than one: of findContours, of
// Contours::trace() with one thread, and of what a Detector with this number of threads adds to a
// frame. On a GPU: of the median of 101 graphs from edges to chains, in device memory and in host
// memory. Chains that differ from the reference end the program with status 1.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "canny/arena.h"
#include "canny/chain_trace.h"
#include "canny/contours.h"
#include "canny/pack.h"
#include "check.h"
#include "device_contours.h"
#include "measure.h"
#include "pictures.h"
#include "reference/contours.h"
#include "reference/masks.h"

namespace {

using bench::check;
using bench::fail;
using Bytes = std::vector<std::uint8_t>;

struct Map {
  int width, height;
  Bytes pixels;

  canny::ConstFrame frame() const { return {pixels.data(), width, width, height}; }
};

// The edges of a picture, as in docs/internals/performance.md. Without a blur, a texture has
// gradients around the thresholds.
Map edges_of(pictures::Content content, int width, int height, const pictures::Tiles& tiles) {
  const Bytes rgb = pictures::paint(content, width, height, tiles);
  Map map{width, height, Bytes(static_cast<std::size_t>(width) * static_cast<std::size_t>(height))};
  canny::Params params;
  params.low_threshold = 50;
  params.high_threshold = 100;
  if (content == pictures::Content::kTexture) params.sigma = 0;
  canny::Detector detector = bench::open_detector({canny::Backend::kCpu});
  check(detector.set_size(width, height));
  check(detector.detect(params, {rgb.data(), 3 * width, width, height, canny::PixelFormat::kRgb},
                        {map.pixels.data(), width, width, height}, nullptr));
  return map;
}

void require_reference(const canny::Contours& contours, const Map& map) {
  const auto expected = reference::contours(map.pixels, map.width, map.height);
  bool is_right = contours.size() == expected.size();
  for (std::size_t i = 0; i < expected.size() && is_right; ++i) {
    is_right = std::equal(
        contours[i].begin(), contours[i].end(), expected[i].begin(), expected[i].end(),
        [](const canny::Point& a, const auto& b) { return a.x == b.first && a.y == b.second; });
  }
  if (!is_right) fail("chains differ from the reference");
}

bool are_equal(const canny::Chains& chains, const canny::Contours& expected) {
  return chains.chain_count == expected.size() && chains.point_count == expected.point_count() &&
         std::equal(expected.ends(), expected.ends() + expected.size(), chains.ends.data()) &&
         std::equal(expected.points(), expected.points() + expected.point_count(),
                    chains.points.data(),
                    [](const auto& a, const auto& b) { return a.x == b.x && a.y == b.y; });
}

// Tracing and the edge map that it starts from.
class Traced {
 public:
  Traced(const Map& map, int threads) : map_(map) {
    arena_.set_threads(threads);
    bits_.set_size(map.width, map.height);
    pack();
  }

  // Writes the bits with all threads, as a detector does before it traces them.
  void pack() {
    arena_.parallel_for(map_.height, [&](int y) {
      canny::pack_row(map_.pixels.data() + y * std::ptrdiff_t{map_.width}, map_.width,
                      bits_.row(y));
    });
  }
  void trace() { tracer_.trace(&bits_, 1, &arena_, &chains_); }
  const canny::Chains& chains() const { return chains_; }
  canny::EdgeBits* bits() { return &bits_; }

 private:
  const Map& map_;
  canny::EdgeBits bits_;
  canny::Arena arena_;
  canny::Tracer tracer_;
  canny::Chains chains_;
};

// What to time, and what comes before it each time and is not timed.
struct Call {
  std::function<void()> run, prepare = [] {};
};

// The least microseconds of each call.
std::vector<double> time_in_turns(const std::vector<Call>& calls) {
  constexpr int kTurns = 30;
  std::vector<double> least(calls.size(), 1e12);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      calls[i].prepare();
      const bench::Stopwatch watch;
      calls[i].run();
      least[i] = std::min(least[i], watch.microseconds());
    }
  }
  return least;
}

void time(const char* name, const Map& map, int threads) {
  canny::Contours contours;
  check(contours.trace(map.frame()));
  require_reference(contours, map);
  Traced traced(map, threads);
  traced.trace();
  if (!are_equal(traced.chains(), contours)) fail("threads change the chains");
  const auto device = bench::device_contours(traced.bits());
  if (device && !are_equal(device->chains, contours)) fail("the device finds other chains");
  const cv::Mat image(map.height, map.width, CV_8U, const_cast<std::uint8_t*>(map.pixels.data()));
  std::vector<std::vector<cv::Point>> theirs;
  const std::vector<double> times = time_in_turns(
      {{[&] { cv::findContours(image, theirs, cv::RETR_LIST, cv::CHAIN_APPROX_NONE); }},
       {[&] { check(contours.trace(map.frame())); }},
       {[&] { traced.trace(); }, [&] { traced.pack(); }}});
  std::printf("%4dx%-4d %-14s %9zu %8zu %9.0f %9.0f %9.0f %6.1f %6.1f", map.width, map.height, name,
              contours.point_count(), contours.size(), times[0], times[1], times[2],
              times[0] / times[1], times[0] / times[2]);
  if (device) std::printf(" %9.1f %9.1f", device->device_us, device->host_us);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) fail("usage: bench_contours THREADS [TILES]");
  const int threads = static_cast<int>(canny::usable_threads(std::max(std::atoi(argv[1]), 0)));
  pictures::Tiles tiles;
  if (argc == 3) tiles = pictures::read_tiles(argv[2]);
  std::printf("microseconds; %d threads\n%-9s %-14s %9s %8s %9s %9s %9s %6s %6s %9s %9s\n", threads,
              "size", "edges", "points", "chains", "OpenCV", "trace()", "detector", "ratio",
              "ratio", "device", "to host");
  constexpr int kWidth = 3840, kHeight = 2160;
  if (!tiles.empty()) {
    for (const int height : {1080, 2160, 4320}) {
      const int width = height * 16 / 9;
      time("photo", edges_of(pictures::Content::kPhoto, width, height, tiles), threads);
    }
  }
  for (const auto content : {pictures::Content::kShapes, pictures::Content::kNoise,
                             pictures::Content::kTexture, pictures::Content::kSnake36})
    time(pictures::name(content), edges_of(content, kWidth, kHeight, tiles), threads);
  for (int i = 0; i < masks::kMasks; ++i) {
    const auto mask = static_cast<masks::Mask>(i);
    time(masks::name(mask), {kWidth, kHeight, masks::candidates(mask, kWidth, kHeight).samples},
         threads);
  }
}
