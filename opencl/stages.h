// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of frames: their kernels, and the memory between them.
#pragma once

#include "canny/plan.h"
#include "canny/stage_marks.h"
#include "opencl/front/front.h"
#include "opencl/hysteresis.h"
#include "opencl/output.h"
#include "opencl/transfer.h"

namespace canny::opencl {

using StageMarks = canny::StageMarks<Event>;

/// What the stages read and write of a frame.
struct StageFrame {
  Image from, to;
  const Buffer* region = nullptr;  ///< in words like Front::candidate(), null = the whole frame
  Frame output;                    ///< its format, and the kind of its chroma
  BitsDownload* strong = nullptr;  ///< keeps the strong pixels, null = not wanted
  Buffer* numbers = nullptr;       ///< gets Numbers: counts, 0 of those that are not asked for, and
                                   ///< thresholds if Front::device_measured()
  StageMarks* marks = nullptr;     ///< for a plan that measures stages, else null
};

/// Runs the stages of frames of one size, one frame after the other. For one thread at a time.
class Stages {
 public:
  /// Compiles kernels; see Front::open(). Call once, before anything else. With
  /// CANNY_OPENCL_KERNELS=generic in the environment, runs those that take any plan where faster
  /// ones could.
  Status open(const Device& device);
  /// Allocates memory for frames of this size.
  Status set_size(int width, int height);

  /// Queues all stages of a frame. Waits for earlier work where the plan has another palette than
  /// the frame before, or the host measures thresholds; see Front::run().
  Status run(const Plan& plan, const StageFrame& frame);

  const Queue& queue() const { return queue_; }
  Front& front() { return front_; }
  Hysteresis& hysteresis() { return hysteresis_; }
  Output& output() { return output_; }

 private:
  class FrameStages;

  Queue queue_;  // outlives the others
  Front front_;
  Hysteresis hysteresis_;
  Output output_;
  Buffer values_;  // of a view that shows no edges, a byte a pixel
};

}  // namespace canny::opencl
