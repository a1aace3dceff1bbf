// SPDX-License-Identifier: LGPL-2.1-or-later
// Ends hysteresis: finds the edge bits of a tile, for the kernels that come after it.
#pragma once

#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/tuning.h"

namespace canny::cuda {

/// Returns the edges among the open runs in a lane's row of a tile. The whole warp calls this.
__device__ inline std::uint32_t resolve_open_runs(const OpenComponents& all, int tile,
                                                  int components, std::uint32_t open) {
  static_assert(kTileComponents == 2 * kWarp);
  std::uint32_t is_edge[2] = {};  // a bit a component
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int component = i * kWarp + threadIdx.x;
    if (i * kWarp < components) {
      is_edge[i] =
          __ballot_sync(~0u, component < components &&
                                 find_root(all.parent, node_of(tile, component)) == kStrong);
    }
  }
  if ((is_edge[0] | is_edge[1]) == 0) return 0;
  std::uint32_t edges = 0;
  for (std::uint32_t starts = run_starts(open); starts != 0; starts &= starts - 1) {
    const unsigned run = tile * kRunsPerTile + run_at(threadIdx.x, __ffs(starts) - 1);
    const int component = all.of_run[run];
    const std::uint32_t flags = component < kWarp ? is_edge[0] : is_edge[1];
    if (flags >> component % kWarp & 1) edges |= first_run(open, starts);
  }
  return edges;
}

/// A tile's edges as loaded: the decided edges in a lane's row, and the number of open components.
struct LoadedEdges {
  std::uint32_t decided;
  int components;
};

/// Begins to load a tile, one row per lane. `has_row` says whether the lane's row is in the image.
/// A tile that is not there has no edges. Loads of several tiles overlap if all of them begin
/// before the first edge_row().
__device__ inline LoadedEdges load_edges(const Edges& edges, int tile, bool is_there,
                                         bool has_row) {
  const int lane = threadIdx.x;
  return {is_there && has_row ? edges.decided.row_of(tile, lane) : 0,
          is_there && edges.open.words != nullptr ? component_count(edges.components.summary[tile])
                                                  : 0};
}

/// Returns the edge bits of a lane's row of the tile. The whole warp calls this.
__device__ inline std::uint32_t edge_row(const Edges& edges, int tile, const LoadedEdges& loaded,
                                         bool has_row) {
  const int lane = threadIdx.x;
  std::uint32_t row = loaded.decided;
  if (loaded.components != 0)
    row |= resolve_open_runs(edges.components, tile, loaded.components,
                             has_row ? edges.open.row_of(tile, lane) : 0);
  return row;
}

}  // namespace canny::cuda
