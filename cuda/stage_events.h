// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the stages and copies of a frame with events.
#pragma once

#include <cuda_runtime.h>

#include "canny/canny.h"
#include "cuda/check.h"

namespace canny::cuda {

/// The parts of a frame that StageTimes tells apart.
enum class Part { kUpload, kFront, kHysteresis, kOutput, kDownload };
inline constexpr int kParts = 5;

/// The events of a frame, two for each part. The device must be current in every call.
class StageEvents {
 public:
  StageEvents() = default;
  StageEvents(const StageEvents&) = delete;
  StageEvents& operator=(const StageEvents&) = delete;

  /// Begins a frame: creates the events unless they exist, and forgets what was recorded.
  Status begin();
  /// Records the event before, or after, a part's work on a stream.
  Status record_first(Part part, cudaStream_t stream);
  Status record_last(Part part, cudaStream_t stream);
  /// Returns the times of the parts that were recorded. Call when all of the frame's work is done.
  Status read(StageTimes* times) const;
  /// Destroys the events. The streams must be idle.
  void release();

 private:
  struct Pair {
    cudaEvent_t first = nullptr, last = nullptr;
    bool is_recorded = false;
  };
  Status read(Part part, std::uint64_t* nanoseconds) const;

  Pair pairs_[kParts];
};

/// Calls queue(), which queues a part's work on a stream, between two events. Without `events` it
/// only calls queue().
template <class Queue>
Status measure_part(StageEvents* events, Part part, cudaStream_t stream, Queue queue) {
  if (events != nullptr) CANNY_TRY(events->record_first(part, stream));
  CANNY_TRY(queue());
  return events != nullptr ? events->record_last(part, stream) : Status();
}

}  // namespace canny::cuda
