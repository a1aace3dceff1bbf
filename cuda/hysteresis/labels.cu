// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels the components of an edge map, first within tiles, then across their borders, to remove
// those with few pixels or to count them; counts candidates and strong pixels. As in hysteresis, a
// component is an edge if its root is kStrong; here that means that it is long enough.
#include "cuda/hysteresis/hysteresis.h"

#include "cuda/check.h"
#include "cuda/hysteresis/edges.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/tile_forest.h"
#include "cuda/tuning.h"
#include "cuda/warp.h"

namespace canny::cuda {
namespace {

// Trees of a tile with the root of each node.
struct RootedForest {
  TileForest trees;
  std::uint16_t root[kTileNodes];
  std::uint32_t components;
};

// Finds the root of each run of a lane's row, after plant(), and notes which roots reach the
// border. Calls f(run, root).
template <class F>
__device__ void find_roots(std::uint32_t edges, std::uint32_t border, RootedForest* forest, F f) {
  clear_border(&forest->trees);
  if (threadIdx.x == 0) forest->components = 0;
  __syncwarp();
  for_each_run(edges, [&](const Run& run) {
    const std::uint32_t root = root_in_tile(forest->trees, run.node);
    forest->root[run.node] = static_cast<std::uint16_t>(root);
    if (run.pixels & border) set_reaches_border(&forest->trees, root);
    f(run, root);
  });
  __syncwarp();
}

// Makes an open component of each root for which is_open(root), after find_roots(), and calls
// on_open(root, node of the component); then calls f(run, root) for each run of a lane's row.
// Returns the runs that are open.
template <class IsOpen, class OnOpen, class F>
__device__ std::uint32_t open_roots(int tile, std::uint32_t edges, RootedForest* forest,
                                    const OpenComponents& components, IsOpen is_open,
                                    OnOpen on_open, F f) {
  for_each_run(edges, [&](const Run& run) {
    const std::uint32_t root = run.node;
    if (forest->root[root] != root || !is_open(root)) return;
    const std::uint32_t component = atomicAdd(&forest->components, 1u);
    forest->trees.parent[root] = component;
    const std::uint32_t node = node_of(tile, component);
    components.parent[node] = node;
    on_open(root, node);
  });
  __syncwarp();
  std::uint32_t open = 0;
  for_each_run(edges, [&](const Run& run) {
    const std::uint32_t root = forest->root[run.node];
    f(run, root);
    if (!is_open(root)) return;
    open |= run.pixels;
    components.of_run[tile * kRunsPerTile + run.place] =
        static_cast<std::uint8_t>(forest->trees.parent[root]);
  });
  const std::uint8_t summary = tile_summary(forest->components, open);
  if (threadIdx.x == 0) components.summary[tile] = summary;
  return open;
}

// ---- short edges ----

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
  plant(row, row_above(row), 0, &forest->trees);
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

// ---- counts ----

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
  plant(row, row_above(row), 0, &forest->trees);
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

Status remove_short(unsigned min_length, const LengthBuffers& buffers, Edges* edges,
                    Launcher* launcher) {
  const Edges before = *edges;
  *edges = {before.decided, buffers.open, buffers.components};
  CANNY_TRY(launcher->launch_tiles("length kernel", measure_tiles_kernel, edges->open, kLabelTiles,
                                   min_length, before, *edges, buffers.lengths));
  CANNY_TRY(merge(*edges, {}, launcher));
  return launcher->launch_tiles("length sum kernel", add_lengths_kernel, edges->open, kLabelTiles,
                                min_length, *edges, buffers.lengths);
}

Status count_pixels(const TilePlane& candidate, const TilePlane& strong, FrameCounts* counts,
                    Launcher* launcher) {
  return launcher->launch_tiles("pixel count kernel", count_pixels_kernel, candidate, kPassTiles,
                                candidate, strong, counts);
}

Status count_components(const Edges& edges, const Edges& labels, FrameCounts* counts,
                        Launcher* launcher) {
  CANNY_TRY(launcher->launch_tiles("edge label kernel", label_edges_kernel, labels.open,
                                   kLabelTiles, edges, labels, counts));
  CANNY_TRY(merge(labels, {}, launcher));
  return launcher->launch_tiles("root count kernel", count_roots_kernel, labels.open, kLabelTiles,
                                labels, counts);
}

}  // namespace canny::cuda
