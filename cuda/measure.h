// SPDX-License-Identifier: LGPL-2.1-or-later
// Derives the thresholds of a frame from its pixels, on the GPU.
#pragma once

#include "canny/canny.h"
#include "cuda/front.h"
#include "cuda/images.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Sets all counts to 0.
Status clear_histogram(Histogram* histogram, Launcher* launcher);

/// Computes `*arguments.measured` from the histogram as the plan says.
Status derive_thresholds(const FrontArguments& arguments, Launcher* launcher);

/// Computes `*arguments.measured` as the plan says, whose mode must not be kAbsolute. If that needs
/// the blurred images of the frame, sets `*images` to them; otherwise their count becomes 0.
Status measure(const FrontArguments& arguments, Images* images, Launcher* launcher);

}  // namespace canny::cuda
