// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the stages and copies of a frame.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "opencl/queue.h"

namespace canny::opencl {

/// Work in a queue, from its begin to its end.
class Span {
 public:
  /// Calls work(), which queues the work, between two marks.
  template <class Work>
  Status queue(const Queue& queue, Work work) {
    CANNY_TRY(queue.mark(&begin_));
    CANNY_TRY(work());
    return queue.mark(&end_);
  }
  void release() {
    begin_.release();
    end_.release();
  }

  /// Sets how many nanoseconds of the device's clock the work took, at least 1, or 0 if there is
  /// none. The work must be done.
  Status read(const Device& device, std::uint64_t* nanoseconds) const {
    *nanoseconds = 0;
    if (!end_.is_set()) return {};
    std::uint64_t begin = 0, end = 0;
    CANNY_TRY(begin_.read_time(device, &begin));
    CANNY_TRY(end_.read_time(device, &end));
    *nanoseconds = end > begin ? end - begin : 1;
    return {};
  }

 private:
  Event begin_, end_;
};

/// Calls work(), which queues work, and measures it unless `span` is null.
template <class Work>
Status run_timed(const Queue& queue, Span* span, Work work) {
  return span != nullptr ? span->queue(queue, work) : work();
}

/// The stages and copies of a frame, as StageTimes has them.
struct Spans {
  Span upload, front, hysteresis, output, download;

  void release() {
    for (Span* span : {&upload, &front, &hysteresis, &output, &download}) span->release();
  }
  Status read(const Device& device, StageTimes* times) const {
    CANNY_TRY(upload.read(device, &times->upload));
    CANNY_TRY(front.read(device, &times->front));
    CANNY_TRY(hysteresis.read(device, &times->hysteresis));
    CANNY_TRY(output.read(device, &times->output));
    return download.read(device, &times->download);
  }
};

}  // namespace canny::opencl
