// SPDX-License-Identifier: LGPL-2.1-or-later
// What the kernels of front ends are launched with.
#pragma once

#include "canny/auto_threshold.h"
#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/front/buffers.h"
#include "cuda/front/route.h"
#include "cuda/plane.h"
#include "cuda/progress.h"
#include "cuda/region.h"

namespace canny::cuda {

/// Taps as the matrices that strips multiply by: kProducts for each direction, and one entry per
/// lane.
template <int kProducts>
struct TapTables {
  uint4 rows[kProducts][32], columns[kProducts][32];
};
inline constexpr int kMostProducts = 3;

inline constexpr Taps kNoBlur;

/// The tables of the taps that were last used.
struct TapCache {
  Taps taps;
  TapTables<kMostProducts> tables = {};
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
  // In device memory, for measured thresholds:
  Histogram* histogram;
  Measured* measured;
  FrontDevice device;
  TapCache* taps;
  RegionPlane region;  ///< where bits and counts matter; images are those of the whole frame, and
                       ///< bits outside may remain
  TileProgress progress;  ///< counts rows that strips have written; not set if nobody waits
};

}  // namespace canny::cuda
