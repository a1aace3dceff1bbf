// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts candidates, strong pixels, and the components of an edge map: those within a tile when it
// is labeled, the others as the roots of the forest after components were joined across tiles.
#include "cuda/hysteresis/hysteresis.h"

#include "cuda/check.h"
#include "cuda/geometry.h"
#include "cuda/hysteresis/edges.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/label_edges.h"
#include "cuda/hysteresis/tile_forest.h"
#include "cuda/tuning.h"
#include "cuda/warp.h"

namespace canny::cuda {
namespace {

// Adds the sum over a warp, all of whose lanes call this.
__device__ void add_of_warp(unsigned own, unsigned long long* total) {
  const unsigned sum = sum_of_warp(own);
  if (threadIdx.x == 0 && sum != 0) atomicAdd(total, sum);
}

// A warp a tile, a row per lane.
__global__ void __launch_bounds__(kWarp* kPassTiles)
    count_pixels_kernel(TilePlane candidate, TilePlane strong, FrameCounts* counts) {
  const int tile_x = blockIdx.x * kPassTiles + threadIdx.y, y = blockIdx.y * kTile + threadIdx.x;
  wait_and_start_next();
  if (tile_x >= candidate.columns()) return;  // the whole warp
  add_of_warp(__popc(candidate.at(tile_x, y)), &counts[blockIdx.z].candidates);
  add_of_warp(__popc(strong.at(tile_x, y)), &counts[blockIdx.z].strong);
}

// Labels the edges of a tile. Components that reach its border become open components of `labels`,
// which has no decided edges; others are counted.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    label_edges_kernel(Edges edges, Edges labels, FrameCounts* counts) {
  __shared__ RootedForest forests[kLabelTiles];
  RootedForest* forest = &forests[threadIdx.y];
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y;
  const int y = blockIdx.y * kTile + threadIdx.x, tile = edges.decided.tile(tile_x, blockIdx.y);
  const bool has_row = y < edges.decided.height;
  wait_and_start_next();
  if (tile_x >= edges.decided.columns()) return;  // the whole warp
  const std::uint32_t row = edge_row(edges, tile, load_edges(edges, tile, true, has_row), has_row);
  plant(row, &forest->trees);
  find_roots(row, border_of(edges.decided, tile_x, y), forest, [](const Run&, std::uint32_t) {});
  const auto is_open = [&](std::uint32_t root) { return reaches_border(forest->trees, root); };
  unsigned closed = 0;
  const std::uint32_t open = open_roots(
      tile, row, forest, labels.components, is_open, [](std::uint32_t, std::uint32_t) {},
      [&](const Run& run, std::uint32_t root) {
        if (root == run.node && !is_open(root)) ++closed;
      });
  add_of_warp(closed, &counts[blockIdx.z].components);
  if (!has_row) return;
  labels.decided.word(tile_x, y) = 0;
  labels.open.word(tile_x, y) = open;
}

// Counts the roots among the open components of a tile.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    count_roots_kernel(Edges labels, FrameCounts* counts) {
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y;
  wait_and_start_next();
  if (tile_x >= labels.open.columns()) return;  // the whole warp
  const int tile = labels.open.tile(tile_x, blockIdx.y),
            components = component_count(labels.components.summary[tile]);
  unsigned roots = 0;
  for (int component = threadIdx.x; component < components; component += kWarp) {
    const std::uint32_t node = node_of(tile, component);
    if (labels.components.parent[node] == node) ++roots;
  }
  add_of_warp(roots, &counts[blockIdx.z].components);
}

}  // namespace

Status count_pixels(const TilePlane& candidate, const TilePlane& strong, FrameCounts* counts,
                    Launcher* launcher) {
  const dim3 grid(blocks(candidate.columns(), kPassTiles), candidate.rows());
  return launcher->launch("pixel count kernel", count_pixels_kernel, grid, dim3(kWarp, kPassTiles),
                          0, candidate, strong, counts);
}

Status count_components(const Edges& edges, const Edges& labels, FrameCounts* counts,
                        Launcher* launcher) {
  const dim3 grid(blocks(labels.open.columns(), kLabelTiles), labels.open.rows());
  const dim3 block(kWarp, kLabelTiles);
  CANNY_TRY(launcher->launch("edge label kernel", label_edges_kernel, grid, block, 0, edges, labels,
                             counts));
  CANNY_TRY(merge(labels, {}, launcher));
  return launcher->launch("root count kernel", count_roots_kernel, grid, block, 0, labels, counts);
}

}  // namespace canny::cuda
