// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end with one kernel for each stage.
#pragma once

#include "opencl/front_memory.h"

namespace canny::opencl {

/// Runs the stages of any plan. For one thread at a time.
class PlainFront {
 public:
  /// Compiles the kernels for samples of the plan's depth, unless they are there.
  Status prepare(const Queue& queue, bool is_deep);
  /// As Front::run() and Front::show(), after prepare().
  Status run(const Plan& plan, const Image& image, const Buffer* region, FrontMemory* memory);
  Status show(const Plan& plan, const FrontMemory& memory, const Buffer& values);
  /// Queues the stages up to the blur.
  Status find_blurred(const Plan& plan, const Image& image, FrontMemory* memory);
  /// Call with no work pending.
  void release();

 private:
  // The kernels for samples of one depth.
  struct Kernels {
    bool are_open = false;
    Program program;
    Kernel sample, blur_rows, blur_columns, gradient, count_lengths, count_luma, suppress,
        show_gradient, show_samples;
  };

  const Kernels& kernels(const Plan& plan) const { return kernels_[plan.is_deep]; }
  Status open(const Queue& queue, bool is_deep);
  Status write_taps(const Queue& queue, const Taps& taps);
  Status count_luma(const Plan& plan, const Image& image, const Buffer* region,
                    FrontMemory* memory);
  Status count_lengths(const Plan& plan, const Buffer* region, FrontMemory* memory);
  Status suppress(const Plan& plan, const Buffer* region, const FrontMemory& memory);

  Kernels kernels_[2];  // of 8 bits, and of more
  Buffer sums_, magnitudes_, sectors_, taps_;
  Taps written_taps_;      // in taps_
  bool has_taps_ = false;  // whether taps_ has them
};

}  // namespace canny::opencl
