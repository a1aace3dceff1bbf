// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels that non-maximum suppression keeps, of which thresholds are not known yet: for thin edges
// of luma by separable operators of 3x3 pixels, on devices of kStripCapability and up.
#pragma once

#include "canny/canny.h"
#include "cuda/front/front.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Sets arguments.candidate to the pixels of the region that suppression keeps with a low threshold
/// of 0, and lists their magnitudes in buffers.maxima. The input is a blurred image.
Status list_maxima(const FrontArguments& arguments, Launcher* launcher);

/// Adds the lengths of these pixels to `*arguments.histogram`.
Status count_maxima(const FrontArguments& arguments, Launcher* launcher);

/// Removes the pixels from arguments.candidate that are not above the low threshold of the plan,
/// and fills arguments.strong.
Status split_maxima(const FrontArguments& arguments, Launcher* launcher);

}  // namespace canny::cuda
