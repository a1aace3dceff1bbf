// SPDX-License-Identifier: LGPL-2.1-or-later
// The connected components within a tile, in shared memory. A warp handles a tile, a row per lane.
#pragma once

#include <cstdint>

#include "canny/bits.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/plane.h"
#include "cuda/warp.h"

namespace canny::cuda {

/// Nodes of a row, one more than it has runs: the nodes of equal runs in different rows, which the
/// lanes use at the same time, lie in different banks of shared memory.
inline constexpr int kNodesPerRow = kRunsPerRow + 1;
inline constexpr int kTileNodes = 1 + kTile * kNodesPerRow;

/// The trees of a tile's open runs. A node's parent is smaller, or the node itself: a root.
struct TileForest {
  std::uint32_t parent[kTileNodes];
  std::uint32_t reaches_border[(kTileNodes + 31) / 32];  // one bit per root
};

__device__ inline std::uint32_t node_of_run(unsigned row, unsigned start) {
  return 1 + row * kNodesPerRow + start / 2;
}

/// A run of ones in a lane's row.
struct Run {
  std::uint32_t node, pixels;
  unsigned place;  // run_at()
};

/// The run of a lane's row that begins at the lowest start of `starts`.
__device__ inline Run lowest_run(std::uint32_t row, std::uint32_t starts) {
  const unsigned start = __ffs(starts) - 1;
  return {node_of_run(threadIdx.x, start), first_run(row, starts), run_at(threadIdx.x, start)};
}

/// Calls f(run) for each run of a lane's row.
template <class F>
__device__ void for_each_run(std::uint32_t row, F f) {
  for (std::uint32_t starts = run_starts(row); starts != 0; starts &= starts - 1)
    f(lowest_run(row, starts));
}

/// As for_each_run(), with the whole warp: calls f(run, is_there) until no lane has another run.
template <class F>
__device__ void for_each_run_of_warp(std::uint32_t row, F f) {
  for (std::uint32_t starts = run_starts(row); __any_sync(~0u, starts != 0); starts &= starts - 1)
    f(lowest_run(row, starts), starts != 0);
}

/// The most runs in any lane's row.
__device__ inline int most_runs(std::uint32_t row) {
  return largest_of_warp(static_cast<unsigned>(__popc(run_starts(row))));
}

/// Likewise, where no lane has more than `most` runs.
template <class F>
__device__ void for_each_run_of_warp(std::uint32_t row, int most, F f) {
  std::uint32_t starts = run_starts(row);
  for (int i = 0; i < most; ++i, starts &= starts - 1) f(lowest_run(row, starts), starts != 0);
}

/// The pixels of row y of a tile that have neighbors in other tiles.
__device__ inline std::uint32_t border_of(const TilePlane& plane, int tile_x, int y) {
  const unsigned row = threadIdx.x;
  if ((row == 0 && y > 0) || (row == kTile - 1 && y + 1 < plane.height)) return ~0u;
  return (tile_x > 0 ? 1u : 0) | (tile_x + 1 < plane.columns() ? 1u << 31 : 0);
}

__device__ inline std::uint32_t root_in_tile(const TileForest& forest, std::uint32_t node) {
  while (forest.parent[node] != node) node = forest.parent[node];
  return node;
}

/// Joins the trees of a and b. A parent only becomes smaller, so there are no cycles. No order of
/// steps loses a link: the previous parent of the larger node is joined next.
/// Paths are walked with loads first, which take less time than atomic operations: whatever they
/// read while other lanes join, it is an ancestor.
__device__ inline void join_in_tile(TileForest* forest, std::uint32_t a, std::uint32_t b) {
  a = root_in_tile(*forest, a);
  b = root_in_tile(*forest, b);
  while (a != b) {
    const std::uint32_t larger = max(a, b), smaller = min(a, b);
    const std::uint32_t before = atomicMin(&forest->parent[larger], smaller);
    a = before == larger ? smaller : before;
    b = smaller;
  }
}

/// What lies above a lane's row of runs.
struct RowAbove {
  std::uint32_t pixels;
  /// A run that touches several runs above fills the gaps between them. This has the first pixel of
  /// each run behind a filled gap, unless a pixel above the gap joins it with the run before.
  std::uint32_t joins;
};

__device__ inline RowAbove row_above(std::uint32_t row) {
  const int lane = threadIdx.x;
  std::uint32_t above = __shfl_up_sync(~0u, row, 1), two_above = __shfl_up_sync(~0u, row, 2);
  if (lane < 1) above = 0;
  if (lane < 2) two_above = 0;
  // From the start of a gap, a carry goes through its filled pixels, and reaches the next run if
  // all are filled.
  const std::uint32_t filled = row & ~above;
  const std::uint32_t bridged = (filled + (filled & above << 1)) & run_starts(above);
  const std::uint32_t joined = (above << 1 & above >> 1 & two_above) << 1;
  return {above, bridged & ~joined};
}

/// The node of the first run above that a run touches, or its own node.
__device__ inline std::uint32_t node_above(const Run& run, std::uint32_t above) {
  const std::uint32_t touched = spread(run.pixels) & above;
  if (touched == 0) return run.node;
  return node_of_run(threadIdx.x - 1, start_of_run(above, __ffs(touched) - 1));
}

/// Joins the runs above that RowAbove::joins names with those before.
__device__ inline void join_above(const RowAbove& above, TileForest* forest) {
  const int row = threadIdx.x;
  for (std::uint32_t ends = above.joins; ends != 0; ends &= ends - 1) {
    const int end = __ffs(ends) - 1;
    const std::uint32_t before = above.pixels & ((1u << end) - 1);
    join_in_tile(forest, node_of_run(row - 1, end),
                 node_of_run(row - 1, start_of_run(above.pixels, 31 - __clz(before))));
  }
}

/// Plants a tree for each component of `open`. Components with a pixel of `certain` hang from
/// kStrong. A run hangs from the first run that it touches above.
__device__ inline void plant(std::uint32_t open, RowAbove above, std::uint32_t certain,
                             TileForest* forest) {
  if (threadIdx.x == 0) forest->parent[kStrong] = kStrong;
  for_each_run(open,
               [&](const Run& run) { forest->parent[run.node] = node_above(run, above.pixels); });
  __syncwarp();
  join_above(above, forest);
  for_each_run(certain != 0 ? open : 0, [&](const Run& run) {
    if (run.pixels & certain) join_in_tile(forest, run.node, kStrong);
  });
  __syncwarp();
}

/// Forgets which roots reach the border. All lanes call this.
__device__ inline void clear_border(TileForest* forest) {
  if (threadIdx.x < (kTileNodes + 31) / 32) forest->reaches_border[threadIdx.x] = 0;
}
__device__ inline void set_reaches_border(TileForest* forest, std::uint32_t root) {
  atomicOr(&forest->reaches_border[root / 32], 1u << root % 32);
}
__device__ inline bool reaches_border(const TileForest& forest, std::uint32_t root) {
  return (forest.reaches_border[root / 32] >> root % 32 & 1) != 0;
}

}  // namespace canny::cuda
