// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend: the stages of a frame in one stream, and the copies around them.
#pragma once

#include <cuda_runtime.h>

#include <mutex>

#include "canny/backend.h"
#include "cuda/device.h"
#include "cuda/front.h"
#include "cuda/hysteresis.h"
#include "cuda/launch.h"
#include "cuda/transfer.h"
#include "cuda/tuning.h"

namespace canny::cuda {

class CudaBackend final : public BackendImpl {
 public:
  explicit CudaBackend(const Device& device) : device_(device) {}
  ~CudaBackend() override;

  /// Creates the streams. To be called once, first.
  Status open();
  Status set_size(int width, int height, unsigned frames_in_flight) override;
  Status submit(const Job& job) override;
  Status finish(const Job& job, Result* result) override;
  void drop(const Job& job) noexcept override;
  Status fill(const Frame& frame, std::uint8_t value) override;

  /// Queues all kernels of a frame as one graph and returns. Both frames are in device memory; they
  /// are the caller's again after join(). Up to kFrameSlots frames run side by side and wait for
  /// no stream: no two of them may share an output, and when this is called, what they read must be
  /// there and nothing may use what they write.
  Status enqueue(const Plan& plan, const ConstFrame& input, const Frame& output);
  /// Has what is queued in stream() from now on wait for all frames of enqueue().
  Status join();

  // The stages, in the order of a frame. Each returns once its work is queued in stream().

  /// Pixels in device memory to the planes `candidate` and `strong`.
  Status front(const Plan& plan, const ConstFrame& input);
  /// `candidate` and `strong`, which it overwrites, to `*edges`, and device_count() to 0.
  Status hysteresis(unsigned passes, Edges* edges);
  /// Edges to pixels in device memory; adds their number to device_count().
  Status store(const Edges& edges, const Frame& output);

  const TilePlane& candidate() const { return slots_[0].candidate; }
  const TilePlane& strong() const { return slots_[0].strong; }
  cudaStream_t stream() const { return slots_[0].launcher.stream(); }
  /// The number of edges that store() counted, in device memory.
  unsigned long long* device_count() const { return slots_[0].hysteresis.count; }
  /// Where a stage before the front end leaves the thresholds, if the plan has it measure them.
  Thresholds* measured() const { return slots_[0].measured; }
  /// The memory that set_size() allocated, all of which every frame writes before it reads it.
  void* workspace() const { return workspace_; }
  std::size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  // What a frame needs to run beside others.
  struct Slot {
    Launcher launcher;
    cudaEvent_t done = nullptr;
    bool in_use = false;  // whether it may have frames that join() did not wait for
    TilePlane candidate, strong;
    HysteresisBuffers hysteresis;
    Thresholds* measured = nullptr;
  };

  // What a job has until it is finished: its copies, and when they and its kernels are done.
  struct Flight {
    Upload upload;
    Download download;
    cudaEvent_t uploaded = nullptr, computed = nullptr, done = nullptr;
  };

  Status begin(const Job& job);
  Status queue_upload(const ConstFrame& input, Flight* flight, cudaStream_t compute,
                      ConstFrame* on_device);
  Status record_caller(cudaStream_t caller, const char* which);
  Status wait_for_caller(void* caller, const char* which, cudaStream_t stream);
  Status queue_download(const Job& job, Flight* flight, cudaStream_t compute);
  template <class Byte>
  Status check_memory(const char* which, const BasicFrame<Byte>& frame) const;
  Status create_events(unsigned frames_in_flight);
  void synchronize();
  cudaStream_t upload_stream() const { return frames_ == 1 ? stream() : upload_stream_; }
  cudaStream_t download_stream() const { return frames_ == 1 ? stream() : download_stream_; }
  FrontDevice front_device() const { return {!portable_, device_.multiprocessors}; }
  Status separate(bool alone);
  Status launch(const Plan& plan, const ConstFrame& input, const Frame& output, Slot* slot);
  Status front(const Plan& plan, const ConstFrame& input, Slot* slot);
  void release();

  const Device device_;
  bool portable_ = false;  // whether only kernels for every device are used

  Slot slots_[kFrameSlots];
  int slot_count_ = 1;  // that the workspace has room for
  int next_slot_ = 0;   // of enqueue()
  bool alone_ = false;  // whether the last frame used memory of all slots

  void* workspace_ = nullptr;  // holds all that front and hysteresis need
  std::size_t workspace_bytes_ = 0;
  FrontBuffers front_buffers_;
  TapCache tap_cache_;

  // Jobs. With one frame in flight all is in one stream; else copies have their own, so that those
  // of other frames go on while kernels run.
  unsigned frames_ = 1;
  std::mutex
      launching_;  // held while a job is queued, for a stream under capture can't be waited for
  Flight flights_[kMaxFramesInFlight];
  cudaStream_t upload_stream_ = nullptr, download_stream_ = nullptr;
  cudaEvent_t ready_ = nullptr;  // the callers' streams have reached a frame; recorded and waited
                                 // for at once, so that one serves all
  bool is_filling_ = false;      // whether fill() used the stream of uploads since the last job
  unsigned long long* counts_ = nullptr;       // of edges, one for each flight, in the workspace
  unsigned long long* host_counts_ = nullptr;  // page-locked
};

}  // namespace canny::cuda
