// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into candidate and strong bits: the front ends.
#pragma once

#include "canny/auto_threshold.h"
#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/front/images/images.h"
#include "cuda/front/route.h"
#include "cuda/launch.h"
#include "cuda/plane.h"
#include "cuda/progress.h"
#include "cuda/region.h"

namespace canny::cuda {

/// Taps as the matrices that front_strip() multiplies by: two products for each direction, and one
/// entry per lane.
struct TapTables {
  uint4 rows[2][32], columns[2][32];
};

inline constexpr Taps kNoBlur;

/// The tables of the taps that were last used.
struct TapCache {
  Taps taps;
  TapTables tables = {};
};

/// The pixels, in device memory at any alignment, and the planes to write.
struct FrontArguments {
  const Plan& plan;
  const FrontRoute& route;  ///< of the plan on the device
  ConstFrame input;         ///< the frame, its luma or a blurred image, for kernels that blur
  const Taps* blur;         ///< how much `input` is to be blurred
  const FrontBuffers& buffers;
  const TilePlane& candidate;
  const TilePlane& strong;
  // In device memory, for ThresholdSource::kMeasured:
  Histogram* histogram;
  Measured* measured;
  const FrontDevice& device;
  TapCache* taps;
  RegionPlane region;  ///< where bits and counts matter; images are those of the whole frame, and
                       ///< bits outside may remain
  TileProgress progress;  ///< counts rows that strips have written; not set if nobody waits
};

// The last kernels of front ends. FrontEnd says which plans each one executes.
Status front_strip(const FrontArguments& arguments, Launcher* launcher);
Status front_strip_weighted(const FrontArguments& arguments, Launcher* launcher);
Status front_tile(const FrontArguments& arguments, Launcher* launcher);
Status front_deep_tile(const FrontArguments& arguments, Launcher* launcher);
Status front_multipass(const FrontArguments& arguments, const Images& images, Launcher* launcher);
Status front_generic(const FrontArguments& arguments, const Images& images, Launcher* launcher);

/// Computes the blurred images of a frame like blurred_images(), for FrontSource::kBlurStrip and
/// kBlurColors.
Status blur_strip(const FrontArguments& arguments, Images* images, Launcher* launcher);

/// Computes the blurred images of the frame, as its route says.
Status images_of(const FrontArguments& arguments, Images* images, Launcher* launcher);

/// Queues the kernels of the frame's route, whose end must not be a view.
Status front(const FrontArguments& arguments, Launcher* launcher);

}  // namespace canny::cuda
