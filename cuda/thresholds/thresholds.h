// SPDX-License-Identifier: LGPL-2.1-or-later
// The thresholds as kernels get them: constants of the plan, or numbers in device memory that are
// derived from a histogram.
#pragma once

#include "canny/auto_threshold.h"
#include "canny/plan.h"
#include "cuda/launch.h"

namespace canny::cuda {

template <class Limits, Limits FrameThresholds::*kLimits>
struct BasicThresholdArguments {
  Limits constant;
  const FrameThresholds* measured;  ///< in device memory, one per picture; null = `constant`

  /// Those that a plan asks for. A stage of the frame stores thresholds in `measured`.
  static BasicThresholdArguments of(const Plan& plan, const FrameThresholds* measured) {
    return {plan.constant.*kLimits, plan.has_measured_thresholds() ? measured : nullptr};
  }
  /// Call after wait_for_previous_kernel(), since an earlier kernel may have measured them.
  __device__ Limits get() const {
    return measured == nullptr ? constant : measured[blockIdx.z].*kLimits;
  }
};
using ThresholdArguments = BasicThresholdArguments<Thresholds, &FrameThresholds::thresholds>;
/// Likewise for magnitudes of deep samples.
using DeepThresholdArguments =
    BasicThresholdArguments<DeepThresholds, &FrameThresholds::deep_thresholds>;

/// Sets all counts of each picture's histogram to 0.
Status clear_histogram(Histogram* histogram, Launcher* launcher);

/// Computes `measured`, one per picture in device memory like the histograms, as the plan says.
/// `is_busy` says whether other frames use the device.
Status derive_thresholds(const Plan& plan, const Histogram* histogram, bool is_busy,
                         FrameThresholds* measured, Launcher* launcher);

}  // namespace canny::cuda
