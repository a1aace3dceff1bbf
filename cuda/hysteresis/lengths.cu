// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels the components of an edge map and counts their pixels, first within tiles, then across
// their borders. As in hysteresis, a component is an edge if its root is kStrong; here that means
// that it is long enough.
#include "cuda/hysteresis/hysteresis.h"

#include "cuda/check.h"
#include "cuda/geometry.h"
#include "cuda/hysteresis/edges.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/label_edges.h"
#include "cuda/hysteresis/tile_forest.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// A tile's components and their pixels, one entry per root.
struct TileLengths {
  RootedForest forest;
  std::uint32_t pixels[kTileNodes];
};

// Finds the edges of a tile that are long enough within it. Shorter ones that reach its border stay
// open, as components with their numbers of pixels; others vanish.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    measure_tiles_kernel(unsigned min_length, Edges edges, Edges result, std::uint32_t* lengths) {
  __shared__ TileLengths all[kLabelTiles];
  TileLengths* own = &all[threadIdx.y];
  RootedForest* forest = &own->forest;
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y;
  const int y = blockIdx.y * kTile + threadIdx.x, tile = edges.decided.tile(tile_x, blockIdx.y);
  const bool has_row = y < edges.decided.height;
  wait_and_start_next();
  if (tile_x >= edges.decided.columns()) return;  // the whole warp
  const std::uint32_t row = edge_row(edges, tile, load_edges(edges, tile, true, has_row), has_row);
  plant(row, &forest->trees);
  for_each_run(row, [&](const Run& run) { own->pixels[run.node] = 0; });
  find_roots(row, border_of(edges.decided, tile_x, y), forest,
             [&](const Run& run, std::uint32_t root) {
               atomicAdd(&own->pixels[root], static_cast<std::uint32_t>(__popc(run.pixels)));
             });

  const auto is_long = [&](std::uint32_t root) { return own->pixels[root] >= min_length; };
  const auto is_open = [&](std::uint32_t root) {
    return !is_long(root) && reaches_border(forest->trees, root);
  };
  std::uint32_t decided = 0;
  const std::uint32_t open = open_roots(
      tile, row, forest, result.components, is_open,
      [&](std::uint32_t root, std::uint32_t node) { lengths[node] = own->pixels[root]; },
      [&](const Run& run, std::uint32_t root) {
        if (is_long(root)) decided |= run.pixels;
      });
  if (!has_row) return;
  result.decided.word(tile_x, y) = decided;
  result.open.word(tile_x, y) = open;
}

// Adds the pixels of joined components to those of their root. Whoever reaches the minimum turns
// the root into an edge; later additions are not needed.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    add_lengths_kernel(unsigned min_length, Edges edges, std::uint32_t* lengths) {
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y;
  wait_and_start_next();
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
  CANNY_TRY(merge(*edges, {}, launcher));
  return launcher->launch("length sum kernel", add_lengths_kernel, grid, block, 0, min_length,
                          *edges, buffers.lengths);
}

}  // namespace canny::cuda
