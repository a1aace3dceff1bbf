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

/// Grows *reached, a subset of `mask`, through `mask` in a tile, one row per lane. Returns whether
/// it is complete. That takes a step for each row that a path enters, and one that changes nothing.
__device__ inline bool flood(std::uint32_t mask, int max_steps, std::uint32_t* reached) {
  const std::uint32_t mirrored_mask = __brev(mask);
#pragma unroll 2
  for (int step = 0; step < max_steps; ++step) {
    std::uint32_t grown = fill_up(mask, *reached);
    grown = __brev(fill_up(mirrored_mask, __brev(grown)));
    grown |= mask & spread(rows_beside(grown));
    const bool grew = grown != *reached;
    *reached = grown;
    if (!__any_sync(~0u, grew)) return true;
  }
  return false;
}

}  // namespace canny::cuda
