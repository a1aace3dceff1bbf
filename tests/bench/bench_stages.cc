// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the stages of the CUDA backend on RGB frames in device memory, back to back. Buffers
// rotate, so that no frame is in the L2 cache when its turn comes; every result is compared with
// the reference first. Photographic tiles in a folder, if one is given, take the place of shapes.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "cuda/backend.h"
#include "pictures.h"
#include "reference/reference.h"

namespace {

using canny::cuda::CudaBackend;

constexpr std::size_t kRotatedBytes = std::size_t{192} << 20;  // well beyond the L2 cache
constexpr int kFrames = 100;                                   // between two events
constexpr int kRounds = 7;                                     // of which the median counts

void check(const canny::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "bench_stages: %s\n", status.message().c_str());
  std::exit(1);
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "bench_stages: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Frames of one picture, and where their edge maps go.
class Buffers {
 public:
  Buffers(const std::vector<std::uint8_t>& rgb, int width, int height)
      : width_(width), height_(height) {
    const std::size_t count = std::max<std::size_t>(2, kRotatedBytes / rgb.size() + 1);
    for (std::size_t i = 0; i < count; ++i) {
      inputs_.push_back(allocate(rgb.size()));
      outputs_.push_back(allocate(rgb.size() / 3));
      check(cudaMemcpy(inputs_.back(), rgb.data(), rgb.size(), cudaMemcpyHostToDevice));
    }
    check(cudaDeviceSynchronize());
  }
  ~Buffers() {
    for (std::uint8_t* buffer : inputs_) cudaFree(buffer);
    for (std::uint8_t* buffer : outputs_) cudaFree(buffer);
  }

  canny::ConstFrame input(int i) const {
    return {inputs_[i % inputs_.size()], 3 * width_, width_, height_, canny::PixelFormat::kRgb,
            canny::Memory::kDevice};
  }
  canny::Frame output(int i) const {
    return {outputs_[i % outputs_.size()], width_, width_, height_, canny::PixelFormat::kGray8,
            canny::Memory::kDevice};
  }

 private:
  static std::uint8_t* allocate(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes));
    return static_cast<std::uint8_t*>(memory);
  }

  const int width_, height_;
  std::vector<std::uint8_t*> inputs_, outputs_;
};

// Microseconds of one call of `stage`, which gets the frame's number.
template <class Stage>
double time_stage(CudaBackend& detector, Stage stage) {
  const cudaStream_t stream = detector.stream();
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<double> rounds;
  for (int round = 0; round <= kRounds; ++round) {
    check(cudaEventRecord(begin, stream));
    for (int i = 0; i < kFrames; ++i) stage(i);
    check(detector.join());
    check(cudaEventRecord(end, stream));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (round > 0) rounds.push_back(1000.0 * ms / kFrames);  // the first one warms up
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(rounds.begin(), rounds.end());
  return rounds[kRounds / 2];
}

void run_frame(CudaBackend& detector, const canny::Plan& plan, const Buffers& buffers, int i) {
  check(detector.enqueue(plan, buffers.input(i), buffers.output(i)));
}

void compare(CudaBackend& detector, const canny::Params& params, const canny::Plan& plan,
             const Buffers& buffers, const std::vector<std::uint8_t>& rgb, int width, int height) {
  run_frame(detector, plan, buffers, 0);
  check(detector.join());
  check(cudaStreamSynchronize(detector.stream()));
  std::vector<std::uint8_t> actual(rgb.size() / 3);
  check(cudaMemcpy(actual.data(), buffers.output(0).data, actual.size(), cudaMemcpyDeviceToHost));
  const auto expected = reference::detect(params, {rgb.data(), 3 * width, width, height,
                                                   canny::PixelFormat::kRgb, canny::Memory::kHost});
  if (actual == expected) return;
  std::fprintf(stderr, "bench_stages: the edge map differs from the reference\n");
  std::exit(1);
}

void run(CudaBackend& detector, pictures::Content content, const pictures::Tiles& tiles, int width,
         int height, double sigma) {
  canny::Params params;
  params.low_threshold = 50;
  params.high_threshold = 100;
  params.sigma = sigma;
  canny::Plan plan;
  check(make_plan(params, canny::PixelFormat::kRgb, canny::PixelFormat::kGray8, &plan));
  check(detector.set_size(width, height, 1));
  const std::vector<std::uint8_t> rgb = pictures::paint(content, width, height, tiles);
  const Buffers buffers(rgb, width, height);
  compare(detector, params, plan, buffers, rgb, width, height);

  canny::cuda::Edges edges;
  check(detector.hysteresis(0, &edges));
  const double front =
      time_stage(detector, [&](int i) { check(detector.front(plan, buffers.input(i))); });
  const double store =
      time_stage(detector, [&](int i) { check(detector.store(edges, buffers.output(i))); });
  const double frame = time_stage(detector, [&](int i) { run_frame(detector, plan, buffers, i); });
  std::printf("%9dx%-5d %-7s %5.1f %9.1f %10.1f %9.1f %9.1f\n", width, height,
              pictures::name(content), sigma, front, frame - front - store, store, frame);
}

}  // namespace

int main(int argc, char** argv) {
  pictures::Tiles tiles;
  std::string error;
  if (argc > 1) tiles = pictures::read_tiles(argv[1], &error);
  if (!error.empty()) {
    std::fprintf(stderr, "bench_stages: %s\n", error.c_str());
    return 2;
  }
  canny::cuda::Device device;
  check(canny::cuda::find_device(-1, &device));
  check(cudaSetDevice(device.id));
  CudaBackend detector(device);
  check(detector.open());
  std::printf("%s, RGB to GRAY8 in device memory, microseconds a frame\n", device.name.c_str());
  std::printf("%15s %-7s %5s %9s %10s %9s %9s\n", "size", "content", "sigma", "front", "hysteresis",
              "store", "frame");
  const auto picture = tiles.empty() ? pictures::Content::kShapes : pictures::Content::kPhoto;
  for (const auto& [width, height] : {std::pair{1920, 1080}, {3840, 2160}, {7680, 4320}}) {
    for (pictures::Content content : {picture, pictures::Content::kNoise})
      for (double sigma : {0.0, 1.4, 3.0}) run(detector, content, tiles, width, height, sigma);
  }
}
