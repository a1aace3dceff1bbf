// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into candidate and strong bits: the front ends.
#pragma once

#include "canny/auto_threshold.h"
#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/front/buffers.h"
#include "cuda/front/route.h"
#include "cuda/launch.h"
#include "cuda/plane.h"
#include "cuda/progress.h"
#include "cuda/region.h"

namespace canny::cuda {

inline constexpr Taps kNoBlur;

/// The pixels, in device memory at any alignment, and the planes to write.
struct FrontArguments {
  const Plan& plan;
  const FrontRoute& route;  ///< of the plan on the device
  ConstFrame input;         ///< the frame, its luma or a blurred image, for kernels that blur
  const Taps* blur;         ///< how much `input` is to be blurred
  const FrontBuffers& buffers;
  const TilePlane& candidate;
  const TilePlane& strong;
  // In device memory, for measured thresholds:
  Histogram* histogram;
  FrameThresholds* measured;
  FrontDevice device;
  RegionPlane region;  ///< where bits and counts matter; images are those of the whole frame, and
                       ///< bits outside may remain
  TileProgress progress;  ///< counts rows that strips have written; not set if nobody waits
};

// The last kernels of front ends. FrontEnd says which plans each one executes.
Status front_strip(const FrontArguments& arguments, Launcher* launcher);
Status front_strip_weighted(const FrontArguments& arguments, Launcher* launcher);
Status front_tile(const FrontArguments& arguments, Launcher* launcher);
Status front_deep_tile(const FrontArguments& arguments, Launcher* launcher);
Status front_generic(const FrontArguments& arguments, const Images& images, Launcher* launcher);

/// Computes the blurred images of a frame like blurred_images(), for the other sources that blur.
Status blur_strip(const FrontArguments& arguments, Images* images, Launcher* launcher);

/// Computes the blurred images of the frame, as its route says.
Status images_of(const FrontArguments& arguments, Images* images, Launcher* launcher);

/// Queues the kernels of the frame's route, whose end must not be a view.
Status front(const FrontArguments& arguments, Launcher* launcher);

/// Adds the luma of the frame to `*arguments.histogram`. The luma stays in the first image of the
/// buffers, unless the frame is its own luma.
Status count_luma(const FrontArguments& arguments, Launcher* launcher);

/// Adds the magnitudes of the blurred images, in the way that the route says.
Status count_magnitudes(const FrontArguments& arguments, const Images& images, Launcher* launcher);

// Pixels that suppression keeps, of which thresholds are not known yet: for FrontEnd::kMaxima.

/// Sets arguments.candidate to the pixels of the region that suppression keeps with a low threshold
/// of 0, and lists their magnitudes in buffers.maxima. The input is a blurred image.
Status list_maxima(const FrontArguments& arguments, Launcher* launcher);

/// Adds the lengths of these pixels to `*arguments.histogram`.
Status count_maxima(const FrontArguments& arguments, Launcher* launcher);

/// Removes the pixels from arguments.candidate that are not above the low threshold of the plan,
/// and fills arguments.strong.
Status split_maxima(const FrontArguments& arguments, Launcher* launcher);

}  // namespace canny::cuda
