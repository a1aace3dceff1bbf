// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the pixels of a frame in a histogram.
#pragma once

#include "canny/canny.h"
#include "cuda/front/front.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Adds the luma of the frame to `*arguments.histogram`. The luma stays in the first image of the
/// buffers, unless the frame is its own luma.
Status count_luma(const FrontArguments& arguments, Launcher* launcher);

/// Adds the magnitudes of the blurred images, in the way that the route says.
Status count_magnitudes(const FrontArguments& arguments, const Images& images, Launcher* launcher);

}  // namespace canny::cuda
