// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels the components of an edge map and counts their pixels, first within tiles, then across
// their borders. As in hysteresis, a component is an edge if its root is kStrong; here that means
// that it is long enough.
#include "cuda/hysteresis/lengths.h"

#include "cuda/check.h"
#include "cuda/geometry.h"
#include "cuda/hysteresis/edges.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/merge.h"
#include "cuda/hysteresis/tile_forest.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// A tile's components and their pixels, one entry per root.
struct TileLengths {
  RootedForest forest;
  std::uint32_t pixels[kTileNodes];
};

// Finds the root of each run of a lane's row, counts the pixels of each root, and notes which roots
// reach the border.
__device__ void count_pixels(std::uint32_t edges, std::uint32_t border, TileLengths* tile) {
  RootedForest* forest = &tile->forest;
  clear_border(&forest->trees);
  if (threadIdx.x == 0) forest->components = 0;
  for_each_run(edges, [&](const Run& run) { tile->pixels[run.node] = 0; });
  __syncwarp();
  for_each_run(edges, [&](const Run& run) {
    const std::uint32_t root = root_in_tile(forest->trees, run.node);
    forest->root[run.node] = static_cast<std::uint16_t>(root);
    atomicAdd(&tile->pixels[root], static_cast<std::uint32_t>(__popc(run.pixels)));
    if (run.pixels & border) set_reaches_border(&forest->trees, root);
  });
  __syncwarp();
}

// Finds the edges of a tile that are long enough within it. Shorter ones that reach its border stay
// open, as components with their numbers of pixels; others vanish.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    measure_tiles_kernel(unsigned min_length, Edges edges, Edges result, std::uint32_t* lengths) {
  __shared__ TileLengths all[kLabelTiles];
  TileLengths* own = &all[threadIdx.y];
  RootedForest* forest = &own->forest;
  const int lane = threadIdx.x, tile_x = blockIdx.x * kLabelTiles + threadIdx.y;
  const int y = blockIdx.y * kTile + lane, tile = edges.decided.tile(tile_x, blockIdx.y);
  const bool has_row = y < edges.decided.height;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= edges.decided.columns()) return;  // the whole warp
  const std::uint32_t row = edge_row(edges, tile, load_edges(edges, tile, true, has_row), has_row);
  plant(row, 0, &forest->trees);
  count_pixels(row, border_of(edges.decided, tile_x, y), own);

  const auto is_long = [&](std::uint32_t root) { return own->pixels[root] >= min_length; };
  const auto is_open = [&](std::uint32_t root) {
    return !is_long(root) && reaches_border(forest->trees, root);
  };
  for_each_run(row, [&](const Run& run) {
    const std::uint32_t node = run.node;
    if (forest->root[node] != node || !is_open(node)) return;
    const std::uint32_t component = atomicAdd(&forest->components, 1u);
    forest->trees.parent[node] = component;
    result.components.parent[node_of(tile, component)] = node_of(tile, component);
    lengths[node_of(tile, component)] = own->pixels[node];
  });
  __syncwarp();
  std::uint32_t decided = 0, open = 0;
  for_each_run(row, [&](const Run& run) {
    const std::uint32_t root = forest->root[run.node];
    if (is_long(root)) decided |= run.pixels;
    if (!is_open(root)) return;
    open |= run.pixels;
    result.components.of_run[tile * kRunsPerTile + run.place] =
        static_cast<std::uint8_t>(forest->trees.parent[root]);
  });
  const std::uint8_t summary = tile_summary(forest->components, open);
  if (lane == 0) result.components.summary[tile] = summary;
  if (!has_row) return;
  result.decided.word(tile_x, y) = decided;
  result.open.word(tile_x, y) = open;
}

// Adds the pixels of joined components to those of their root. Whoever reaches the minimum turns
// the root into an edge; later additions are not needed.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    add_lengths_kernel(unsigned min_length, Edges edges, std::uint32_t* lengths) {
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= edges.open.columns()) return;
  const int tile = edges.open.tile(tile_x, blockIdx.y),
            components = component_count(edges.components.summary[tile]);
  std::uint32_t* parent = edges.components.parent;
  for (int component = threadIdx.x; component < components; component += kWarp) {
    const std::uint32_t node = node_of(tile, component), root = find_root(parent, node);
    if (root == node || root == kStrong) continue;
    const std::uint32_t added = lengths[node];
    if (atomicAdd(&lengths[root], added) + added >= min_length)
      ForestNode(parent[root]).store(kStrong, ::cuda::memory_order_relaxed);
  }
}

}  // namespace

Status remove_short(unsigned min_length, const LengthBuffers& buffers, Edges* edges,
                    Launcher* launcher) {
  const Edges before = *edges;
  *edges = {before.decided, buffers.open, buffers.components};
  const dim3 grid(blocks(edges->open.columns(), kLabelTiles), edges->open.rows());
  const dim3 block(kWarp, kLabelTiles);
  CANNY_TRY(launcher->launch("length kernel", measure_tiles_kernel, grid, block, 0, min_length,
                             before, *edges, buffers.lengths));
  CANNY_TRY(merge(*edges, launcher));
  return launcher->launch("length sum kernel", add_lengths_kernel, grid, block, 0, min_length,
                          *edges, buffers.lengths);
}

}  // namespace canny::cuda
