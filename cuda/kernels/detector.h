// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend: the stages of a frame in one stream, and the copies around them.
#pragma once

#include <cuda_runtime.h>

#include "backend.h"
#include "kernels/device.h"
#include "kernels/front.h"
#include "kernels/hysteresis.h"

namespace canny::cuda {

class CudaDetector final : public DetectorBackend {
 public:
  explicit CudaDetector(const Device& device) : device_(device) {}
  ~CudaDetector() override;

  /// Creates the stream. To be called once, first.
  Status open();
  Status set_size(int width, int height) override;
  Status detect(const Settings& settings, const ConstFrame& input, const Frame& output,
                Result* result) override;

  // The stages, in the order of a frame. Each returns once its work is queued in stream().

  /// Pixels in device memory to the planes `candidate` and `strong`.
  Status front(const Settings& settings, const ConstFrame& input);
  /// `candidate` and `strong` to `*edges`, which is one of the detector's own planes.
  Status hysteresis(unsigned passes, BitPlane* edges);
  /// The plane to pixels in device memory, and its edges counted.
  Status store(const BitPlane& edges, const Frame& output);

  const BitPlane& candidate() const { return candidate_; }
  const BitPlane& strong() const { return strong_; }
  cudaStream_t stream() const { return stream_; }
  /// The number of edges that store() counted, in device memory.
  const unsigned long long* device_count() const { return count_; }

 private:
  Status run(const Settings& settings, const ConstFrame& input, const Frame& output,
             Result* result);
  Status check_memory(const char* which, const void* data, Memory memory) const;
  Status upload(const ConstFrame& input, ConstFrame* on_device);
  Status download(const Frame& on_device, const Frame& output);
  void release();

  const Device device_;
  cudaStream_t stream_ = nullptr;
  Status failure_;  // the first device failure, after which nothing works

  void* workspace_ = nullptr;  // holds all of the following but the host's copy
  int staging_pitch_ = 0;
  std::uint8_t* staged_input_ = nullptr;
  std::uint8_t* staged_output_ = nullptr;
  FrontBuffers front_;
  BitPlane candidate_, strong_;
  HysteresisBuffers hysteresis_;
  unsigned long long* count_ = nullptr;
  unsigned long long* host_count_ = nullptr;  // page-locked
};

}  // namespace canny::cuda
