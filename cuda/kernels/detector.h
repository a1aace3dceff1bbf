// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend: the stages of a frame in one stream, and the copies around them.
#pragma once

#include <cuda_runtime.h>

#include "backend.h"
#include "kernels/device.h"
#include "kernels/front.h"
#include "kernels/hysteresis.h"
#include "kernels/launch.h"
#include "kernels/tuning.h"

namespace canny::cuda {

class CudaDetector final : public DetectorBackend {
 public:
  explicit CudaDetector(const Device& device) : device_(device) {}
  ~CudaDetector() override;

  /// Creates the streams. To be called once, first.
  Status open();
  Status set_size(int width, int height) override;
  Status detect(const Settings& settings, const ConstFrame& input, const Frame& output,
                Result* result) override;

  /// Queues all kernels of a frame as one graph and returns. Both frames are in device memory; they
  /// are the caller's again after finish(). Up to kFrameSlots frames run side by side and wait for
  /// no stream: no two of them may share an output, and when this is called, what they read must be
  /// there and nothing may use what they write.
  Status enqueue(const Settings& settings, const ConstFrame& input, const Frame& output);
  /// Has what is queued in stream() from now on wait for all frames of enqueue().
  Status finish();

  // The stages, in the order of a frame. Each returns once its work is queued in stream().

  /// Pixels in device memory to the planes `candidate` and `strong`.
  Status front(const Settings& settings, const ConstFrame& input);
  /// `candidate` and `strong`, which it overwrites, to `*edges`, and device_count() to 0.
  Status hysteresis(unsigned passes, Edges* edges);
  /// Edges to pixels in device memory; adds their number to device_count().
  Status store(const Edges& edges, const Frame& output);

  const TilePlane& candidate() const { return slots_[0].candidate; }
  const TilePlane& strong() const { return slots_[0].strong; }
  cudaStream_t stream() const { return slots_[0].launcher.stream(); }
  /// The number of edges that store() counted, in device memory.
  unsigned long long* device_count() const { return slots_[0].hysteresis.count; }
  /// The memory that set_size() allocated, all of which every frame writes before it reads it.
  void* workspace() const { return workspace_; }
  std::size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  // What a frame needs to run beside others.
  struct Slot {
    Launcher launcher;
    cudaEvent_t done = nullptr;
    bool in_use = false;  // whether it may have frames that finish() did not wait for
    TilePlane candidate, strong;
    HysteresisBuffers hysteresis;
  };

  Status run(const Settings& settings, const ConstFrame& input, const Frame& output,
             Result* result);
  Status check_memory(const char* which, const void* data, Memory memory) const;
  Status upload(const ConstFrame& input, ConstFrame* on_device);
  Status download(const Frame& on_device, const Frame& output);
  bool needs_images(const Settings& settings) const;
  Status separate(bool alone);
  Status launch(const Settings& settings, const ConstFrame& input, const Frame& output, Slot* slot);
  Status front(const Settings& settings, const ConstFrame& input, Slot* slot);
  Status allocate_staging();
  void release();

  const Device device_;
  bool portable_ = false;  // whether only kernels for every device are used
  Status failure_;         // the first device failure, after which nothing works

  Slot slots_[kFrameSlots];
  int slot_count_ = 1;  // that the workspace has room for
  int next_slot_ = 0;   // of enqueue()
  bool alone_ = false;  // whether the last frame used memory of all slots

  void* workspace_ = nullptr;  // holds all that front and hysteresis need
  std::size_t workspace_bytes_ = 0;
  FrontBuffers front_;
  TapCache tap_cache_;
  unsigned long long* host_count_ = nullptr;  // page-locked

  // Copies of frames in host memory, allocated for the first of them.
  std::uint8_t* staging_ = nullptr;
  int staging_pitch_ = 0;
  std::uint8_t* staged_output_ = nullptr;
};

}  // namespace canny::cuda
