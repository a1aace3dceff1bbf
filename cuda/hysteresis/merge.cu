// SPDX-License-Identifier: LGPL-2.1-or-later
// Joins the components of tiles, one tile per warp.
#include "cuda/hysteresis/hysteresis.h"

#include "cuda/hysteresis/forest.h"
#include "cuda/progress_counters.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// The node of the pixel at a bit of a row of a tile, as label_kernel() leaves it, or kNoPixel.
__device__ std::uint32_t node_of_pixel(const OpenComponents& components, int tile, int row,
                                       std::uint32_t edges, std::uint32_t open, unsigned bit) {
  if (edges >> bit & 1) return kStrong;
  if (!(open >> bit & 1)) return kNoPixel;
  const unsigned run = tile * kRunsPerTile + run_at(row, start_of_run(open, bit));
  return node_of(tile, components.of_run[run]);
}

// Joins nodes that touch across a border: see pair_at_border().
__device__ void join_sides(std::uint32_t* parent, std::uint32_t a, std::uint32_t b,
                           std::uint32_t a_before, std::uint32_t b_before) {
  const NodePair pair = pair_at_border(a, b, a_before, b_before);
  if (pair.exists()) join(parent, pair.a, pair.b);
}

// Whether any component lies at the upper or the left border of a tile, on either side. The whole
// warp calls this; a lane each asks the tile, the left one, the one above and that left of it.
__device__ bool may_join(const Edges& edges, int tile, int x, int y) {
  const int lane = threadIdx.x, left = lane & 1, above = lane >> 1;
  const bool is_there = lane < 4 && x >= left && y >= above;
  const int asked = is_there ? tile - left - above * edges.open.columns() : tile;
  const unsigned summary = edges.components.summary[asked];
  return __any_sync(~0u,
                    is_there && (lane == 0 ? is_open_at_first(summary) : is_open_at_last(summary)));
}

// The words at the borders that a tile has with its neighbors to the left and above: all rows of
// the tile and of the left one, and the last rows of the tile above and of that left of it.
struct BorderWords {
  std::uint32_t here, left, above, corner;
};

__device__ BorderWords border_words(const TilePlane& plane, int x, int y, bool has_left,
                                    bool has_above) {
  const int tile = plane.tile(x, y), above = tile - plane.columns(), lane = threadIdx.x;
  const bool exists = y * kTile + lane < plane.height;
  const auto row_of = [&](int of_tile, int row, bool is_there) {
    return is_there ? plane.row_of(of_tile, row) : 0;
  };
  return {row_of(tile, lane, exists), row_of(tile - 1, lane, exists && has_left),
          row_of(above, kTile - 1, has_above), row_of(above - 1, kTile - 1, has_above && has_left)};
}

// Each warp joins nodes across the upper and the left border of a tile. The upper border extends
// one pixel to the left. With kByTile, a warp begins when all tiles at these borders are
// labeled, and loads everything at once, since others wait for it.
template <bool kByTile>
__global__ void __launch_bounds__(kWarp* kMergeTiles)
    merge_kernel(Edges edges, TileProgress neighbors) {
  constexpr int kLast = kTile - 1;
  const int lane = threadIdx.x, x = blockIdx.x * kMergeTiles + threadIdx.y, y = blockIdx.y;
  const int here = edges.open.tile(x, y), left = here - 1, above = here - edges.open.columns();
  const bool has_left = x > 0, has_above = y > 0;
  if constexpr (kByTile) {
    if (x >= edges.open.columns()) return;  // the whole warp
    wait_for_progress(neighbors, here, (has_left ? 2 : 1) * (has_above ? 2 : 1));
    start_next_kernel();
  } else {
    wait_and_start_next();
    if (x >= edges.open.columns()) return;  // the whole warp
    if (!may_join(edges, here, x, y)) return;
  }
  const BorderWords open = border_words(edges.open, x, y, has_left, has_above);
  BorderWords all;
  if constexpr (kByTile) all = border_words(edges.decided, x, y, has_left, has_above);
  const std::uint32_t open_top = __shfl_sync(~0u, open.here, 0);
  const std::uint32_t open_top_left = __shfl_sync(~0u, open.left, 0);
  const bool joins_left =
      has_left && __any_sync(~0u, (open.here & 1) != 0 || open.left >> kLast != 0);
  const bool joins_above =
      has_above && ((open_top | open.above) != 0 || (open_top_left | open.corner) >> kLast != 0);
  if (!joins_left && !joins_above) return;

  if constexpr (!kByTile) all = border_words(edges.decided, x, y, has_left, joins_above);
  const OpenComponents& components = edges.components;
  if (joins_above) {
    const std::uint32_t top = __shfl_sync(~0u, all.here, 0);
    const std::uint32_t top_left = __shfl_sync(~0u, all.left, 0);
    join_sides(components.parent, node_of_pixel(components, here, 0, top, open_top, lane),
               node_of_pixel(components, above, kLast, all.above, open.above, lane),
               node_of_pixel(components, left, 0, top_left, open_top_left, kLast),
               node_of_pixel(components, above - 1, kLast, all.corner, open.corner, kLast));
  }
  __syncwarp();
  if (joins_left)
    join_sides(components.parent, node_of_pixel(components, here, lane, all.here, open.here, 0),
               node_of_pixel(components, left, lane, all.left, open.left, kLast), kNoPixel,
               kNoPixel);
}

}  // namespace

Status merge(const Edges& edges, const TileProgress& neighbors, Launcher* launcher) {
  const auto kernel = neighbors.is_set() ? merge_kernel<true> : merge_kernel<false>;
  return launcher->launch_tiles("merge kernel", kernel, edges.open, kMergeTiles, edges, neighbors);
}

}  // namespace canny::cuda
