// SPDX-License-Identifier: LGPL-2.1-or-later
// Derives the thresholds of a frame from a histogram of its pixels, on the GPU.
#pragma once

#include "canny/auto_threshold.h"
#include "canny/plan.h"
#include "canny/status.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Sets all counts of each picture's histogram to 0.
Status clear_histogram(Histogram* histogram, Launcher* launcher);

/// Computes `measured`, one per picture in device memory like the histograms, as the plan says.
/// `is_busy` says whether other frames use the device.
Status derive_thresholds(const Plan& plan, const Histogram* histogram, bool is_busy,
                         Measured* measured, Launcher* launcher);

}  // namespace canny::cuda
