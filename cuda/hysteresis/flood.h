// SPDX-License-Identifier: LGPL-2.1-or-later
// Grows sets of pixels through the connected ones of a tile, a row per lane of a warp.
#pragma once

#include <cstdint>

#include "canny/bits.h"

namespace canny::cuda {

/// The runs of `mask` that contain a bit of `seeds`, from that bit on: a sum's carry goes through a
/// run to its end.
__device__ inline std::uint32_t fill_up(std::uint32_t mask, std::uint32_t seeds) {
  return seeds | (mask & ~(mask + seeds));
}

/// The pixels above and below a lane's row. In the first and the last lane, one of them is the row
/// itself.
__device__ inline std::uint32_t rows_beside(std::uint32_t row) {
  return __shfl_up_sync(~0u, row, 1) | __shfl_down_sync(~0u, row, 1);
}

/// A step of flood(): fills the runs of `mask` that *reached is in, mirrors everything, and enters
/// the rows beside. Returns whether there was anything to enter; if not, *reached is complete.
__device__ inline bool flood_step(std::uint32_t mask, std::uint32_t mirrored_mask,
                                  std::uint32_t* reached) {
  const std::uint32_t filled = fill_up(mirrored_mask, __brev(fill_up(mask, *reached)));
  const std::uint32_t entered = mirrored_mask & spread(rows_beside(filled)) & ~filled;
  *reached = filled | entered;
  return __any_sync(~0u, entered != 0);
}

/// Grows *reached, a subset of `mask`, through `mask` in a tile, one row per lane. Returns whether
/// it is complete. That takes a step for each row that a path enters, and one more. `max_steps` is
/// even: every other step begins with mirrored rows, which saves mirroring them back.
__device__ inline bool flood(std::uint32_t mask, int max_steps, std::uint32_t* reached) {
  const std::uint32_t mirrored_mask = __brev(mask);
#pragma unroll 1
  for (int step = 0; step < max_steps; step += 2) {
    const bool entered = flood_step(mask, mirrored_mask, reached);
    if (!entered) *reached = __brev(*reached);
    if (!entered || !flood_step(mirrored_mask, mask, reached)) return true;
  }
  return false;
}

}  // namespace canny::cuda
