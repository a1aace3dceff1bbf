// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on the GPU. Until stable: tiles are flooded from their strong pixels. The remaining
// runs of candidates are joined into components, first within tiles, in shared memory, then across
// the borders of tiles. Components under kStrong are edges. The work does not depend on how far
// edges wind. Bounded: passes over tiles, after Luo and Duraiswami, "Canny edge detection on NVIDIA
// CUDA" (CVPRW 2008), section 3.
#include "cuda/check.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/hysteresis/pass.h"
#include "cuda/hysteresis/tile_forest.h"
#include "cuda/launch.h"
#include "cuda/progress_counters.h"
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

// Numbers the lanes' roots that stay open and makes nodes of their components. *count, the number
// of roots so far, grows. Returns the number of the lane's own root.
__device__ unsigned number_root(int tile, bool stays_open, const OpenComponents& components,
                                unsigned* count) {
  const std::uint32_t numbered = __ballot_sync(~0u, stays_open);
  const unsigned number = *count + __popc(numbered & ((1u << threadIdx.x) - 1));
  if (stays_open) components.parent[node_of(tile, number)] = node_of(tile, number);
  *count += __popc(numbered);
  return number;
}

// Decides what becomes of each root, and makes nodes of the components that stay open. Returns
// their number.
template <class IsOpen>
__device__ unsigned number_roots(int tile, std::uint32_t open, TileForest* forest, IsOpen is_open,
                                 const OpenComponents& components) {
  unsigned count = 0;
  for_each_run_of_warp(open, [&](const Run& run, bool is_there) {
    const bool is_root = is_there && forest->parent[run.node] == run.node;
    const bool stays_open = is_root && is_open(run.node);
    const unsigned number = number_root(tile, stays_open, components, &count);
    if (is_root) forest->parent[run.node] = stays_open ? kOpen + number : kVanishes;
  });
  if (threadIdx.x == 0) forest->parent[kStrong] = kIsEdge;
  __syncwarp();
  return count;
}

// Does what plant() and number_roots() do where all components stay open and RowAbove::joins is 0
// in all rows: a run that touches none above is the root of its component.
__device__ unsigned plant_open(int tile, std::uint32_t open, std::uint32_t above,
                               TileForest* forest, const OpenComponents& components) {
  unsigned count = 0;
  for_each_run_of_warp(open, [&](const Run& run, bool is_there) {
    const std::uint32_t parent = node_above(run, above);
    const bool is_root = is_there && parent == run.node;
    const unsigned number = number_root(tile, is_root, components, &count);
    if (is_there) forest->parent[run.node] = is_root ? kOpen + number : parent;
  });
  __syncwarp();
  return count;
}

// Numbers the components of *open and makes nodes of them. Those with pixels of `certain` become
// edges. Components that do not reach the border vanish; with `all_reach_it` there are none of
// either kind. Returns the number of components.
__device__ unsigned number_components(int tile, std::uint32_t border, bool all_reach_it,
                                      std::uint32_t certain, TileForest* forest,
                                      std::uint32_t* edges, std::uint32_t* open,
                                      const OpenComponents& components) {
  const RowAbove above = row_above(*open);
  unsigned count = 0;
  if (all_reach_it && !__any_sync(~0u, above.joins != 0)) {
    count = plant_open(tile, *open, above.pixels, forest, components);
  } else {
    plant(*open, above, certain, forest);
    if (!all_reach_it) find_border(*open, border, forest);
    const auto is_open = [&](std::uint32_t root) {
      return all_reach_it || reaches_border(*forest, root);
    };
    count = number_roots(tile, *open, forest, is_open, components);
  }
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

// Processes one tile per warp. Certain edges go to `result`, which may be `strong`. Runs that may
// become edges through other tiles stay in `candidate`, as components; other runs vanish. Flooding
// decides most runs. It is fast except where paths wind; there, trees do the rest.
__device__ void label_tile(const TilePlane& candidate, const TilePlane& strong,
                           const TilePlane& result, const RegionPlane& region,
                           const OpenComponents& components, int tile_x, TileForest* forest) {
  const int lane = threadIdx.x, y = blockIdx.y * kTile + lane;
  const int tile = candidate.tile(tile_x, blockIdx.y);
  const bool has_row = y < candidate.height;
  std::uint32_t mask = has_row ? candidate.row_of(tile, lane) : 0;
  if (!__any_sync(~0u, mask != 0)) {
    if (lane == 0) components.summary[tile] = 0;
    if (result.words != strong.words && has_row) result.row_of(tile, lane) = 0;
    return;  // both planes are empty here
  }
  std::uint32_t edges = has_row ? strong.row_of(tile, lane) : 0;
  if (region.is_set()) mask &= region.bits.row_of(tile, lane);
  edges &= mask;  // every strong pixel is a candidate
  const std::uint32_t border = border_of(candidate, tile_x, y);
  const bool decided = flood(mask, kFloodSteps, &edges);
  const std::uint32_t rest = mask & ~edges;
  std::uint32_t open = rest & border, certain = 0;
  if (!decided) certain = rest & spread(edges | rows_beside(edges));
  const bool all_reach_border = decided && flood(rest, kFloodSteps, &open);
  if (!all_reach_border) open = rest;
  unsigned open_components = 0;
  if (__any_sync(~0u, open != 0)) {
    open_components = number_components(tile, border, all_reach_border, certain, forest, &edges,
                                        &open, components);
  }
  const std::uint8_t summary = tile_summary(open_components, open);
  if (lane == 0) components.summary[tile] = summary;
  if (!has_row) return;
  result.row_of(tile, lane) = edges;
  candidate.row_of(tile, lane) = open;
}

// Counts a tile as labeled, once all lanes have stored their results, for itself and the tiles to
// the right and below.
__device__ void add_label(const TilePlane& plane, int tile_x, const TileProgress& neighbors) {
  __syncwarp();
  const int lane = threadIdx.x, x = tile_x + lane % 2, y = blockIdx.y + lane / 2;
  if (lane < 4 && x < plane.columns() && y < plane.rows())
    add_progress(neighbors, plane.tile(x, y), 1);
}

// A block has kLabelTiles tiles. With kByTile, it counts labeled tiles, and a tile begins when its
// rows are done if `progress` counts them.
template <bool kByTile>
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    label_kernel(TilePlane candidate, TilePlane strong, TilePlane result,
                 __grid_constant__ const RegionPlane region, OpenComponents components,
                 FrameProgress progress, unsigned long long* count) {
  __shared__ TileForest forests[kLabelTiles];
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y, tile_y = blockIdx.y;
  const int tile = candidate.tile(tile_x, tile_y);
  if (!kByTile || !progress.rows.is_set()) wait_for_previous_kernel();
  if (!kByTile) start_next_kernel();
  if (tile_x >= candidate.columns()) return;  // the whole warp
  if constexpr (kByTile) {
    if (progress.rows.is_set())
      wait_for_progress(progress.rows, tile, min(kTile, candidate.height - tile_y * kTile));
    start_next_kernel();
  }
  if (threadIdx.x == 0 && tile_x == 0 && tile_y == 0) count[blockIdx.z] = 0;
  label_tile(candidate, strong, result, region, components, tile_x, &forests[threadIdx.y]);
  if constexpr (kByTile) add_label(candidate, tile_x, progress.neighbors);
}

Status until_stable(const Edges& edges, const TilePlane& strong, const RegionPlane& region,
                    const HysteresisBuffers& buffers, Launcher* launcher) {
  const FrameProgress& progress = buffers.progress;
  const auto kernel = progress.neighbors.is_set() ? label_kernel<true> : label_kernel<false>;
  CANNY_TRY(launcher->launch_tiles("label kernel", kernel, edges.open, kLabelTiles, edges.open,
                                   strong, edges.decided, region, edges.components, progress,
                                   buffers.count));
  return merge(edges, progress.neighbors, launcher);
}

// ---- passes ----

// Computes E(pass + 1) from E(pass) in `from`.
__global__ void __launch_bounds__(kTile* kPassTiles)
    pass_kernel(int pass, TilePlane candidate, TilePlane from, TilePlane to, std::uint32_t* grew,
                unsigned long long* count) {
  wait_and_start_next();
  run_pass(pass, candidate, from, to, grew, count);
}

Status run_passes(unsigned passes, const TilePlane& candidate, const TilePlane& strong,
                  const RegionPlane& region, const HysteresisBuffers& buffers, TilePlane* edges,
                  Launcher* launcher) {
  if (region.is_set()) CANNY_TRY(drop_outside(region, candidate, strong, launcher));
  TilePlane from = strong, to = strong;
  to.words = buffers.other;
  for (unsigned pass = 0; pass < passes; ++pass) {
    CANNY_TRY(launcher->launch_tiles("pass kernel", pass_kernel, candidate, kPassTiles, pass,
                                     candidate, from, to, buffers.grew, buffers.count));
    std::swap(from, to);
    if (pass == 0 && buffers.edges != nullptr) to.words = buffers.edges;
  }
  *edges = from;
  return {};
}

}  // namespace

std::size_t forest_nodes(std::size_t tiles) { return 1 + tiles * kTileComponents; }
std::size_t run_places(std::size_t tiles) { return tiles * kRunsPerTile; }

Status hysteresis(unsigned passes, const TilePlane& candidate, const TilePlane& strong,
                  const RegionPlane& region, const HysteresisBuffers& buffers, Edges* edges,
                  Launcher* launcher) {
  *edges = {};
  if (passes > 0)
    return run_passes(passes, candidate, strong, region, buffers, &edges->decided, launcher);
  *edges = {strong, candidate, buffers.components};
  if (buffers.edges != nullptr) edges->decided.words = buffers.edges;
  return until_stable(*edges, strong, region, buffers, launcher);
}

}  // namespace canny::cuda
