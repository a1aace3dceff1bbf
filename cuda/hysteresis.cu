// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on the GPU. Until stable: tiles are flooded from their strong pixels. The remaining
// runs of candidates are joined into components, first within tiles, in shared memory, then across
// the borders of tiles. Components under kStrong are edges. The work does not depend on how far
// edges wind. Bounded: passes over tiles, after Luo and Duraiswami, "Canny edge detection on NVIDIA
// CUDA" (CVPRW 2008), section 3.
#include "cuda/check.h"
#include "cuda/forest.h"
#include "cuda/geometry.h"
#include "cuda/hysteresis.h"
#include "cuda/launch.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// ---- flooding a tile ----

// The runs of `mask` that contain a bit of `seeds`, from that bit on: a sum's carry goes through a
// run to its end.
__device__ std::uint32_t fill_up(std::uint32_t mask, std::uint32_t seeds) {
  return seeds | (mask & ~(mask + seeds));
}

// The pixels above and below a lane's row. In the first and the last lane, one of them is the row
// itself.
__device__ std::uint32_t rows_beside(std::uint32_t row) {
  return __shfl_up_sync(~0u, row, 1) | __shfl_down_sync(~0u, row, 1);
}

// Grows *reached, a subset of `mask`, through `mask` in a tile, one row per lane. Returns whether
// it is complete. That takes a step for each row that a path enters, and one that changes nothing.
__device__ bool flood(std::uint32_t mask, int max_steps, std::uint32_t* reached) {
  const std::uint32_t mirrored_mask = __brev(mask);
#pragma unroll 2
  for (int step = 0; step < max_steps; ++step) {
    std::uint32_t grown = fill_up(mask, *reached);
    grown = __brev(fill_up(mirrored_mask, __brev(grown)));
    grown |= mask & spread(rows_beside(grown));
    const bool grew = grown != *reached;
    *reached = grown;
    if (!__any_sync(~0u, grew)) return true;
  }
  return false;
}

// ---- until stable: within a tile ----

// The trees of a tile's open runs. A run's node is 1 more than its place; a parent is smaller, or
// the node itself: a root.
struct TileForest {
  std::uint32_t parent[1 + kRunsPerTile];  // in the end, a root's is its component number
  std::uint16_t root[1 + kRunsPerTile];
  std::uint32_t reaches_border[(1 + kRunsPerTile + 31) / 32];  // one bit per root
  std::uint32_t components;
};

__device__ std::uint32_t node_of_run(int row, int start) { return 1 + run_at(row, start); }

// Calls f(node, run) for each run of a lane's row.
template <class F>
__device__ void for_each_run(std::uint32_t row, F f) {
  for (std::uint32_t starts = run_starts(row); starts != 0; starts &= starts - 1)
    f(node_of_run(threadIdx.x, __ffs(starts) - 1), first_run(row, starts));
}

// The pixels of row y of a tile that have neighbors in other tiles.
__device__ std::uint32_t border_of(const TilePlane& plane, int tile_x, int y) {
  const int row = threadIdx.x;
  if ((row == 0 && y > 0) || (row == kTile - 1 && y + 1 < plane.height)) return ~0u;
  return (tile_x > 0 ? 1u : 0) | (tile_x + 1 < plane.columns() ? 1u << 31 : 0);
}

// Joins the trees of a and b. A parent only becomes smaller, so there are no cycles. No order of
// steps loses a link: the previous parent of the larger node is joined next.
__device__ void join_in_tile(TileForest* forest, std::uint32_t a, std::uint32_t b) {
  while (a != b) {
    const std::uint32_t larger = max(a, b), smaller = min(a, b);
    const std::uint32_t before = atomicMin(&forest->parent[larger], smaller);
    a = before == larger ? smaller : before;
    b = smaller;
  }
}

// Plants a tree for each component of `open`. Components with a pixel of `certain` hang from
// kStrong. A run hangs from the first run that it touches above. If it touches another one, it
// fills the gap between the two, and they are joined, unless a pixel above the gap joins them.
__device__ void plant(std::uint32_t open, std::uint32_t certain, TileForest* forest) {
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

__device__ std::uint32_t root_in_tile(const TileForest& forest, std::uint32_t node) {
  while (forest.parent[node] != node) node = forest.parent[node];
  return node;
}

// Numbers the components of *open and makes nodes of them. Runs of trees under kStrong become
// edges. Components that do not reach the border vanish; with `all_reach_it` there are none.
__device__ void number_components(int tile, std::uint32_t border, bool all_reach_it,
                                  TileForest* forest, std::uint32_t* edges, std::uint32_t* open,
                                  const Components& components) {
  const int lane = threadIdx.x;
  const auto is_open = [&](std::uint32_t root) {
    return root != kStrong &&
           (all_reach_it || (forest->reaches_border[root / 32] >> root % 32 & 1) != 0);
  };
  if (!all_reach_it) {
    if (lane < (1 + kRunsPerTile + 31) / 32) forest->reaches_border[lane] = 0;
    __syncwarp();
  }
  for_each_run(*open, [&](std::uint32_t node, std::uint32_t run) {
    const std::uint32_t root = root_in_tile(*forest, node);
    forest->root[node] = static_cast<std::uint16_t>(root);
    if (!all_reach_it && run & border)
      atomicOr(&forest->reaches_border[root / 32], 1u << root % 32);
  });
  __syncwarp();
  for_each_run(*open, [&](std::uint32_t node, std::uint32_t) {
    if (forest->root[node] == node && is_open(node))
      forest->parent[node] = atomicAdd(&forest->components, 1u);
  });
  __syncwarp();
  std::uint32_t still_open = 0;
  for_each_run(*open, [&](std::uint32_t node, std::uint32_t run) {
    const std::uint32_t root = forest->root[node];
    if (root == kStrong) *edges |= run;
    if (!is_open(root)) return;
    still_open |= run;
    components.of_run[tile * kRunsPerTile + node - 1] =
        static_cast<std::uint8_t>(forest->parent[root]);
  });
  *open = still_open;
  for (int i = lane; i < static_cast<int>(forest->components); i += kWarp)
    components.parent[node_of(tile, i)] = node_of(tile, i);
}

// Processes one tile per warp. Certain edges stay in `strong`. Runs that may become edges through
// other tiles stay in `candidate`, as components; other runs vanish. Flooding decides most runs. It
// is fast except where paths wind; there, trees do the rest.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    label_kernel(TilePlane candidate, TilePlane strong, Components components,
                 unsigned long long* count) {
  __shared__ TileForest forests[kLabelTiles];
  TileForest* forest = &forests[threadIdx.y];
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y;
  const int tile = candidate.tile(tile_x, blockIdx.y), y = blockIdx.y * kTile + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= candidate.columns()) return;  // the whole warp
  if (threadIdx.x == 0) {
    if (tile == 0) *count = 0;
    forest->components = 0;
  }
  const std::uint32_t mask = candidate.at(tile_x, y), border = border_of(candidate, tile_x, y);
  if (!__any_sync(~0u, mask != 0)) {
    if (threadIdx.x == 0) components.count[tile] = 0;
    return;  // both planes are empty here
  }
  std::uint32_t edges = strong.at(tile_x, y);
  const bool decided = flood(mask, kFloodSteps, &edges);
  const std::uint32_t rest = mask & ~edges;
  std::uint32_t open = rest & border, certain = 0;
  if (!decided) certain = rest & spread(edges | rows_beside(edges));
  const bool all_reach_border = decided && flood(rest, kFloodSteps, &open);
  if (!all_reach_border) open = rest;
  if (__any_sync(~0u, open != 0)) {
    plant(open, certain, forest);
    number_components(tile, border, all_reach_border, forest, &edges, &open, components);
  }
  if (threadIdx.x == 0) components.count[tile] = static_cast<std::uint8_t>(forest->components);
  if (y >= candidate.height) return;
  strong.word(tile_x, y) = edges;
  candidate.word(tile_x, y) = open;
}

// ---- until stable: across the borders of tiles ----

constexpr std::uint32_t kNoPixel = ~0u;

// The node of the pixel at a bit of a row of a tile, as label_kernel() leaves it, or kNoPixel.
__device__ std::uint32_t node_of_pixel(const Components& components, int tile, int row,
                                       std::uint32_t edges, std::uint32_t open, int bit) {
  if (edges >> bit & 1) return kStrong;
  if (!(open >> bit & 1)) return kNoPixel;
  const int run = tile * kRunsPerTile + run_at(row, start_of_run(open, bit));
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

// Each warp joins nodes across the upper and the left border of a tile. The upper border extends
// one pixel to the left.
__global__ void __launch_bounds__(kWarp* kMergeTiles) merge_kernel(Edges edges) {
  constexpr int kLast = kTile - 1;
  const int lane = threadIdx.x, x = blockIdx.x * kMergeTiles + threadIdx.y, y = blockIdx.y;
  const int here = edges.open.tile(x, y), left = here - 1, above = here - edges.open.columns();
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= edges.open.columns()) return;  // the whole warp
  // All rows of this tile and of the left one, and the last row of the tiles above.
  const bool exists = y * kTile + lane < edges.open.height;
  const auto row_of = [&](const TilePlane& plane, int tile, int row, bool is_there) {
    return is_there ? plane.words[static_cast<std::size_t>(tile) * kTile + row] : 0;
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
  const Components& components = edges.components;
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

Status until_stable(const Edges& edges, unsigned long long* count, Launcher* launcher) {
  const int columns = edges.open.columns(), rows = edges.open.rows();
  CANNY_TRY(launcher->launch("label kernel", label_kernel, dim3(blocks(columns, kLabelTiles), rows),
                             dim3(kWarp, kLabelTiles), 0, edges.open, edges.decided,
                             edges.components, count));
  return launcher->launch("merge kernel", merge_kernel, dim3(blocks(columns, kMergeTiles), rows),
                          dim3(kWarp, kMergeTiles), 0, edges);
}

// ---- passes ----

// The pixels of a lane's row of a tile that touch an edge outside the tile.
__device__ std::uint32_t touched_from_outside(const TilePlane& edges, int tile_x, int y) {
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

// Computes E(pass + 1) from E(pass) in `from`, one tile per warp. grew[i] tells whether pass i
// changed anything. After a pass without changes there is nothing to do: `to`, which holds E(pass -
// 1), equals E(pass).
__global__ void __launch_bounds__(kTile* kPassTiles)
    pass_kernel(int pass, TilePlane candidate, TilePlane from, TilePlane to, std::uint32_t* grew,
                unsigned long long* count) {
  wait_for_previous_kernel();
  start_next_kernel();
  const int tile_x = blockIdx.x * kPassTiles + threadIdx.y, y = blockIdx.y * kTile + threadIdx.x;
  if (tile_x == 0 && y == 0) {
    grew[pass + 1] = 0;
    if (pass == 0) *count = 0;
  }
  if (pass > 1 && grew[pass - 1] == 0) return;  // grew[0] is not known to be 0 before pass 0
  if (tile_x >= candidate.columns()) return;    // the whole warp
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
}

Status run_passes(unsigned passes, const TilePlane& candidate, const TilePlane& strong,
                  const HysteresisBuffers& buffers, TilePlane* edges, Launcher* launcher) {
  TilePlane from = strong, to = strong;
  to.words = buffers.other;
  const dim3 grid(blocks(candidate.columns(), kPassTiles), candidate.rows());
  for (unsigned pass = 0; pass < passes; ++pass) {
    CANNY_TRY(launcher->launch("pass kernel", pass_kernel, grid, dim3(kTile, kPassTiles), 0, pass,
                               candidate, from, to, buffers.grew, buffers.count));
    std::swap(from, to);
  }
  *edges = from;
  return {};
}

}  // namespace

std::size_t forest_nodes(const TilePlane& plane) { return 1 + plane.tiles() * kTileComponents; }
std::size_t run_places(const TilePlane& plane) { return plane.tiles() * kRunsPerTile; }

Status hysteresis(unsigned passes, const TilePlane& candidate, const TilePlane& strong,
                  const HysteresisBuffers& buffers, Edges* edges, Launcher* launcher) {
  *edges = {};
  if (passes > 0) return run_passes(passes, candidate, strong, buffers, &edges->decided, launcher);
  *edges = {strong, candidate, buffers.components};
  return until_stable(*edges, buffers.count, launcher);
}

}  // namespace canny::cuda
