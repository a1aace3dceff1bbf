// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the same frames in host memory on the backends beside each other:
//
//     bench_backends TILES BACKEND...
//
// TILES is a folder of tests/pictures/tiles. A BACKEND is cuda, cpu, or opencl=DEVICE, with the
// number or a part of the name of the device. Prints medians in microseconds: of the stages of a
// frame alone, with Params::measure_stages, and of each frame of a sequence with three in flight.
// Results that differ from those of the first backend end the program with status 1.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "pictures.h"

namespace {

struct Size {
  int width, height;
};
constexpr Size kSizes[] = {{1920, 1080}, {3840, 2160}, {7680, 4320}};
constexpr unsigned kInFlight = 3;

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "bench_backends: %s\n", message.c_str());
  std::exit(1);
}

void check(const canny::Status& status) {
  if (!status.ok()) fail(status.message());
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}

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
        picture_(pictures::paint(pictures::Content::kPhoto, size.width, size.height, tiles)) {
    for (auto& edges : edges_)
      edges.resize(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  }

  canny::ConstFrame input() const {
    return {picture_.data(), 3 * size_.width, size_.width, size_.height, canny::PixelFormat::kRgb};
  }
  canny::Frame output(std::size_t i) {
    return {edges_[i % kInFlight].data(), size_.width, size_.width, size_.height};
  }
  const std::vector<std::uint8_t>& edges(std::size_t i) const { return edges_[i]; }

 private:
  Size size_;
  std::vector<std::uint8_t> picture_;
  std::vector<std::uint8_t> edges_[kInFlight];
};

/// Prints a row.
void time_stages(canny::Detector& detector, Frames& frames) {
  canny::Params params;
  params.measure_stages = true;
  std::vector<double> times[5];
  for (int i = 0; i < 22; ++i) {
    canny::Result result;
    check(detector.detect(params, frames.input(), frames.output(0), &result));
    if (i < 2) continue;  // allocates memory
    const canny::StageTimes& t = result.times;
    const std::uint64_t all[] = {t.front, t.hysteresis, t.output, t.upload, t.download};
    for (int stage = 0; stage < 5; ++stage)
      times[stage].push_back(1e-3 * static_cast<double>(all[stage]));
  }
  double sum = 0;
  for (int stage = 0; stage < 3; ++stage) sum += median(times[stage]);
  for (const auto& of_stage : times) std::printf(" %9.1f", median(of_stage));
  std::printf(" %9.1f", sum);
}

double time_sequence(canny::Detector& detector, Frames& frames) {
  std::vector<double> times;
  for (int round = 0; round < 6; ++round) {
    constexpr std::size_t kCount = 12;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < kCount; ++i) {
      if (i >= kInFlight) check(detector.wait(nullptr));
      check(detector.submit({}, frames.input(), frames.output(i)));
    }
    for (unsigned i = 0; i < kInFlight; ++i) check(detector.wait(nullptr));
    if (round > 0) times.push_back(since(begin) / kCount);
  }
  return median(times);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) fail("usage: bench_backends TILES BACKEND...");
  std::string error;
  const pictures::Tiles tiles = pictures::read_tiles(argv[1], &error);
  if (tiles.empty()) fail(error);
  std::printf("%-10s %-10s %9s %9s %9s %9s %9s %9s %9s  device\n", "size", "backend", "front",
              "hyst.", "output", "upload", "download", "kernels", "in a row");
  for (const Size size : kSizes) {
    Frames frames(size, tiles);
    std::vector<std::uint8_t> expected;
    for (int i = 2; i < argc; ++i) {
      canny::Detector detector;
      check(canny::Detector::create(options_of(argv[i]), &detector));
      check(detector.set_size(size.width, size.height, 1));
      std::printf("%4dx%-5d %-10s", size.width, size.height, name(detector.info().backend));
      time_stages(detector, frames);
      if (expected.empty()) expected = frames.edges(0);
      check(detector.set_size(size.width, size.height, kInFlight));
      std::printf(" %9.1f  %s\n", time_sequence(detector, frames), detector.info().device.c_str());
      std::fflush(stdout);
      for (unsigned k = 0; k < kInFlight; ++k)
        if (frames.edges(k) != expected) fail(std::string(argv[i]) + " has other edges");
    }
  }
}
