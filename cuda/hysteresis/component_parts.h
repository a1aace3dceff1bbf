// SPDX-License-Identifier: LGPL-2.1-or-later
// What the kernels of components share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/hysteresis/components.h"

namespace canny::cuda {

// ---- ComponentBuffers::counts ----

// All parts of a tile may be closed, so these need a bit more than the number of a part.
__device__ inline std::uint16_t counts_of(unsigned open, unsigned closed) {
  static_assert(kTileParts < 1 << 9);
  return static_cast<std::uint16_t>(open << 9 | closed);
}
__device__ inline unsigned open_count(unsigned counts) { return counts >> 9; }
__device__ inline unsigned closed_count(unsigned counts) { return counts & 0x1ff; }

// ---- parts, and the components that they are ----

__device__ inline TilePart* parts_of(const ComponentBuffers& buffers, int tile) {
  return buffers.parts + static_cast<std::size_t>(tile) * kTileParts;
}

__device__ inline std::uint32_t first_of(const TilePart& part, int tile_x, int tile_y) {
  return (part.place & 0xffffff) + (tile_y * kTile << 16 | tile_x * kTile);
}

__device__ inline ComponentSum sum_of(const TilePart& part, int tile_x, int tile_y) {
  const std::uint32_t count = part.pixels & 0xffff;
  const unsigned x = tile_x * kTile, y = tile_y * kTile;
  return {count,
          part.pixels >> 16,
          first_of(part, tile_x, tile_y),
          x + __ffs(part.columns) - 1,
          x + 31 - __clz(part.columns),
          y + (part.place >> 24),
          (part.sums & 0xffff) + 1ull * count * x,
          (part.sums >> 16) + 1ull * count * y};
}

/// Lists the components whose sums are complete.
Status list_components(const TilePlane& plane, const ComponentBuffers& buffers,
                       const ComponentList& list, Launcher* launcher);

}  // namespace canny::cuda
