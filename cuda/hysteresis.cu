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
#include "cuda/merge.h"
#include "cuda/tile_forest.h"
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

// ---- until stable ----

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

Status until_stable(const Edges& edges, unsigned long long* count, Launcher* launcher) {
  const dim3 grid(blocks(edges.open.columns(), kLabelTiles), edges.open.rows());
  CANNY_TRY(launcher->launch("label kernel", label_kernel, grid, dim3(kWarp, kLabelTiles), 0,
                             edges.open, edges.decided, edges.components, count));
  return merge(edges, launcher);
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

}  // namespace

std::size_t forest_nodes(const TilePlane& plane) { return 1 + plane.tiles() * kTileComponents; }
std::size_t run_places(const TilePlane& plane) { return plane.tiles() * kRunsPerTile; }

Status queue_pass(unsigned pass, const TilePlane& candidate, const TilePlane& from,
                  const TilePlane& to, const HysteresisBuffers& buffers, Launcher* launcher) {
  const dim3 grid(blocks(candidate.columns(), kPassTiles), candidate.rows());
  return launcher->launch("pass kernel", pass_kernel, grid, dim3(kTile, kPassTiles), 0, pass,
                          candidate, from, to, buffers.grew, buffers.count);
}

namespace {

Status run_passes(unsigned passes, const TilePlane& candidate, const TilePlane& strong,
                  const HysteresisBuffers& buffers, TilePlane* edges, Launcher* launcher) {
  TilePlane from = strong, to = strong;
  to.words = buffers.other;
  for (unsigned pass = 0; pass < passes; ++pass) {
    CANNY_TRY(queue_pass(pass, candidate, from, to, buffers, launcher));
    std::swap(from, to);
  }
  *edges = from;
  return {};
}

}  // namespace

Status hysteresis(unsigned passes, const TilePlane& candidate, const TilePlane& strong,
                  const HysteresisBuffers& buffers, Edges* edges, Launcher* launcher) {
  *edges = {};
  if (passes > 0) return run_passes(passes, candidate, strong, buffers, &edges->decided, launcher);
  *edges = {strong, candidate, buffers.components};
  return until_stable(*edges, buffers.count, launcher);
}

}  // namespace canny::cuda
