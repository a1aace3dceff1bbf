// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the components of an edge map on the GPU.
#pragma once

#include <cstdint>

#include "canny/bits.h"
#include "canny/components.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"
#include "cuda/report.h"

namespace canny::cuda {

/// Components within a tile, and parts of others, have kTileParts places: at most one of them has
/// pixels in each 2x2 pixels.
inline constexpr int kTileParts = kTile * kTile / 4;

/// The pixels of a component in a tile. Coordinates, within the tile, are at most 31.
struct alignas(16) TilePart {
  std::uint32_t pixels;   ///< strong ones in the upper 16 bits
  std::uint32_t sums;     ///< of columns; of rows in the upper 16 bits
  std::uint32_t columns;  ///< a bit for each that has pixels
  std::uint32_t place;    ///< of the first pixel: row << 16 | column; the last row << 24
};

/// All pixels of a component.
struct ComponentSum {
  std::uint32_t pixels, strong_pixels;
  std::uint32_t first;  ///< row << 16 | column of the first one
  std::uint32_t left, right, bottom;
  unsigned long long sum_x, sum_y;
};

/// Device memory for find_components().
struct ComponentBuffers {
  std::uint32_t* edges = nullptr;    ///< a plane's words, see HysteresisBuffers
  std::uint32_t* borders = nullptr;  ///< a plane's words: parts at the borders of tiles
  std::uint16_t* counts = nullptr;   ///< per tile: counts_of() open components and others
  TilePart* parts = nullptr;  ///< kTileParts per tile: open components from the first place on,
                              ///< the others from the last one back
  std::uint32_t* parent = nullptr;  ///< forest of open components, forest_nodes() entries
  ComponentSum* sums = nullptr;     ///< likewise: a root has those of its tree
  uint2* firsts = nullptr;  ///< for each word of a plane: the first pixels of components; and how
                            ///< many are left of it in a warp's tiles
  std::uint32_t* counted = nullptr;      ///< per row of tiles: its components, when they are known
  unsigned long long* listed = nullptr;  ///< per picture, see Reporter
};

/// What find_components() looks for, and page-locked memory for what it finds.
struct ComponentList {
  Component* components = nullptr;  ///< `most` per picture
  Report* reports = nullptr;  ///< per picture, with the number of components instead of edges, all
                              ///< that there are
  std::uint32_t most = 0;
  std::uint32_t min_pixels = 1;
};

/// Lists the components of `*edges`, all of which become decided, in their order.
Status find_components(const TilePlane& strong, const ComponentBuffers& buffers,
                       const ComponentList& list, Edges* edges, Launcher* launcher);

/// The last step of find_components(): lists the components, whose sums are complete.
Status list_components(const TilePlane& plane, const ComponentBuffers& buffers,
                       const ComponentList& list, Launcher* launcher);

#ifdef __CUDACC__

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

#endif

}  // namespace canny::cuda
