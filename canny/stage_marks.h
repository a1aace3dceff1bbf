// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the stages and copies of a frame on a device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "canny/canny.h"
#include "canny/try.h"

namespace canny {

/// A member of StageTimes.
using StageTime = std::uint64_t StageTimes::*;
inline constexpr StageTime kStageTimes[] = {&StageTimes::upload, &StageTimes::front,
                                            &StageTimes::hysteresis, &StageTimes::output,
                                            &StageTimes::download};
static_assert(sizeof(StageTimes) == std::size(kStageTimes) * sizeof(std::uint64_t));

/// Marks around the stages and copies of a frame. A Mark is a point in a device's queue:
/// set(queue) puts it at the end of what is queued, and nanoseconds_since(mark, &nanoseconds)
/// returns a Status once the device has passed both.
template <class Mark>
class StageMarks {
 public:
  /// Begins a frame: forgets what was measured.
  void begin() {
    for (Pair& pair : pairs_) pair.is_set = false;
  }
  /// Returns work(), which queues a stage or copy, and puts marks around it.
  template <class Queue, class Work>
  Status measure(StageTime time, const Queue& queue, Work work) {
    Pair& pair = pairs_[std::find(std::begin(kStageTimes), std::end(kStageTimes), time) -
                        std::begin(kStageTimes)];
    CANNY_TRY(pair.first.set(queue));
    CANNY_TRY(work());
    CANNY_TRY(pair.last.set(queue));
    pair.is_set = true;
    return {};
  }
  /// Sets the times of what was measured, at least 1 ns, and the others to 0. Call when all of the
  /// frame's work is done.
  Status read(StageTimes* times) const {
    *times = {};
    for (std::size_t i = 0; i < std::size(kStageTimes); ++i) {
      if (!pairs_[i].is_set) continue;
      std::uint64_t nanoseconds = 0;
      CANNY_TRY(pairs_[i].last.nanoseconds_since(pairs_[i].first, &nanoseconds));
      times->*kStageTimes[i] = std::max<std::uint64_t>(nanoseconds, 1);
    }
    return {};
  }

 private:
  struct Pair {
    Mark first, last;
    bool is_set = false;
  };
  Pair pairs_[std::size(kStageTimes)];
};

/// As StageMarks::measure(), or without marks only work().
template <class Mark, class Queue, class Work>
Status timed(StageMarks<Mark>* marks, StageTime time, const Queue& queue, Work work) {
  return marks != nullptr ? marks->measure(time, queue, work) : work();
}

}  // namespace canny
