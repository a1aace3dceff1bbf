// SPDX-License-Identifier: LGPL-2.1-or-later
// How far a kernel is, tile by tile: warps of the next kernel, which has started early, begin with
// a tile before the others are done. progress_counters.h has what kernels call.
#pragma once

#include <cstdint>

#include "canny/bits.h"

namespace canny::cuda {

/// Counters of what is done, one per tile, in device memory; all are 0 between frames. A block that
/// adds to them has called start_next_kernel() before. So warps that wait for it exist only when
/// all blocks that they wait for run, and take no room that these need. One warp waits for each
/// tile.
struct TileProgress {
  std::uint32_t* done = nullptr;  ///< null: the next kernel waits for all of the previous one

  CANNY_HOST_DEVICE bool is_set() const { return done != nullptr; }
};

/// The counters of a frame.
struct FrameProgress {
  TileProgress rows;       ///< rows of both planes that strips have written; not set without strips
  TileProgress neighbors;  ///< labeled tiles among a tile and those to the left of it and above
};

}  // namespace canny::cuda
