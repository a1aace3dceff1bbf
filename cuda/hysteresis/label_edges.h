// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels the components of an edge map within a tile: what lengths.cu and counts.cu share. A warp
// handles a tile, a row per lane.
#pragma once

#include <cstdint>

#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/hysteresis/tile_forest.h"

namespace canny::cuda {

/// Finds the root of each run of a lane's row, after plant(), and notes which roots reach the
/// border. Calls f(run, root).
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

/// Makes an open component of each root for which is_open(root), after find_roots(), and calls
/// on_open(root, node of the component); then calls f(run, root) for each run of a lane's row.
/// Returns the runs that are open.
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

}  // namespace canny::cuda
