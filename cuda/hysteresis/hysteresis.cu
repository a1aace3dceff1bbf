// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on the GPU. Until stable: tiles are flooded from their strong pixels. The remaining
// runs of candidates are joined into components, first within tiles, in shared memory, then across
// the borders of tiles. Components under kStrong are edges. The work does not depend on how far
// edges wind. Bounded: passes over tiles, after Luo and Duraiswami, "Canny edge detection on NVIDIA
// CUDA" (CVPRW 2008), section 3.
#include "cuda/check.h"
#include "cuda/geometry.h"
#include "cuda/hysteresis/flood.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/hysteresis/merge.h"
#include "cuda/hysteresis/pass.h"
#include "cuda/hysteresis/tile_forest.h"
#include "cuda/hysteresis/tuning.h"
#include "cuda/launch.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// ---- until stable ----

// What replaces the parent of a root, which is smaller: what becomes of its component. Others get
// kOpen plus their number.
constexpr std::uint32_t kVanishes = kTileNodes, kIsEdge = kVanishes + 1, kOpen = kIsEdge + 1;

// Notes which roots have runs on the border.
__device__ void find_border(std::uint32_t open, std::uint32_t border, TileForest* forest) {
  clear_border(forest);
  __syncwarp();
  for_each_run(open, [&](const Run& run) {
    if (run.pixels & border) set_reaches_border(forest, root_in_tile(*forest, run.node));
  });
  __syncwarp();
}

// Decides what becomes of each root, and makes nodes of the components that stay open. Returns
// their number. The lanes take a run each at a time.
template <class IsOpen>
__device__ unsigned number_roots(int tile, std::uint32_t open, TileForest* forest, IsOpen is_open,
                                 const OpenComponents& components) {
  const int lane = threadIdx.x;
  unsigned count = 0;
  for (std::uint32_t starts = run_starts(open); __any_sync(~0u, starts != 0);
       starts &= starts - 1) {
    const std::uint32_t node = starts != 0 ? node_of_run(lane, __ffs(starts) - 1) : kStrong;
    const bool is_root = starts != 0 && forest->parent[node] == node;
    const bool stays_open = is_root && is_open(node);
    const std::uint32_t numbered = __ballot_sync(~0u, stays_open);
    const unsigned number = count + __popc(numbered & ((1u << lane) - 1));
    if (is_root) forest->parent[node] = stays_open ? kOpen + number : kVanishes;
    if (stays_open) components.parent[node_of(tile, number)] = node_of(tile, number);
    count += __popc(numbered);
  }
  if (lane == 0) forest->parent[kStrong] = kIsEdge;
  __syncwarp();
  return count;
}

// Numbers the components of *open and makes nodes of them. Runs of trees under kStrong become
// edges. Components that do not reach the border vanish; with `all_reach_it` there are none.
// Returns the number of components.
__device__ unsigned number_components(int tile, std::uint32_t border, bool all_reach_it,
                                      TileForest* forest, std::uint32_t* edges, std::uint32_t* open,
                                      const OpenComponents& components) {
  if (!all_reach_it) find_border(*open, border, forest);
  const auto is_open = [&](std::uint32_t root) {
    return all_reach_it || reaches_border(*forest, root);
  };
  const unsigned count = number_roots(tile, *open, forest, is_open, components);
  std::uint32_t still_open = 0;
  for_each_run(*open, [&](const Run& run) {
    std::uint32_t end = forest->parent[run.node];
    while (end < kTileNodes) end = forest->parent[end];
    if (end == kIsEdge) *edges |= run.pixels;
    if (end < kOpen) return;
    still_open |= run.pixels;
    components.of_run[tile * kRunsPerTile + run.place] = static_cast<std::uint8_t>(end - kOpen);
  });
  *open = still_open;
  return count;
}

// Processes one tile per warp. Certain edges stay in `strong`. Runs that may become edges through
// other tiles stay in `candidate`, as components; other runs vanish. Flooding decides most runs. It
// is fast except where paths wind; there, trees do the rest.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    label_kernel(TilePlane candidate, TilePlane strong, __grid_constant__ const RegionPlane region,
                 OpenComponents components, unsigned long long* count) {
  __shared__ TileForest forests[kLabelTiles];
  TileForest* forest = &forests[threadIdx.y];
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y;
  const int tile = candidate.tile(tile_x, blockIdx.y), y = blockIdx.y * kTile + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= candidate.columns()) return;  // the whole warp
  if (threadIdx.x == 0 && tile == 0) *count = 0;
  const std::uint32_t all = candidate.at(tile_x, y), border = border_of(candidate, tile_x, y);
  if (!__any_sync(~0u, all != 0)) {
    if (threadIdx.x == 0) components.summary[tile] = 0;
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
  unsigned open_components = 0;
  if (__any_sync(~0u, open != 0)) {
    plant(open, certain, forest);
    open_components =
        number_components(tile, border, all_reach_border, forest, &edges, &open, components);
  }
  const std::uint8_t summary = tile_summary(open_components, open);
  if (threadIdx.x == 0) components.summary[tile] = summary;
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
