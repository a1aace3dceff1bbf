// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the same frames in host memory on the backends beside each other:
//
//     bench_backends [--settings] TILES BACKEND...
//
// TILES is a folder of tests/pictures/tiles. A BACKEND is cuda, cpu, or opencl=DEVICE, with the
// number or a part of the name of the device. Prints medians in microseconds: of the stages of a
// frame alone, with Params::measure_stages, and of each frame of a sequence with three in flight;
// or, with --settings, of all stages of a frame of 3840x2160 pixels with one setting after the
// other. Results that differ from those of the first backend end the program with status 1.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "check.h"
#include "measure_stages.h"
#include "named_params.h"
#include "pictures.h"

namespace {

using bench::check;
using bench::fail;
using bench::StageMedians;
using canny::PixelFormat;

struct Size {
  int width, height;
};
constexpr Size kSizes[] = {{1920, 1080}, {3840, 2160}, {7680, 4320}};
constexpr unsigned kInFlight = 3;

canny::Options options_of(const std::string& name) {
  canny::Options options;
  const std::size_t equals = name.find('=');
  if (name == "cuda")
    options.backend = canny::Backend::kCuda;
  else if (name == "cpu")
    options.backend = canny::Backend::kCpu;
  else if (name.substr(0, equals) == "opencl" && equals != std::string::npos)
    options.backend = canny::Backend::kOpenCl;
  else
    fail(name + " is none of cuda, cpu and opencl=DEVICE");
  if (equals != std::string::npos) options.opencl_device = name.substr(equals + 1);
  return options;
}

/// A picture, and edges in as many outputs as frames are in flight.
class Frames {
 public:
  Frames(Size size, const pictures::Tiles& tiles)
      : size_(size),
        rgb_(pictures::paint(pictures::Content::kPhoto, size.width, size.height, tiles)) {
    // Red as the lower byte of green.
    for (std::size_t i = 0; i < rgb_.size(); i += 3)
      gray16_.insert(gray16_.end(), {rgb_[i], rgb_[i + 1]});
    for (auto& edges : edges_)
      edges.resize(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  }

  /// The picture in one of two formats.
  canny::ConstFrame input(PixelFormat format = PixelFormat::kRgb) const {
    const auto& bytes = format == PixelFormat::kRgb ? rgb_ : gray16_;
    const auto rows = static_cast<std::size_t>(size_.height);
    return {bytes.data(), static_cast<std::ptrdiff_t>(bytes.size() / rows), size_.width,
            size_.height, format};
  }
  canny::Frame output(std::size_t i) {
    return {edges_[i % kInFlight].data(), size_.width, size_.width, size_.height};
  }
  const std::vector<std::uint8_t>& edges(std::size_t i) const { return edges_[i]; }
  void clear_edges() {
    for (auto& edges : edges_) std::fill(edges.begin(), edges.end(), std::uint8_t{1});
  }

 private:
  Size size_;
  std::vector<std::uint8_t> rgb_, gray16_;
  std::vector<std::uint8_t> edges_[kInFlight];
};

StageMedians time_stages(canny::Detector& detector, Frames& frames, canny::Params params,
                         PixelFormat format) {
  params.measure_stages = true;
  return bench::time_stages(1, [&](canny::Result* result) {
    check(detector.detect(params, frames.input(format), frames.output(0), result));
  });
}

double kernels(const StageMedians& stages) {
  return stages.front + stages.hysteresis + stages.output;
}

double time_sequence(canny::Detector& detector, Frames& frames) {
  std::vector<double> times;
  for (int round = 0; round < 6; ++round) {
    constexpr std::size_t kCount = 12;
    const bench::Stopwatch watch;
    for (std::size_t i = 0; i < kCount; ++i) {
      if (i >= kInFlight) check(detector.wait(nullptr));
      check(detector.submit({}, frames.input(), frames.output(i)));
    }
    for (unsigned i = 0; i < kInFlight; ++i) check(detector.wait(nullptr));
    if (round > 0) times.push_back(watch.microseconds() / kCount);
  }
  return bench::median(times);
}

canny::Detector make_detector(const std::string& backend, Size size) {
  canny::Detector detector = bench::open_detector(options_of(backend));
  check(detector.set_size(size.width, size.height, 1));
  return detector;
}

void check_edges(const std::string& backend, const Frames& frames, std::size_t i,
                 const std::vector<std::uint8_t>& expected) {
  if (frames.edges(i) != expected) fail(backend + " has other edges");
}

void print_stages(const std::vector<std::string>& backends, const pictures::Tiles& tiles) {
  std::printf("%-10s %-10s %9s %9s %9s %9s %9s %9s %9s  device\n", "size", "backend", "front",
              "hyst.", "output", "upload", "download", "kernels", "in a row");
  for (const Size size : kSizes) {
    Frames frames(size, tiles);
    std::vector<std::uint8_t> expected;
    for (const std::string& backend : backends) {
      canny::Detector detector = make_detector(backend, size);
      frames.clear_edges();
      const StageMedians stages = time_stages(detector, frames, {}, PixelFormat::kRgb);
      if (expected.empty()) expected = frames.edges(0);
      check(detector.set_size(size.width, size.height, kInFlight));
      std::printf("%4dx%-5d %-10s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f  %s\n", size.width,
                  size.height, name(detector.info().backend), stages.front, stages.hysteresis,
                  stages.output, stages.upload, stages.download, kernels(stages),
                  time_sequence(detector, frames), detector.info().device.c_str());
      std::fflush(stdout);
      for (unsigned k = 0; k < kInFlight; ++k) check_edges(backend, frames, k, expected);
    }
  }
}

// Each differs in one property from the defaults, or in the format.
constexpr const char* kSettings[] = {
    "defaults",
    "sigma=0",
    "sigma=3",
    "color-mode=largest-channel",
    "operator=scharr",
    "operator=sobel-5",
    "operator=sobel-7",
    "operator=kroon",
    "operator=roberts",
    "operator=kirsch",
    "GRAY16_LE",
    "threshold-mode=relative",
    "threshold-mode=quantile",
    "threshold-mode=otsu",
    "threshold-mode=median",
    "hysteresis-passes=5",
    "min-length=20",
    "output=gradient",
};

void print_settings(const std::vector<std::string>& backends, const pictures::Tiles& tiles) {
  constexpr Size kSize = {3840, 2160};
  Frames frames(kSize, tiles);
  std::vector<canny::Detector> detectors;
  std::printf("%-28s", "setting");
  for (const std::string& backend : backends) {
    detectors.push_back(make_detector(backend, kSize));
    std::printf(" %14s", backend.c_str());
  }
  std::printf("\n");
  for (const std::string setting : kSettings) {
    const canny::Params params = bench::params_of(setting);
    const auto format = setting == "GRAY16_LE" ? PixelFormat::kGray16Le : PixelFormat::kRgb;
    std::printf("%-28s", setting.c_str());
    std::vector<std::uint8_t> expected;
    for (std::size_t i = 0; i < backends.size(); ++i) {
      frames.clear_edges();
      const double us = kernels(time_stages(detectors[i], frames, params, format));
      std::printf(" %14.1f", us);
      if (expected.empty()) expected = frames.edges(0);
      check_edges(backends[i], frames, 0, expected);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool has_settings = !words.empty() && words.front() == "--settings";
  if (has_settings) words.erase(words.begin());
  if (words.size() < 2) fail("usage: bench_backends [--settings] TILES BACKEND...");
  const pictures::Tiles tiles = pictures::read_tiles(words.front());
  words.erase(words.begin());
  has_settings ? print_settings(words, tiles) : print_stages(words, tiles);
}
