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

/// Likewise, after counting the luma of the frame. It stays in the first image of the buffers,
/// unless the frame is its own luma.
Status measure_luma(const FrontArguments& arguments, Launcher* launcher);

/// Likewise, after counting the magnitudes of the blurred images.
Status measure_magnitudes(const FrontArguments& arguments, const Images& images,
                          Launcher* launcher);

}  // namespace canny::cuda
