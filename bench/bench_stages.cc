// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the stages of the CUDA backend on frames in device memory, back to back, and whole frames,
// several in flight. Frames are RGB or, with --gray16, GRAY16_LE. Buffers rotate, so that no frame
// is in the L2 cache when its turn comes. Every result is compared with the reference first. If a
// folder of photographic tiles is given, they replace the shapes.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "canny/plan.h"
#include "check_cuda.h"
#include "cuda/stages.h"
#include "device_frames.h"
#include "measure_cuda.h"
#include "measure_detector.h"
#include "pictures.h"
#include "reference/reference.h"

namespace {

using bench::check;
using canny::cuda::Edges;
using canny::cuda::Stages;

// Ends the program if an edge map is not the reference's.
void require(bool is_right) {
  if (is_right) return;
  std::fprintf(stderr, "bench_stages: an edge map differs from the reference\n");
  std::exit(1);
}

struct StageTimes {
  double front, hysteresis, output;  // microseconds per frame
};

// Compares an edge map, then times the stages one by one. Hysteresis overwrites its input, so it is
// timed together with the front end.
StageTimes time_stages(Stages& stages, const canny::Plan& plan, bench::DeviceFrames& frames,
                       const bench::EdgeMap& expected) {
  const cudaStream_t stream = stages.stream(0);
  Edges edges;
  const auto front = [&](int i) { check(stages.front(plan, frames.input(i), nullptr)); };
  const auto front_and_hysteresis = [&](int i) {
    front(i);
    check(stages.hysteresis(plan.passes, &edges));
  };
  const auto output = [&](int i) { check(stages.output(edges, frames.output(i))); };
  front_and_hysteresis(0);
  output(0);
  check(cudaStreamSynchronize(stream));
  require(frames.outputs().hold(expected, 1));

  StageTimes times;
  times.front = bench::Measurement(stream, front).throughput();
  times.hysteresis = bench::Measurement(stream, front_and_hysteresis).throughput() - times.front;
  times.output = bench::Measurement(stream, output).throughput();
  return times;
}

double time_frames(canny::Detector& detector, const canny::Params& params,
                   bench::DeviceFrames& frames, const bench::EdgeMap& expected) {
  bench::Turns turns(detector, canny::kMaxFramesInFlight, params, frames, nullptr);
  require(is_right(turns, frames.count(), frames.outputs(), expected));
  return throughput(turns);
}

struct Subject {
  pictures::Content content;
  int width, height;
  double sigma;
  canny::PixelFormat format;
};

void run(Stages& stages, canny::Detector& detector, const pictures::Tiles& tiles,
         const Subject& subject) {
  const auto [content, width, height, sigma, format] = subject;
  canny::Params params;
  params.low_threshold = 50;
  params.high_threshold = 100;
  params.sigma = sigma;
  canny::Plan plan;
  check(make_plan(params, format, canny::PixelFormat::kGray8, &plan));
  check(stages.set_size(width, height, 1));
  check(detector.set_size(width, height, canny::kMaxFramesInFlight));
  const bench::Picture picture =
      bench::convert(pictures::paint(content, width, height, tiles), width, height, format, false);
  const bench::EdgeMap expected =
      reference::detect(params, picture.frame(picture.bytes.data(), canny::Memory::kHost));
  bench::DeviceFrames frames(picture, canny::PixelFormat::kGray8);

  const auto [front, hysteresis, output] = time_stages(stages, plan, frames, expected);
  const double frame = time_frames(detector, params, frames, expected);
  std::printf("%9dx%-5d %-7s %5.1f %9.1f %10.1f %9.1f %9.1f\n", width, height,
              pictures::name(content), sigma, front, hysteresis, output, frame);
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_gray16 = argc > 1 && std::string(argv[1]) == "--gray16";
  const int folder = is_gray16 ? 2 : 1;
  pictures::Tiles tiles;
  std::string error;
  if (argc > folder) tiles = pictures::read_tiles(argv[folder], &error);
  if (!error.empty()) {
    std::fprintf(stderr, "bench_stages: %s\n", error.c_str());
    return 2;
  }
  canny::cuda::Device device;
  check(canny::cuda::find_device(-1, &device));
  check(cudaSetDevice(device.id));
  Stages stages(device);
  check(stages.open());
  canny::Detector detector = bench::open_detector(device.id);
  std::printf("%s, %s to GRAY8 in device memory, microseconds a frame\n", device.name.c_str(),
              is_gray16 ? "GRAY16_LE" : "RGB");
  std::printf("%15s %-7s %5s %9s %10s %9s %9s\n", "size", "content", "sigma", "front", "hysteresis",
              "output", "frame");
  const auto format = is_gray16 ? canny::PixelFormat::kGray16Le : canny::PixelFormat::kRgb;
  const auto picture = tiles.empty() ? pictures::Content::kShapes : pictures::Content::kPhoto;
  for (const auto& [width, height] : {std::pair{1920, 1080}, {3840, 2160}, {7680, 4320}}) {
    for (pictures::Content content : {picture, pictures::Content::kNoise})
      for (double sigma : {0.0, 1.4, 3.0})
        run(stages, detector, tiles, {content, width, height, sigma, format});
  }
}
