// SPDX-License-Identifier: LGPL-2.1-or-later
// The connected components within a tile, in shared memory. A warp handles a tile, a row per lane.
#pragma once

#include <cstdint>

#include "canny/bits.h"
#include "cuda/forest.h"
#include "cuda/plane.h"
#include "cuda/tuning.h"

namespace canny::cuda {

/// The trees of a tile's open runs. A run's node is 1 more than its place; a parent is smaller, or
/// the node itself: a root.
struct TileForest {
  std::uint32_t parent[1 + kRunsPerTile];  // in the end, a root's is its component number
  std::uint16_t root[1 + kRunsPerTile];
  std::uint32_t reaches_border[(1 + kRunsPerTile + 31) / 32];  // one bit per root
  std::uint32_t components;
};

__device__ inline std::uint32_t node_of_run(int row, int start) { return 1 + run_at(row, start); }

/// Calls f(node, run) for each run of a lane's row.
template <class F>
__device__ void for_each_run(std::uint32_t row, F f) {
  for (std::uint32_t starts = run_starts(row); starts != 0; starts &= starts - 1)
    f(node_of_run(threadIdx.x, __ffs(starts) - 1), first_run(row, starts));
}

/// The pixels of row y of a tile that have neighbors in other tiles.
__device__ inline std::uint32_t border_of(const TilePlane& plane, int tile_x, int y) {
  const int row = threadIdx.x;
  if ((row == 0 && y > 0) || (row == kTile - 1 && y + 1 < plane.height)) return ~0u;
  return (tile_x > 0 ? 1u : 0) | (tile_x + 1 < plane.columns() ? 1u << 31 : 0);
}

/// Joins the trees of a and b. A parent only becomes smaller, so there are no cycles. No order of
/// steps loses a link: the previous parent of the larger node is joined next.
__device__ inline void join_in_tile(TileForest* forest, std::uint32_t a, std::uint32_t b) {
  while (a != b) {
    const std::uint32_t larger = max(a, b), smaller = min(a, b);
    const std::uint32_t before = atomicMin(&forest->parent[larger], smaller);
    a = before == larger ? smaller : before;
    b = smaller;
  }
}

/// Plants a tree for each component of `open`. Components with a pixel of `certain` hang from
/// kStrong. A run hangs from the first run that it touches above. If it touches another one, it
/// fills the gap between the two, and they are joined, unless a pixel above the gap joins them.
__device__ inline void plant(std::uint32_t open, std::uint32_t certain, TileForest* forest) {
  const int row = threadIdx.x;
  std::uint32_t above = __shfl_up_sync(~0u, open, 1), two_above = __shfl_up_sync(~0u, open, 2);
  if (row < 1) above = 0;
  if (row < 2) two_above = 0;
  if (row == 0) forest->parent[kStrong] = kStrong;
  for_each_run(open, [&](std::uint32_t node, std::uint32_t run) {
    const std::uint32_t touched = spread(run) & above;
    forest->parent[node] =
        touched == 0 ? node : node_of_run(row - 1, start_of_run(above, __ffs(touched) - 1));
  });
  // From the start of a gap, a carry goes through its filled pixels, and reaches the next run if
  // all are filled.
  const std::uint32_t filled = open & ~above;
  const std::uint32_t bridged = (filled + (filled & above << 1)) & run_starts(above);
  const std::uint32_t joined = (above << 1 & above >> 1 & two_above) << 1;
  __syncwarp();
  for (std::uint32_t ends = bridged & ~joined; ends != 0; ends &= ends - 1) {
    const int end = __ffs(ends) - 1;
    const std::uint32_t before = above & ((1u << end) - 1);
    join_in_tile(forest, node_of_run(row - 1, end),
                 node_of_run(row - 1, start_of_run(above, 31 - __clz(before))));
  }
  for_each_run(open, [&](std::uint32_t node, std::uint32_t run) {
    if (run & certain) join_in_tile(forest, node, kStrong);
  });
  __syncwarp();
}

__device__ inline std::uint32_t root_in_tile(const TileForest& forest, std::uint32_t node) {
  while (forest.parent[node] != node) node = forest.parent[node];
  return node;
}

}  // namespace canny::cuda
