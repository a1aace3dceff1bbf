// SPDX-License-Identifier: LGPL-2.1-or-later
// The region of a frame as bits on the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "canny/canny.h"
#include "canny/rectangles.h"
#include "cuda/launch.h"
#include "cuda/plane.h"
#include "cuda/tuning.h"

namespace canny::cuda {

/// A bit for each pixel that may be an edge, in device memory, as kernels get it. Without words all
/// pixels may be.
struct RegionPlane {
  TilePlane bits;          ///< 0 in rows below the last pixel, too
  std::uint32_t* has_any;  ///< for each tile, whether it has a bit

  CANNY_HOST_DEVICE bool is_set() const { return bits.words != nullptr; }
};

/// The boxes that a kernel gets as an argument. More go through device memory.
inline constexpr int kFewBoxes = 8;
/// The boxes that the device reads. The host unites more.
inline constexpr std::size_t kMostBoxes = 4096;

/// Boxes as a kernel gets them.
struct Boxes {
  Box few[kFewBoxes] = {};
  const Box* many = nullptr;  ///< in device memory, instead of `few`
  std::int64_t count = 0;
};

/// A region as the device reads it: boxes, bits, or a mask.
struct RegionSource {
  Boxes boxes;
  const std::uint32_t* bits = nullptr;  ///< in device memory, instead of boxes: rows of words
  BasicPlane<const std::uint8_t> mask;  ///< in device memory, instead of boxes
};

/// Queues the kernels that set the bits of the regions of all pictures, one for each.
Status set_regions(const RegionSource* sources, const RegionPlane& regions, Launcher* launcher);

/// Clears the bits of both planes that are outside the region.
Status drop_outside(const RegionPlane& region, const TilePlane& candidate, const TilePlane& strong,
                    Launcher* launcher);

#ifdef __CUDACC__

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

#endif

}  // namespace canny::cuda
