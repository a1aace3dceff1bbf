// SPDX-License-Identifier: LGPL-2.1-or-later
// A pass of the bounded hysteresis, for kernels that do more with what it finds. A warp takes a
// tile, a row per lane; a block takes kPassTiles tiles.
#pragma once

#include <cstdint>

#include "cuda/geometry.h"
#include "cuda/hysteresis/flood.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/plane.h"
#include "cuda/tuning.h"

namespace canny::cuda {

inline dim3 pass_grid(const TilePlane& plane) {
  return dim3(blocks(plane.columns(), kPassTiles), plane.rows());
}

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
