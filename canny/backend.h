// SPDX-License-Identifier: LGPL-2.1-or-later
// What a Detector asks of the code that runs a frame.
#pragma once

#include <memory>

#include "canny/canny.h"
#include "canny/plan.h"

namespace canny {

/// A frame in flight.
struct Job {
  unsigned flight = 0;  ///< its number among the frames in flight, from 0 on
  Plan plan;
  ConstFrame input;
  Frame output;
};

/// Sizes, strides and formats of frames are valid; the memory is for the backend to check. Jobs are
/// finished in the order in which they were submitted, maybe by another thread.
class BackendImpl {
 public:
  virtual ~BackendImpl() = default;

  /// Allocates for frames of a valid size, so many at a time. After a failure the backend has no
  /// size.
  virtual Status set_size(int width, int height, unsigned frames_in_flight) = 0;

  /// Begins a job. After a failure nothing uses its memory any more.
  virtual Status submit(const Job& job) = 0;

  /// Returns when a job is complete. After a failure nothing uses its memory any more.
  virtual Status finish(const Job& job, Result* result) = 0;

  /// Ends a job whose output nobody wants any more.
  virtual void drop(const Job& job) noexcept = 0;

  /// Sets bytes in device memory, in the frame's stream or before the next job is complete.
  virtual Status fill(const Frame& frame, std::uint8_t value) = 0;

  /// A job alone.
  Status detect(const Plan& plan, const ConstFrame& input, const Frame& output, Result* result) {
    const Job job = {0, plan, input, output};
    const Status status = submit(job);
    return status.ok() ? finish(job, result) : status;
  }

  Info info;  ///< what it runs on; changes in set_size() and finish() only
};

/// Creates a CPU backend for `options.threads`.
Status create_cpu_backend(const Options& options, std::unique_ptr<BackendImpl>* backend);

/// Creates a CUDA backend on `options.cuda_device`. Without CUDA in the library this is
/// kBackendNotBuilt.
Status create_cuda_backend(const Options& options, std::unique_ptr<BackendImpl>* backend);

/// Page-locked memory of CUDA device `*device` (-1 = the first usable one, which it becomes).
Status allocate_page_locked(std::size_t bytes, int* device, std::uint8_t** data);
void free_page_locked(int device, std::uint8_t* data);

}  // namespace canny
