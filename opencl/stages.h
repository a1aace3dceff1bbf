// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of frames: their kernels, and the memory between them.
#pragma once

#include "canny/plan.h"
#include "opencl/front.h"
#include "opencl/hysteresis.h"
#include "opencl/output.h"

namespace canny::opencl {

/// Runs the stages of frames of one size at a time, one after the other. For one thread at a time.
class Stages {
 public:
  /// Compiles all kernels. Call once, before anything else.
  Status open(const Device& device);
  /// Allocates memory for frames of this size.
  Status set_size(int width, int height);

  /// Queues all stages of a frame. Waits for earlier work where the plan measures thresholds, or
  /// has another blur or palette than the frame before. Its pixels are in buffers; `region`, if not
  /// null, is in words like Front::candidate(). `output` has the format and the kind of chroma of
  /// the output.
  Status run(const Plan& plan, const Image& from, const Buffer* region, const Frame& output,
             const Image& to);
  /// Waits for the last frame, and sets the number of edges and the thresholds.
  Status finish(const Plan& plan, Result* result);

  Queue& queue() { return queue_; }
  Front& front() { return front_; }
  Hysteresis& hysteresis() { return hysteresis_; }
  Output& output() { return output_; }

 private:
  Status show(const Plan& plan);

  Queue queue_;  // outlives the others
  Front front_;
  Hysteresis hysteresis_;
  Output output_;
  int width_ = 0, height_ = 0;
  Buffer values_;  // of a view that shows no edges, a byte a pixel
};

}  // namespace canny::opencl
