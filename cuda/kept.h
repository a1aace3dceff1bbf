// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels that non-maximum suppression keeps, of which thresholds are not known yet: for separable
// operators of 3x3 pixels.
#pragma once

#include "canny/canny.h"
#include "cuda/front.h"
#include "cuda/images.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Adds the lengths of the pixels in arguments.candidate to `*arguments.histogram`.
Status count_kept(const FrontArguments& arguments, const Images& images, Launcher* launcher);

/// Removes the pixels from arguments.candidate that are not above the low threshold of the plan,
/// and fills arguments.strong.
Status split_kept(const FrontArguments& arguments, const Images& images, Launcher* launcher);

}  // namespace canny::cuda
