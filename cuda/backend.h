// SPDX-License-Identifier: LGPL-2.1-or-later
// The CUDA backend runs jobs: the stages of a frame and the copies around them.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "canny/backend.h"
#include "cuda/component_memory.h"
#include "cuda/mark.h"
#include "cuda/region.h"
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

 private:
  // A job's state until it is finished: its copies, the events that mark the end of the copies and
  // of the kernels, and those of a job that measures stages, which the first one creates.
  struct JobState {
    Upload upload;
    std::deque<RegionUpload> regions;  // one per picture
    std::vector<RegionSource> sources;
    Download download;
    BitsDownload bits;
    ContourDownload contours;
    bool is_traced = false;  // whether the device traces the job's chains
    ComponentMemory components;
    AddressUpload inputs, outputs;
    cudaEvent_t uploaded = nullptr, computed = nullptr, done = nullptr;
    StageMarks stage_marks;
    StageMarks* marks = nullptr;  // these, or null if the job does not measure stages
  };

  Status begin(const Job& job);
  Status queue_upload(JobState* state, cudaStream_t compute, ConstFrame* input);
  Status queue_regions(const ConstFrame& input, JobState* state, bool* is_copied,
                       bool* is_of_caller);
  Status check_mask(const ConstFrame& input) const;
  Status wait_for_caller(void* caller, const char* which, cudaStream_t stream);
  Status queue_download(const Job& job, JobState* state);
  Status finish_contours(const Job& job, JobState* state);
  static void finish_components(const Job& job, const JobState& state);
  Status wait(const Job& job, const JobState& state);
  Status copy_numbers(const Job& job, cudaStream_t stream);
  Status read_numbers(const Job& job, const JobState& state, Result* results) const;
  void read_numbers(const Job& job, unsigned picture, Result* result) const;
  bool have_come(const Job& job) const;
  bool come_soon(const Job& job) const;
  template <class Byte>
  Status check_memory(const char* which, const BasicFrame<Byte>& frame) const;
  template <class Byte>
  Status check_pictures(const char* which, const BasicFrame<Byte>& frame) const;
  Status check_address(const char* which, const void* data) const;
  Status create_events(unsigned frames_in_flight);
  void synchronize();
  void release();
  const Device& device() const { return stages_->device(); }
  // The stream of the job's kernels.
  cudaStream_t compute_stream(const Job& job) const { return stages_->stream(job.slot); }
  Measured* host_measured(unsigned slot) const {
    return reinterpret_cast<Measured*>(host_measured_.data()) + slot * most_pictures;
  }
  FrameCounts* host_counts(unsigned slot) const {
    return reinterpret_cast<FrameCounts*>(host_counts_.data()) + slot * most_pictures;
  }
  cudaStream_t first_stream() const { return stages_->stream(0); }
  cudaStream_t upload_stream() const { return frames_ == 1 ? first_stream() : upload_stream_; }
  cudaStream_t download_stream() const { return frames_ == 1 ? first_stream() : download_stream_; }

  const std::unique_ptr<Stages> stages_;
  // With one frame in flight, all work is in one stream. With more, copies have their own streams,
  // so that they overlap with the kernels of other frames.
  unsigned frames_ = 1;
  std::atomic<unsigned> in_flight_{0};  // jobs that are submitted and not finished
  std::mutex launching_;                // held while a job or an event is queued
  JobState states_[kMaxFramesInFlight];
  cudaStream_t upload_stream_ = nullptr, download_stream_ = nullptr;
  cudaEvent_t ready_ = nullptr;  // marks a point in a caller's stream. Its wait is queued right
                                 // after the record, so one event serves all callers
  // What reports don't have, one per picture of each slot.
  Staging host_measured_{Staging::Kind::kPageLocked}, host_counts_{Staging::Kind::kPageLocked};
};

}  // namespace canny::cuda
