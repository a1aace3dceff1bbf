// SPDX-License-Identifier: LGPL-2.1-or-later
// Grows sets of pixels through the connected ones of a tile, and a pass of the bounded hysteresis,
// for kernels that do more with what it finds. A warp takes a tile, a row per lane; a block of a
// pass takes kPassTiles tiles.
#pragma once

#include <cstdint>

#include "canny/bits.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/plane.h"
#include "cuda/tuning.h"

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

// ---- a pass ----

/// The pixels of a lane's row of a tile that touch an edge outside the tile.
__device__ inline std::uint32_t touched_from_outside(const TilePlane& edges, int tile_x, int y) {
  const auto beside = [&](int row) {
    return edges.at(tile_x - 1, row) >> (kTile - 1) | edges.at(tile_x + 1, row) << (kTile - 1);
  };
  const std::uint32_t sides = beside(y);
  std::uint32_t touched = sides | rows_beside(sides);
  if (threadIdx.x == 0 || threadIdx.x == kTile - 1) {
    const int outside = threadIdx.x == 0 ? y - 1 : y + 1;
    touched |= spread(edges.at(tile_x, outside)) | beside(outside);
  }
  return touched;
}

/// Computes E(pass + 1), in `to`, from E(pass) in `from`; E(0) are the strong pixels. Returns the
/// pixels of the lane's row that are new. grew[i] tells whether pass i changed anything. After a
/// pass without changes there is nothing to do: `to`, which holds E(pass - 1), equals E(pass). All
/// threads call this. Pass 0 sets the picture's count to 0.
__device__ inline std::uint32_t run_pass(int pass, const TilePlane& candidate,
                                         const TilePlane& from, const TilePlane& to,
                                         std::uint32_t* grew, unsigned long long* count) {
  const int tile_x = blockIdx.x * kPassTiles + threadIdx.y, y = blockIdx.y * kTile + threadIdx.x;
  grew += blockIdx.z * kPassFlags;
  if (tile_x == 0 && y == 0) {
    grew[pass + 1] = 0;
    if (pass == 0) count[blockIdx.z] = 0;
  }
  if (pass > 1 && grew[pass - 1] == 0) return 0;  // grew[0] is not known to be 0 before pass 0
  if (tile_x >= candidate.columns()) return 0;    // the whole warp
  const std::uint32_t mask = candidate.at(tile_x, y), before = from.at(tile_x, y);
  std::uint32_t edges = before;
  if (__any_sync(~0u, mask != before)) {
    edges |= mask & touched_from_outside(from, tile_x, y);
    // Older edges of the tile have been flooded, except the strong pixels.
    if (pass == 0 || __any_sync(~0u, edges != before))
      flood(mask, kTile * kTile, &edges);  // no path has more steps
    if (pass > 0 && __any_sync(~0u, edges != before) && threadIdx.x == 0) grew[pass] = 1;
  }
  if (y < candidate.height) to.word(tile_x, y) = edges;
  return edges & ~before;
}

}  // namespace canny::cuda
