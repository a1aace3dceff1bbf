// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on the GPU. Until stable: runs of candidates within a word are the nodes of a
// union-find forest, and all strong runs hang from one node, STRONG, so that a run is an edge if
// its root is STRONG. The work does not depend on how far edges wind. Bounded: passes over tiles,
// after Luo and Duraiswami, "Canny edge detection on NVIDIA CUDA" (CVPRW 2008), section 3.
#include <cuda/atomic>

#include "kernels/check.h"
#include "kernels/geometry.h"
#include "kernels/hysteresis.h"
#include "kernels/tuning.h"

namespace canny::cuda {
namespace {

// ---- until stable ----

constexpr std::uint32_t kStrong = 0;
constexpr int kRunsPerWord = kWordBits / 2;

using Node = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

__device__ std::uint32_t parent_of(std::uint32_t* parent, std::uint32_t node) {
  return Node(parent[node]).load(::cuda::memory_order_relaxed);
}

// The root above a node. Halves the path on the way: an entry that is no root only ever changes
// to another node above it, so a concurrent reader still arrives.
__device__ std::uint32_t find_root(std::uint32_t* parent, std::uint32_t node) {
  std::uint32_t above = parent_of(parent, node);
  while (above != node) {
    const std::uint32_t next = parent_of(parent, above);
    if (next != above) Node(parent[node]).store(next, ::cuda::memory_order_relaxed);
    node = above;
    above = next;
  }
  return node;
}

// Joins two trees. Only a root gets a new parent, which is smaller: there are no cycles, and
// STRONG, the smallest, stays a root.
__device__ void unite(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a == b) return;
    const std::uint32_t larger = max(a, b), smaller = min(a, b);
    std::uint32_t expected = larger;
    if (Node(parent[larger])
            .compare_exchange_strong(expected, smaller, ::cuda::memory_order_relaxed))
      return;
  }
}

__device__ std::uint32_t run_starts(std::uint32_t word) { return word & ~(word << 1); }

// The whole run that begins at the lowest start of `starts`.
__device__ std::uint32_t first_run(std::uint32_t word, std::uint32_t starts) {
  return word & ~(word + (starts & -starts));
}

__device__ std::uint32_t node_of(std::uint32_t word_index, int run) {
  return 1 + word_index * kRunsPerWord + run;
}

// The node of the run of `word` that holds bit `bit`.
__device__ std::uint32_t node_at(std::uint32_t word_index, std::uint32_t word, int bit) {
  return node_of(word_index, __popc(run_starts(word) & ((2u << bit) - 1)) - 1);
}

// The word of a thread, one dimension over the plane.
__device__ std::uint32_t word_index() { return blockIdx.x * kWordThreads + threadIdx.x; }

// Makes every run a tree of its own, or a child of STRONG.
__global__ void __launch_bounds__(kWordThreads)
    plant_kernel(BitPlane candidate, BitPlane strong, std::uint32_t* parent) {
  const std::uint32_t index = word_index();
  if (index == 0) parent[kStrong] = kStrong;
  if (index >= candidate.size_words()) return;
  const std::uint32_t word = candidate.words[index], strong_word = strong.words[index];
  std::uint32_t starts = run_starts(word);
  for (int run = 0; starts != 0; ++run, starts &= starts - 1) {
    const std::uint32_t node = node_of(index, run);
    parent[node] = first_run(word, starts) & strong_word ? kStrong : node;
  }
}

// Joins every run with those it touches to the left and in the row above.
__global__ void __launch_bounds__(kWordThreads)
    join_kernel(BitPlane candidate, std::uint32_t* parent) {
  const std::uint32_t index = word_index();
  if (index >= candidate.size_words()) return;
  const std::uint32_t word = candidate.words[index];
  if (word == 0) return;
  const int row_words = candidate.words_per_row();
  const int y = index / row_words, w = index % row_words;

  const std::uint32_t before = candidate.at(w - 1, y);
  if (word & 1 && before >> 31) unite(parent, node_of(index, 0), node_at(index - 1, before, 31));

  const std::uint32_t above_index = index - row_words;
  const std::uint32_t above = candidate.at(w, y - 1);
  const std::uint32_t above_left = candidate.at(w - 1, y - 1);
  const std::uint32_t above_right = candidate.at(w + 1, y - 1);
  std::uint32_t starts = run_starts(word);
  for (int run = 0; starts != 0; ++run, starts &= starts - 1) {
    const std::uint32_t bits = first_run(word, starts);
    const std::uint32_t node = node_of(index, run);
    std::uint32_t touched = spread(bits) & above;
    while (touched != 0) {
      const int bit = __ffs(touched) - 1;
      unite(parent, node, node_at(above_index, above, bit));
      touched &= above + (1u << bit);  // drops what is left of that run
    }
    if (bits & 1 && above_left >> 31) unite(parent, node, node_at(above_index - 1, above_left, 31));
    if (bits >> 31 && above_right & 1) unite(parent, node, node_of(above_index + 1, 0));
  }
}

// Keeps the runs that hang from STRONG.
__global__ void __launch_bounds__(kWordThreads)
    select_kernel(BitPlane candidate, BitPlane edges, std::uint32_t* parent) {
  const std::uint32_t index = word_index();
  if (index >= candidate.size_words()) return;
  const std::uint32_t word = candidate.words[index];
  std::uint32_t kept = 0;
  std::uint32_t starts = run_starts(word);
  for (int run = 0; starts != 0; ++run, starts &= starts - 1) {
    if (find_root(parent, node_of(index, run)) == kStrong) kept |= first_run(word, starts);
  }
  edges.words[index] = kept;
}

Status until_stable(const BitPlane& candidate, const BitPlane& edges, std::uint32_t* parent,
                    cudaStream_t stream) {
  const int grid = blocks(static_cast<int>(candidate.size_words()), kWordThreads);
  plant_kernel<<<grid, kWordThreads, 0, stream>>>(candidate, edges, parent);
  CANNY_TRY(launch_status("plant kernel"));
  join_kernel<<<grid, kWordThreads, 0, stream>>>(candidate, parent);
  CANNY_TRY(launch_status("join kernel"));
  select_kernel<<<grid, kWordThreads, 0, stream>>>(candidate, edges, parent);
  return launch_status("select kernel");
}

// ---- passes ----

// The bits of the words that a warp holds, one row of a tile a lane, that touch an edge outside
// the tile.
__device__ std::uint32_t touched_from_outside(const BitPlane& edges, int w, int y) {
  std::uint32_t touched = 0;
  for (int row = y - 1; row <= y + 1; ++row) {
    touched |= edges.at(w - 1, row) >> (kWordBits - 1);
    touched |= edges.at(w + 1, row) << (kWordBits - 1);
  }
  if (y % kTile == 0) touched |= spread(edges.at(w, y - 1));
  if (y % kTile == kTile - 1) touched |= spread(edges.at(w, y + 1));
  return touched;
}

// The edges of a tile, one row a lane, grown through its candidates until they are stable.
__device__ std::uint32_t flood_tile(std::uint32_t candidate, std::uint32_t edges) {
  const int lane = threadIdx.x;
  edges = fill_runs(candidate, edges);
  for (bool changed = true; __any_sync(~0u, changed);) {
    std::uint32_t above = __shfl_up_sync(~0u, edges, 1);
    std::uint32_t below = __shfl_down_sync(~0u, edges, 1);
    if (lane == 0) above = 0;
    if (lane == kTile - 1) below = 0;
    const std::uint32_t grown = fill_runs(candidate, edges | spread(above) | spread(below));
    changed = grown != edges;
    edges = grown;
  }
  return edges;
}

// E(k + 1) of E(k), a warp a tile. A pass after one that changed nothing has nothing to do: `to`,
// which holds E(k - 1), equals E(k).
__global__ void __launch_bounds__(kTile* kPassTiles)
    pass_kernel(BitPlane candidate, BitPlane from, BitPlane to, const std::uint32_t* grew_before,
                std::uint32_t* grew) {
  if (grew_before != nullptr && *grew_before == 0) return;
  const int w = blockIdx.x * kPassTiles + threadIdx.y;
  const int y = blockIdx.y * kTile + threadIdx.x;
  if (w >= candidate.words_per_row()) return;  // the whole warp
  const std::uint32_t mask = candidate.at(w, y);
  const std::uint32_t before = from.at(w, y);
  const std::uint32_t edges = flood_tile(mask, before | (mask & touched_from_outside(from, w, y)));
  if (y < candidate.height) to.row(y)[w] = edges;
  if (__any_sync(~0u, edges != before) && threadIdx.x == 0) *grew = 1;
}

Status run_passes(unsigned passes, const BitPlane& candidate, const BitPlane& strong,
                  const HysteresisBuffers& buffers, BitPlane* edges, cudaStream_t stream) {
  CANNY_CUDA_TRY(cudaMemsetAsync(buffers.grew, 0, passes * sizeof *buffers.grew, stream));
  BitPlane from = strong, to = strong;
  to.words = buffers.other;
  const dim3 grid(blocks(candidate.words_per_row(), kPassTiles), blocks(candidate.height, kTile));
  for (unsigned pass = 0; pass < passes; ++pass) {
    std::uint32_t* grew = buffers.grew + pass;
    pass_kernel<<<grid, dim3(kTile, kPassTiles), 0, stream>>>(candidate, from, to,
                                                              pass > 0 ? grew - 1 : nullptr, grew);
    CANNY_TRY(launch_status("pass kernel"));
    std::swap(from, to);
  }
  *edges = from;
  return {};
}

}  // namespace

Status hysteresis(unsigned passes, const BitPlane& candidate, const BitPlane& strong,
                  const HysteresisBuffers& buffers, BitPlane* edges, cudaStream_t stream) {
  if (passes > 0) return run_passes(passes, candidate, strong, buffers, edges, stream);
  *edges = strong;
  return until_stable(candidate, strong, buffers.parent, stream);
}

}  // namespace canny::cuda
