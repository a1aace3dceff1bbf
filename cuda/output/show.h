// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the views that show values, on the GPU, with chroma without color if the output has any.
#pragma once

#include "canny/canny.h"
#include "cuda/front/front.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Writes a view of the blurred images or of their gradients: kGradient, kSuppressed, kDirection,
/// kLuma or kBlurred. Both frames are in device memory.
Status show_images(const FrontArguments& arguments, const Frame& output, Launcher* launcher);

/// Writes kClasses: what the front end finds.
Status show_classes(const Plan& plan, const TilePlane& candidate, const TilePlane& strong,
                    const Frame& output, Launcher* launcher);

/// Writes kPasses. Overwrites both planes.
Status show_passes(const Plan& plan, const TilePlane& candidate, const TilePlane& strong,
                   const HysteresisBuffers& buffers, const Frame& output, Launcher* launcher);

}  // namespace canny::cuda
