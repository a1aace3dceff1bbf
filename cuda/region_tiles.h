// SPDX-License-Identifier: LGPL-2.1-or-later
// Leaves out the parts of a frame that its region misses.
#pragma once

#include <cstdint>

#include "cuda/region.h"
#include "cuda/tuning.h"

namespace canny::cuda {

/// Whether none of width x height pixels from (x, y) on, the first of which is in the image, may be
/// an edge; tiles of 32x32 pixels count as a whole. All lanes of a warp call this with equal
/// arguments.
__device__ inline bool is_outside(const RegionPlane& region, int x, int y, int width, int height) {
  if (!region.is_set()) return false;
  const TilePlane& bits = region.bits;
  const int first_x = x / kTile, last_x = min((x + width - 1) / kTile, bits.columns() - 1);
  const int first_y = y / kTile, last_y = min((y + height - 1) / kTile, bits.rows() - 1);
  const int columns = last_x - first_x + 1, tiles = columns * (last_y - first_y + 1);
  std::uint32_t found = 0;
  for (int i = threadIdx.x % kWarp; i < tiles; i += kWarp)
    found |= region.has_any[bits.tile(first_x + i % columns, first_y + i / columns)];
  return !__any_sync(~0u, found != 0);
}

/// Clears the words of width x height pixels from (x, y) on, as far as they are in the image. x and
/// the width are multiples of a word. The threads of a block share the work.
__device__ inline void clear_words(const TilePlane& candidate, const TilePlane& strong, int x,
                                   int y, int width, int height) {
  const int words = min(width / kWordBits, candidate.columns() - x / kWordBits);
  const int rows = min(height, candidate.height - y);
  for (int i = threadIdx.x; i < words * rows; i += blockDim.x) {
    const int word = x / kWordBits + i % words, row = y + i / words;
    candidate.word(word, row) = 0;
    strong.word(word, row) = 0;
  }
}

}  // namespace canny::cuda
