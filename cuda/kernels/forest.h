// SPDX-License-Identifier: LGPL-2.1-or-later
// A union-find forest over the runs of ones in the words of a bit plane. A node is the number of
// the place that a run begins in, and its parent is a smaller node, or itself: a root. Node
// kStrong, the smallest, stands for all strong pixels, so that a run is an edge if its root is
// kStrong.
#pragma once

#include <cuda/atomic>

#include "bitplane.h"

namespace canny::cuda {

inline constexpr std::uint32_t kStrong = 0;
inline constexpr int kRunsPerWord = kWordBits / 2;

__device__ inline std::uint32_t run_starts(std::uint32_t word) { return word & ~(word << 1); }

/// The whole run that begins at the lowest start of `starts`.
__device__ inline std::uint32_t first_run(std::uint32_t word, std::uint32_t starts) {
  return word & ~(word + (starts & -starts));
}

/// The node of the run that begins at bit `start` of word number `word_index`. Two runs begin at
/// least two bits apart.
__device__ inline std::uint32_t node_of(std::uint32_t word_index, int start) {
  return 1 + word_index * kRunsPerWord + start / 2;
}

/// The node of the run of `word` that holds bit `bit`.
__device__ inline std::uint32_t node_at(std::uint32_t word_index, std::uint32_t word, int bit) {
  const std::uint32_t zeros = ~word & ((1u << bit) - 1);
  return node_of(word_index, kWordBits - __clz(zeros));
}

__device__ inline std::uint32_t parent_of(const std::uint32_t* parent, std::uint32_t node) {
  return ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>(
             const_cast<std::uint32_t&>(parent[node]))
      .load(::cuda::memory_order_relaxed);
}

/// The root above a node of a forest in global memory. Others may join trees meanwhile.
__device__ inline std::uint32_t find_root(const std::uint32_t* parent, std::uint32_t node) {
  for (;;) {
    const std::uint32_t above = parent_of(parent, node);
    if (above == node) return node;
    node = above;
  }
}

/// One step of joining the trees of *a and *b, which differ; they are equal once that is done. A
/// parent only ever becomes smaller, so there are no cycles, and no order of steps loses a link:
/// what *a hung from before is joined next.
__device__ inline void join_step(std::uint32_t* parent, std::uint32_t* a, std::uint32_t* b) {
  const std::uint32_t larger = max(*a, *b), smaller = min(*a, *b);
  const std::uint32_t before = atomicMin(&parent[larger], smaller);
  *a = before == larger ? smaller : before;
  *b = smaller;
}

__device__ inline void join(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  while (a != b) join_step(parent, &a, &b);
}

}  // namespace canny::cuda
