// SPDX-License-Identifier: LGPL-2.1-or-later
// The thresholds as kernels get them: constants of the plan, or numbers in device memory.
#pragma once

#include "canny/measure.h"
#include "canny/plan.h"

namespace canny::cuda {

struct ThresholdArguments {
  Thresholds constant;
  const Thresholds* measured;  ///< in device memory; nullptr selects `constant`

  /// Call after wait_for_previous_kernel(), since an earlier kernel may have measured them.
  __device__ Thresholds get() const { return measured == nullptr ? constant : *measured; }
};

/// Returns the arguments that a plan asks for. A stage of the frame stores thresholds in
/// `*measured`.
inline ThresholdArguments threshold_arguments(const Plan& plan, const Measured* measured) {
  const bool is_constant = plan.threshold_source == ThresholdSource::kConstant;
  return {plan.thresholds, is_constant ? nullptr : &measured->thresholds};
}

}  // namespace canny::cuda
