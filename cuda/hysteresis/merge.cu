// SPDX-License-Identifier: LGPL-2.1-or-later
// Joins the components of tiles, one tile per warp.
#include "cuda/hysteresis/merge.h"

#include "cuda/check.h"
#include "cuda/geometry.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/tuning.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

constexpr std::uint32_t kNoPixel = ~0u;

// The node of the pixel at a bit of a row of a tile, as label_kernel() leaves it, or kNoPixel.
__device__ std::uint32_t node_of_pixel(const OpenComponents& components, int tile, int row,
                                       std::uint32_t edges, std::uint32_t open, unsigned bit) {
  if (edges >> bit & 1) return kStrong;
  if (!(open >> bit & 1)) return kNoPixel;
  const unsigned run = tile * kRunsPerTile + run_at(row, start_of_run(open, bit));
  return node_of(tile, components.of_run[run]);
}

// Joins nodes that touch across a border. The lanes lie along it; a lane's pixels on its two sides
// are nodes a and b, and those of lane -1 are a_before and b_before. For lanes i - 1 and i it is
// enough to join a and b of lane i, or else a of one lane and b of the other. If both of lane i - 1
// exist, those of lane i are joined to them along the border.
__device__ void join_sides(std::uint32_t* parent, std::uint32_t a, std::uint32_t b,
                           std::uint32_t a_before, std::uint32_t b_before) {
  const std::uint32_t a_up = __shfl_up_sync(~0u, a, 1), b_up = __shfl_up_sync(~0u, b, 1);
  if (threadIdx.x > 0) a_before = a_up, b_before = b_up;
  if (a_before != kNoPixel && b_before != kNoPixel) return;
  if (a == kNoPixel) a = a_before;
  if (b == kNoPixel) b = b_before;
  if (a != kNoPixel && b != kNoPixel) join(parent, a, b);
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

// Each warp joins nodes across the upper and the left border of a tile. The upper border extends
// one pixel to the left.
__global__ void __launch_bounds__(kWarp* kMergeTiles) merge_kernel(Edges edges) {
  constexpr int kLast = kTile - 1;
  const int lane = threadIdx.x, x = blockIdx.x * kMergeTiles + threadIdx.y, y = blockIdx.y;
  const int here = edges.open.tile(x, y), left = here - 1, above = here - edges.open.columns();
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= edges.open.columns()) return;  // the whole warp
  if (!may_join(edges, here, x, y)) return;
  // All rows of this tile and of the left one, and the last row of the tiles above.
  const bool exists = y * kTile + lane < edges.open.height;
  const auto row_of = [&](const TilePlane& plane, int tile, int row, bool is_there) {
    return is_there ? plane.row_of(tile, row) : 0;
  };
  const std::uint32_t open = row_of(edges.open, here, lane, exists);
  const std::uint32_t open_left = row_of(edges.open, left, lane, exists && x > 0);
  const std::uint32_t open_above = row_of(edges.open, above, kLast, y > 0);
  const std::uint32_t open_corner = row_of(edges.open, above - 1, kLast, y > 0 && x > 0);
  const std::uint32_t open_top = __shfl_sync(~0u, open, 0);
  const std::uint32_t open_top_left = __shfl_sync(~0u, open_left, 0);
  const bool joins_left = x > 0 && __any_sync(~0u, (open & 1) != 0 || open_left >> kLast != 0);
  const bool joins_above =
      y > 0 && ((open_top | open_above) != 0 || (open_top_left | open_corner) >> kLast != 0);
  if (!joins_left && !joins_above) return;

  const std::uint32_t all = row_of(edges.decided, here, lane, exists);
  const std::uint32_t all_left = row_of(edges.decided, left, lane, exists && x > 0);
  const OpenComponents& components = edges.components;
  if (joins_above) {
    const std::uint32_t top = __shfl_sync(~0u, all, 0), top_left = __shfl_sync(~0u, all_left, 0);
    const std::uint32_t edges_above = row_of(edges.decided, above, kLast, true);
    const std::uint32_t corner = row_of(edges.decided, above - 1, kLast, x > 0);
    join_sides(components.parent, node_of_pixel(components, here, 0, top, open_top, lane),
               node_of_pixel(components, above, kLast, edges_above, open_above, lane),
               node_of_pixel(components, left, 0, top_left, open_top_left, kLast),
               node_of_pixel(components, above - 1, kLast, corner, open_corner, kLast));
  }
  __syncwarp();
  if (joins_left)
    join_sides(components.parent, node_of_pixel(components, here, lane, all, open, 0),
               node_of_pixel(components, left, lane, all_left, open_left, kLast), kNoPixel,
               kNoPixel);
}

}  // namespace

Status merge(const Edges& edges, Launcher* launcher) {
  const dim3 grid(blocks(edges.open.columns(), kMergeTiles), edges.open.rows());
  return launcher->launch("merge kernel", merge_kernel, grid, dim3(kWarp, kMergeTiles), 0, edges);
}

}  // namespace canny::cuda
