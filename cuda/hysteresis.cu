// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on the GPU. Until stable: tiles are flooded from their strong pixels. The remaining
// runs of candidates are joined into components, first within tiles, in shared memory, then across
// the borders of tiles. Components under kStrong are edges. The work does not depend on how far
// edges wind. Bounded: passes over tiles, after Luo and Duraiswami, "Canny edge detection on NVIDIA
// CUDA" (CVPRW 2008), section 3.
#include "cuda/check.h"
#include "cuda/flood.h"
#include "cuda/forest.h"
#include "cuda/geometry.h"
#include "cuda/hysteresis.h"
#include "cuda/launch.h"
#include "cuda/merge.h"
#include "cuda/pass.h"
#include "cuda/tile_forest.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

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
    label_kernel(TilePlane candidate, TilePlane strong, __grid_constant__ const RegionPlane region,
                 Components components, unsigned long long* count) {
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
  const std::uint32_t all = candidate.at(tile_x, y), border = border_of(candidate, tile_x, y);
  if (!__any_sync(~0u, all != 0)) {
    if (threadIdx.x == 0) components.count[tile] = 0;
    return;  // both planes are empty here
  }
  const std::uint32_t mask = region.inside(tile_x, y, all);
  std::uint32_t edges = strong.at(tile_x, y) & mask;  // every strong pixel is a candidate
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

Status until_stable(const Edges& edges, const RegionPlane& region, unsigned long long* count,
                    Launcher* launcher) {
  const dim3 grid(blocks(edges.open.columns(), kLabelTiles), edges.open.rows());
  CANNY_TRY(launcher->launch("label kernel", label_kernel, grid, dim3(kWarp, kLabelTiles), 0,
                             edges.open, edges.decided, region, edges.components, count));
  return merge(edges, launcher);
}

// ---- passes ----

// Computes E(pass + 1) from E(pass) in `from`.
__global__ void __launch_bounds__(kTile* kPassTiles)
    pass_kernel(int pass, TilePlane candidate, TilePlane from, TilePlane to, std::uint32_t* grew,
                unsigned long long* count) {
  wait_for_previous_kernel();
  start_next_kernel();
  run_pass(pass, candidate, from, to, grew, count);
}

}  // namespace

std::size_t forest_nodes(const TilePlane& plane) { return 1 + plane.tiles() * kTileComponents; }
std::size_t run_places(const TilePlane& plane) { return plane.tiles() * kRunsPerTile; }

namespace {

Status run_passes(unsigned passes, const TilePlane& candidate, const TilePlane& strong,
                  const RegionPlane& region, const HysteresisBuffers& buffers, TilePlane* edges,
                  Launcher* launcher) {
  if (region.is_set()) CANNY_TRY(drop_outside(region, candidate, strong, launcher));
  TilePlane from = strong, to = strong;
  to.words = buffers.other;
  for (unsigned pass = 0; pass < passes; ++pass) {
    CANNY_TRY(launcher->launch("pass kernel", pass_kernel, pass_grid(candidate),
                               dim3(kTile, kPassTiles), 0, pass, candidate, from, to, buffers.grew,
                               buffers.count));
    std::swap(from, to);
  }
  *edges = from;
  return {};
}

}  // namespace

Status hysteresis(unsigned passes, const TilePlane& candidate, const TilePlane& strong,
                  const RegionPlane& region, const HysteresisBuffers& buffers, Edges* edges,
                  Launcher* launcher) {
  *edges = {};
  if (passes > 0)
    return run_passes(passes, candidate, strong, region, buffers, &edges->decided, launcher);
  *edges = {strong, candidate, buffers.components};
  return until_stable(*edges, region, buffers.count, launcher);
}

}  // namespace canny::cuda
