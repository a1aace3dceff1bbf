// SPDX-License-Identifier: LGPL-2.1-or-later
// A union-find forest over the open components of tiles, in device memory. A node's parent is a
// smaller node, or itself: a root. Node kStrong, the smallest, stands for all strong pixels and is
// not in memory. A component is an edge if its root is kStrong.
//
// Finding and joining follow Jaiganesh and Burtscher, "A high-performance connected components
// implementation for GPUs" (HPDC 2018): a search for a root halves the path to it, and only roots
// are hooked to other trees, so nothing is undone and no lock is needed.
#pragma once

#include <cuda/atomic>

#include "canny/bits.h"

namespace canny::cuda {

inline constexpr int kRunsPerRow = kTile / 2;  ///< two runs begin at least two pixels apart
inline constexpr int kRunsPerTile = kTile * kRunsPerRow;
/// At least the components that can reach the border of a tile, which are 62: of its 124 pixels
/// there, no two neighbors belong to different ones.
inline constexpr int kTileComponents = 64;

inline constexpr std::uint32_t kStrong = 0;

/// The node of component `component` of a tile.
__device__ inline std::uint32_t node_of(int tile, int component) {
  return 1 + tile * kTileComponents + component;
}

using ForestNode = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

/// The root of a node's tree. Other threads may find and join meanwhile.
__device__ inline std::uint32_t find_root(std::uint32_t* parent, std::uint32_t node) {
  while (node != kStrong) {
    const std::uint32_t above = ForestNode(parent[node]).load(::cuda::memory_order_relaxed);
    if (above == node || above == kStrong) return above;
    const std::uint32_t next = ForestNode(parent[above]).load(::cuda::memory_order_relaxed);
    if (next == above) return above;
    ForestNode(parent[node]).store(next, ::cuda::memory_order_relaxed);
    node = next;
  }
  return kStrong;
}

/// Joins the trees of two nodes. Walks to both roots at the same time.
__device__ inline void join(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  const auto above = [&](std::uint32_t node) {
    return node == kStrong ? kStrong : ForestNode(parent[node]).load(::cuda::memory_order_relaxed);
  };
  while (a != b) {
    const std::uint32_t above_a = above(a), above_b = above(b);
    if (above_a == a && above_b == b) {
      const std::uint32_t larger = max(a, b), smaller = min(a, b);
      if (atomicCAS(&parent[larger], larger, smaller) == larger) return;
      continue;
    }
    const std::uint32_t next_a = above(above_a), next_b = above(above_b);
    if (next_a != above_a) ForestNode(parent[a]).store(next_a, ::cuda::memory_order_relaxed);
    if (next_b != above_b) ForestNode(parent[b]).store(next_b, ::cuda::memory_order_relaxed);
    a = next_a;
    b = next_b;
  }
}

inline constexpr std::uint32_t kNoPixel = ~0u;

struct NodePair {
  std::uint32_t a = kNoPixel, b = kNoPixel;

  __device__ bool exists() const { return a != kNoPixel && b != kNoPixel; }
};

/// Nodes to join that touch across a border. The lanes lie along it; a lane's pixels on its two
/// sides are nodes a and b, and those of lane -1 are a_before and b_before. For lanes i - 1 and i
/// it is enough to join a and b of lane i, or else a of one lane and b of the other. If both of
/// lane i - 1 exist, those of lane i are joined to them along the border.
__device__ inline NodePair pair_at_border(std::uint32_t a, std::uint32_t b, std::uint32_t a_before,
                                          std::uint32_t b_before) {
  const std::uint32_t a_up = __shfl_up_sync(~0u, a, 1), b_up = __shfl_up_sync(~0u, b, 1);
  if (threadIdx.x > 0) a_before = a_up, b_before = b_up;
  if (a_before != kNoPixel && b_before != kNoPixel) return {};
  return {a == kNoPixel ? a_before : a, b == kNoPixel ? b_before : b};
}

// ---- runs of ones in a word ----

__device__ inline std::uint32_t run_starts(std::uint32_t word) { return word & ~(word << 1); }

/// The whole run that begins at the lowest start of `starts`.
__device__ inline std::uint32_t first_run(std::uint32_t word, std::uint32_t starts) {
  return word & ~(word + (starts & -starts));
}

/// The first bit of the run of `word` that contains bit `bit`.
__device__ inline unsigned start_of_run(std::uint32_t word, unsigned bit) {
  return kWordBits - __clz(static_cast<int>(~word & ((1u << bit) - 1)));
}

/// The place of the run that begins at bit `start` of a row, among a tile's runs. Runs that begin
/// at the same bit of several rows lie side by side, so that a warp, whose lanes are rows, reaches
/// them together.
__device__ inline unsigned run_at(unsigned row, unsigned start) { return start / 2 * kTile + row; }

// ---- what a tile tells merge_kernel() and what comes after it ----

/// The number of a tile's open components, and whether any has a pixel in the first row or column
/// of the tile, and in the last ones.
__device__ inline std::uint8_t tile_summary(unsigned components, std::uint32_t open) {
  const std::uint32_t first = threadIdx.x == 0 ? ~0u : 1;
  const std::uint32_t last = threadIdx.x == kTile - 1 ? ~0u : 1u << 31;
  const bool at_first = __any_sync(~0u, (open & first) != 0);
  const bool at_last = __any_sync(~0u, (open & last) != 0);
  return static_cast<std::uint8_t>(components | (at_first ? 64 : 0) | (at_last ? 128 : 0));
}
__device__ inline int component_count(unsigned summary) { return summary & 63; }
__device__ inline bool is_open_at_first(unsigned summary) { return (summary & 64) != 0; }
__device__ inline bool is_open_at_last(unsigned summary) { return (summary & 128) != 0; }

}  // namespace canny::cuda
