// SPDX-License-Identifier: LGPL-2.1-or-later
// Points in queues, for the times of stages.
#pragma once

#include <cstdint>

#include "canny/stage_marks.h"
#include "opencl/queue.h"

namespace canny::opencl {

/// An event. The queue must outlive it.
class Mark {
 public:
  Status set(const Queue& queue) {
    queue_ = &queue;
    return queue.mark(&event_);
  }
  Status nanoseconds_since(const Mark& first, std::uint64_t* nanoseconds) const {
    std::uint64_t begin = 0, end = 0;
    CANNY_TRY(first.event_.read_time(queue_->device(), &begin));
    CANNY_TRY(event_.read_time(queue_->device(), &end));
    *nanoseconds = end > begin ? end - begin : 0;
    return {};
  }
  void release() { event_.release(); }

 private:
  const Queue* queue_ = nullptr;
  Event event_;
};

using StageMarks = canny::StageMarks<Mark>;

}  // namespace canny::opencl
