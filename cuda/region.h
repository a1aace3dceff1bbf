// SPDX-License-Identifier: LGPL-2.1-or-later
// The region of a frame as bits on the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "canny/canny.h"
#include "canny/rectangles.h"
#include "cuda/launch.h"
#include "cuda/plane.h"

namespace canny::cuda {

/// A bit for each pixel that may be an edge, in device memory, as kernels get it. Without words all
/// pixels may be.
struct RegionPlane {
  TilePlane bits;          ///< 0 in rows below the last pixel, too
  std::uint32_t* has_any;  ///< for each tile, whether it has a bit

  CANNY_HOST_DEVICE bool is_set() const { return bits.words != nullptr; }

  /// Whether a pixel may be an edge, if there are words.
  __device__ bool contains(int x, int y) const {
    return (bits.word(x / kTile, y) >> x % kTile & 1) != 0;
  }
};

/// The boxes that a kernel gets as an argument. More go through device memory.
inline constexpr int kFewBoxes = 8;
/// The boxes that the device reads. The host unites more.
inline constexpr std::size_t kMostBoxes = 4096;

/// A region as the device reads it: boxes, bits, or a mask.
struct RegionSource {
  Box few[kFewBoxes] = {};
  const Box* many = nullptr;            ///< in device memory, instead of `few`
  std::int64_t count = 0;               ///< of boxes
  const std::uint32_t* bits = nullptr;  ///< in device memory, instead of boxes: rows of words
  BasicPlane<const std::uint8_t> mask;  ///< in device memory, instead of boxes
};

/// Queues the kernels that set the bits of the regions of all pictures, one for each.
Status set_regions(const RegionSource* sources, const RegionPlane& regions, Launcher* launcher);

/// Clears the bits of both planes that are outside the region.
Status drop_outside(const RegionPlane& region, const TilePlane& candidate, const TilePlane& strong,
                    Launcher* launcher);

}  // namespace canny::cuda
