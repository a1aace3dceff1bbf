// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend runs jobs: the stages of a frame and the copies around them.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "canny/backend.h"
#include "cuda/memory.h"
#include "cuda/stages.h"
#include "cuda/transfer.h"

namespace canny::cuda {

class CudaBackend final : public BackendImpl {
 public:
  explicit CudaBackend(std::unique_ptr<Stages> stages) : stages_(std::move(stages)) {}
  ~CudaBackend() override;

  /// Creates all streams, including those of the stages. Call once, before anything else.
  Status open();
  Status set_size(int width, int height, unsigned frames_in_flight, unsigned pictures) override;
  Status submit(Job* job) override;
  Status finish(const Job& job, Result* results) override;
  Status copy_to_host(const Job& job, const ConstFrame& input, std::vector<std::uint8_t>* memory,
                      ConstFrame* in_host) override;
  Status write_to_device(const Job& job, const Chains& chains) override;

 private:
  // What a job has until it is finished: its copies, the events that mark the end of the copies and
  // of the kernels, and those of a job that measures stages, which the first one creates.
  struct Slot {
    Upload upload;
    std::vector<RegionUpload> regions;  // one per picture
    std::vector<RegionSource> sources;
    Download download;
    BitsDownload bits;
    ContourDownload contours;
    bool is_traced = false;  // whether the device traces the job's chains
    ComponentMemory components;
    AddressUpload inputs, outputs;
    Owned<cudaEvent_t> uploaded, computed, done;
    StageMarks stage_marks;
    StageMarks* marks = nullptr;  // these, or null if the job does not measure stages
  };

  Status begin(const Job& job);
  Status queue_upload(Slot* slot, cudaStream_t compute, ConstFrame* input);
  Status queue_regions(const ConstFrame& input, Slot* slot, bool* is_copied);
  Status wait_for_caller(void* caller, const char* which, cudaStream_t stream);
  Status queue_download(const Job& job, Slot* slot);
  Status finish_contours(const Job& job, Slot* slot);
  static void finish_components(const Job& job, const Slot& slot);
  Status wait(const Job& job, const Slot& slot);
  Status read_numbers(const Job& job, const Slot& slot, Result* results) const;
  bool have_all(const Job& job, bool (*has)(const Report&)) const;
  Status create_events(unsigned frames_in_flight);
  void synchronize();
  void release();
  const Device& device() const { return stages_->device(); }
  // The stream of the job's kernels.
  cudaStream_t compute_stream(const Job& job) const { return stages_->stream(job.slot); }
  FrameThresholds* host_measured(unsigned slot) const {
    return host_measured_ + slot * most_pictures;
  }
  FrameCounts* host_counts(unsigned slot) const { return host_counts_ + slot * most_pictures; }
  cudaStream_t copy_stream(const Owned<cudaStream_t>& stream) const {
    return frames_ == 1 ? stages_->stream(0) : stream.get();
  }
  cudaStream_t upload_stream() const { return copy_stream(upload_stream_); }
  cudaStream_t download_stream() const { return copy_stream(download_stream_); }

  const std::unique_ptr<Stages> stages_;
  // With one frame in flight, all work is in one stream. With more, copies have their own streams,
  // so that they overlap with the kernels of other frames.
  unsigned frames_ = 1;
  std::atomic<unsigned> in_flight_{0};  // jobs that are submitted and not finished
  std::mutex launching_;                // held while a job or an event is queued
  Slot slots_[kMaxFramesInFlight];
  Owned<cudaStream_t> upload_stream_, download_stream_;
  Owned<cudaEvent_t> ready_;  // marks a point in a caller's stream. Its wait is queued right after
                              // the record, so one event serves all callers
  // What reports don't have, one per picture of each slot.
  PageLockedArray<FrameThresholds> host_measured_;
  PageLockedArray<FrameCounts> host_counts_;
};

}  // namespace canny::cuda
