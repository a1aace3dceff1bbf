// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend: the stages of a frame in one stream, and the copies around them.
#pragma once

#include <cuda_runtime.h>

#include "backend.h"
#include "kernels/device.h"
#include "kernels/front.h"
#include "kernels/hysteresis.h"
#include "kernels/launch.h"

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

  /// Queues all kernels of a frame as one graph in stream() and returns. Both frames are in device
  /// memory; they are the caller's again when the stream is done.
  Status enqueue(const Settings& settings, const ConstFrame& input, const Frame& output);

  // The stages, in the order of a frame. Each returns once its work is queued in stream().

  /// Pixels in device memory to the planes `candidate` and `strong`.
  Status front(const Settings& settings, const ConstFrame& input);
  /// `candidate` and `strong`, which it overwrites, to `*edges`, and device_count() to 0.
  Status hysteresis(unsigned passes, Edges* edges);
  /// Edges to pixels in device memory; adds their number to device_count().
  Status store(const Edges& edges, const Frame& output);

  const TilePlane& candidate() const { return candidate_; }
  const TilePlane& strong() const { return strong_; }
  cudaStream_t stream() const { return launcher_.stream(); }
  /// The number of edges that store() counted, in device memory.
  unsigned long long* device_count() const { return hysteresis_.count; }
  /// The memory that set_size() allocated, all of which every frame writes before it reads it.
  void* workspace() const { return workspace_; }
  std::size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  Status run(const Settings& settings, const ConstFrame& input, const Frame& output,
             Result* result);
  Status check_memory(const char* which, const void* data, Memory memory) const;
  Status upload(const ConstFrame& input, ConstFrame* on_device);
  Status download(const Frame& on_device, const Frame& output);
  std::size_t carve(int width, int height, void* memory);
  Status allocate_staging();
  void release();

  const Device device_;
  bool portable_ = false;  // whether only kernels for every device are used
  Launcher launcher_;
  Status failure_;  // the first device failure, after which nothing works

  void* workspace_ = nullptr;  // holds all that front and hysteresis need
  std::size_t workspace_bytes_ = 0;
  FrontBuffers front_;
  TapCache tap_cache_;
  TilePlane candidate_, strong_;
  HysteresisBuffers hysteresis_;
  unsigned long long* host_count_ = nullptr;  // page-locked

  // Copies of frames in host memory, allocated for the first of them.
  std::uint8_t* staging_ = nullptr;
  int staging_pitch_ = 0;
  std::uint8_t* staged_output_ = nullptr;
};

}  // namespace canny::cuda
