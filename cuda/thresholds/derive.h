// SPDX-License-Identifier: LGPL-2.1-or-later
// Derives the thresholds of a frame from a histogram of its pixels, on the GPU.
#pragma once

#include "canny/canny.h"
#include "cuda/front/front.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Sets all counts to 0.
Status clear_histogram(Histogram* histogram, Launcher* launcher);

/// Computes `*arguments.measured` from the histogram as the plan says.
Status derive_thresholds(const FrontArguments& arguments, Launcher* launcher);

}  // namespace canny::cuda
