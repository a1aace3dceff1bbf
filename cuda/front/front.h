// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into candidate and strong bits: the front ends.
#pragma once

#include "cuda/front/arguments.h"
#include "cuda/launch.h"

namespace canny::cuda {

// The last kernels of front ends. FrontEnd says which plans each one executes.
Status front_strip(const FrontArguments& arguments, Launcher* launcher);
Status front_strip_weighted(const FrontArguments& arguments, Launcher* launcher);
Status front_tile(const FrontArguments& arguments, Launcher* launcher);
Status front_deep_tile(const FrontArguments& arguments, Launcher* launcher);
Status front_multipass(const FrontArguments& arguments, const Images& images, Launcher* launcher);
Status front_generic(const FrontArguments& arguments, const Images& images, Launcher* launcher);

/// Computes the blurred images of a frame like blurred_images(), for the other sources that blur.
Status blur_strip(const FrontArguments& arguments, Images* images, Launcher* launcher);

/// Computes the blurred images of the frame, as its route says.
Status images_of(const FrontArguments& arguments, Images* images, Launcher* launcher);

/// Queues the kernels of the frame's route, whose end must not be a view.
Status front(const FrontArguments& arguments, Launcher* launcher);

}  // namespace canny::cuda
