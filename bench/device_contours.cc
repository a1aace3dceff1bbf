// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the kernels of contours as a graph of their own.
#include "device_contours.h"

#include <utility>
#include <vector>

#include "check.h"
#include "check_cuda.h"
#include "cuda/contours/contours.h"
#include "cuda/device.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/transfer.h"
#include "cuda/tuning.h"
#include "device_work.h"
#include "measure_cuda.h"

namespace bench {
namespace {

using canny::EdgeBits;

constexpr unsigned kHold = 60;  // microseconds; the host queues a graph in less
constexpr int kTimes = 101;

class Tracer {
 public:
  Tracer(const canny::cuda::Device& device, EdgeBits* bits)
      : device_(device), edges_{nullptr, bits->width(), bits->height()} {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    launcher_.open(stream_, device.code_capability >= canny::cuda::kOverlapCapability);
    upload(bits);
    check(memory_.reserve(
        canny::cuda::carve_contours(nullptr, edges_.width, edges_.height, &buffers_)));
    canny::cuda::carve_contours(memory_, edges_.width, edges_.height, &buffers_);
    check(download_.place(edges_.width, edges_.height, {}, &target_));
  }
  ~Tracer() { cudaStreamDestroy(stream_); }

  canny::Chains chains() {
    run(canny::cuda::kAllKernels);
    check(cudaStreamSynchronize(stream_));
    if (!canny::cuda::are_complete(download_.numbers(), buffers_)) return {};
    canny::Chains chains;
    download_.finish(&chains);
    return chains;
  }
  // The last kernel copies.
  double device_us() { return time(launcher_.kernels().size() - 1); }
  double host_us() { return time(canny::cuda::kAllKernels); }

 private:
  void upload(EdgeBits* bits) {
    const std::size_t row_bytes = sizeof(std::uint32_t) * edges_.columns();
    check(words_.reserve(std::size_t{1} * edges_.columns() * edges_.height));
    for (int y = 0; y < edges_.height; ++y)
      check(cudaMemcpy(words_ + std::size_t{1} * y * edges_.columns(), bits->row(y), row_bytes,
                       cudaMemcpyHostToDevice));
    edges_.words = words_;
  }

  void run(std::size_t kernels) {
    launcher_.end_after(kernels);
    launcher_.record();
    check(canny::cuda::trace_contours(edges_, 1, buffers_, target_, device_.multiprocessors,
                                      &launcher_));
    check(launcher_.submit());
  }

  double time(std::size_t kernels) {
    std::vector<double> times(kTimes);
    for (double& time : times) {
      check(canny::cuda::clear_counters(buffers_, stream_));
      check(hold(kHold, stream_));
      time = events_.time(stream_, [&] { run(kernels); });
    }
    return median(times);
  }

  const canny::cuda::Device device_;
  canny::cuda::EdgeRows edges_;
  cudaStream_t stream_ = nullptr;
  canny::cuda::Launcher launcher_;
  canny::cuda::DeviceArray<std::uint32_t> words_;
  canny::cuda::DeviceArray<std::uint8_t> memory_;
  canny::cuda::ContourBuffers buffers_ = {};
  canny::cuda::ContourDownload download_;
  canny::cuda::ContourTarget target_ = {};
  EventPair events_;
};

}  // namespace

std::optional<DeviceContours> device_contours(EdgeBits* bits) {
  canny::cuda::Device device;
  if (!canny::cuda::find_device(-1, &device).ok()) return {};
  Tracer tracer(device, bits);
  canny::Chains chains = tracer.chains();
  const double device_us = tracer.device_us();
  return DeviceContours{std::move(chains), device_us, tracer.host_us()};
}

}  // namespace bench
