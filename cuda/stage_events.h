// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the stages and copies of a frame with events.
#pragma once

#include <cuda_runtime.h>

#include "canny/canny.h"
#include "cuda/check.h"

namespace canny::cuda {

/// The stages and copies of a frame that StageTimes has times of.
enum class TimedStage { kUpload, kFront, kHysteresis, kOutput, kDownload };
inline constexpr int kTimed = 5;

/// The events of a frame, two for each stage and copy. The device must be current in every call.
class StageEvents {
 public:
  StageEvents() = default;
  StageEvents(const StageEvents&) = delete;
  StageEvents& operator=(const StageEvents&) = delete;

  /// Begins a frame: creates the events unless they exist, and forgets what was recorded.
  Status begin();
  /// Records the event before, or after, the work of a stage or copy on a stream.
  Status record_first(TimedStage timed, cudaStream_t stream);
  Status record_last(TimedStage timed, cudaStream_t stream);
  /// Sets the times of what was recorded, and the others to 0. Call when all of the
  /// frame's work is done.
  Status read(StageTimes* times) const;
  /// Destroys the events. The streams must be idle.
  void release();

 private:
  struct Pair {
    cudaEvent_t first = nullptr, last = nullptr;
    bool is_recorded = false;
  };
  Status read(TimedStage timed, std::uint64_t* nanoseconds) const;

  Pair pairs_[kTimed];
};

/// Calls queue(), which queues the work of a stage or copy on a stream, between two events. Without
/// `events` it only calls queue().
template <class Queue>
Status between_events(StageEvents* events, TimedStage timed, cudaStream_t stream, Queue queue) {
  if (events != nullptr) CANNY_TRY(events->record_first(timed, stream));
  CANNY_TRY(queue());
  return events != nullptr ? events->record_last(timed, stream) : Status();
}

}  // namespace canny::cuda
