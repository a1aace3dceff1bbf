// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on the GPU. Until stable: runs of candidates are joined to components, first within
// tiles, in shared memory, then across the borders of tiles; what hangs from kStrong is an edge.
// The work does not depend on how far edges wind. Bounded: passes over tiles, after Luo and
// Duraiswami, "Canny edge detection on NVIDIA CUDA" (CVPRW 2008), section 3.
#include "kernels/check.h"
#include "kernels/forest.h"
#include "kernels/geometry.h"
#include "kernels/hysteresis.h"
#include "kernels/launch.h"
#include "kernels/tuning.h"

namespace canny::cuda {
namespace {

// ---- until stable: within a tile ----

constexpr int kLabelThreads = kLabelWords * kLabelRows;  // a word a thread
constexpr int kTileNodes = 1 + kLabelThreads * kRunsPerWord;

struct LabelTile {
  std::uint32_t words[kLabelRows][kLabelWords];
  std::uint32_t parent[kTileNodes];
  std::uint32_t touches_border[(kTileNodes + 31) / 32];  // a bit a root
};

// Joins the runs of a thread's word with those above and to the left that they touch. One flat
// loop: lanes with many runs do not wait for each other in nested ones.
__device__ void join_in_tile(LabelTile* tile, int row, int column) {
  const std::uint32_t word = tile->words[row][column], index = threadIdx.x;
  std::uint32_t above = 0;
  if (column > 0 && word & 1) {
    const std::uint32_t left = tile->words[row][column - 1];
    if (left >> 31) join(tile->parent, node_of(index, 0), node_at(index - 1, left, 31));
  }
  if (row > 0) {
    above = tile->words[row - 1][column];
    const std::uint32_t above_index = index - kLabelWords;
    if (column > 0 && word & 1) {
      const std::uint32_t left = tile->words[row - 1][column - 1];
      if (left >> 31) join(tile->parent, node_of(index, 0), node_at(above_index - 1, left, 31));
    }
    if (column + 1 < kLabelWords && word >> 31 && tile->words[row - 1][column + 1] & 1)
      join(tile->parent, node_at(index, word, 31), node_of(above_index + 1, 0));
  }
  std::uint32_t starts = run_starts(word), touched = 0, node = 0, a = 0, b = 0;
  for (;;) {
    if (a != b) {
      join_step(tile->parent, &a, &b);
    } else if (touched != 0) {
      const int bit = __ffs(touched) - 1;
      a = node;
      b = node_at(index - kLabelWords, above, bit);
      touched &= above + (1u << bit);  // drops what is left of that run
    } else if (starts != 0) {
      node = node_of(index, __ffs(starts) - 1);
      touched = spread(first_run(word, starts)) & above;
      starts &= starts - 1;
    } else {
      return;
    }
  }
}

__device__ std::uint32_t root_in_tile(const LabelTile& tile, std::uint32_t node) {
  while (tile.parent[node] != node) node = tile.parent[node];
  return node;
}

// Which bits of a word at (w, y), in this row and column of a tile, have neighbours in another
// tile.
__device__ std::uint32_t border_bits(const BitPlane& plane, int w, int y, int row, int column) {
  if ((row == 0 && y > 0) || (row == kLabelRows - 1 && y + 1 < plane.height)) return ~0u;
  std::uint32_t bits = 0;
  if (column == 0 && w > 0) bits |= 1u;
  if (column == kLabelWords - 1 && w + 1 < plane.words_per_row()) bits |= 1u << 31;
  return bits;
}

// Joins the runs of a tile. Edges that are certain stay in `strong`; `candidate` keeps the runs
// that may become edges through other tiles, as trees of the forest; other runs vanish.
__global__ void __launch_bounds__(kLabelThreads)
    label_kernel(BitPlane candidate, BitPlane strong, std::uint32_t* parent,
                 unsigned long long* count) {
  __shared__ LabelTile tile;
  const int row = threadIdx.x / kLabelWords, column = threadIdx.x % kLabelWords;
  const int y = blockIdx.y * kLabelRows + row, w = blockIdx.x * kLabelWords + column;
  const std::uint32_t index = threadIdx.x;
  for (int i = threadIdx.x; i < (kTileNodes + 31) / 32; i += kLabelThreads)
    tile.touches_border[i] = 0;
  wait_for_previous_kernel();
  start_next_kernel();

  const std::uint32_t word = candidate.at(w, y), strong_word = strong.at(w, y);
  tile.words[row][column] = word;
  if (threadIdx.x == 0) {
    tile.parent[kStrong] = kStrong;
    if (blockIdx.x == 0 && blockIdx.y == 0) *count = 0;
  }
  for (std::uint32_t starts = run_starts(word); starts != 0; starts &= starts - 1) {
    const std::uint32_t node = node_of(index, __ffs(starts) - 1);
    tile.parent[node] = first_run(word, starts) & strong_word ? kStrong : node;
  }
  __syncthreads();
  if (word != 0) join_in_tile(&tile, row, column);
  __syncthreads();

  const std::uint32_t border = border_bits(candidate, w, y, row, column);
  std::uint32_t edges = 0;
  for (std::uint32_t starts = run_starts(word); starts != 0; starts &= starts - 1) {
    const std::uint32_t run = first_run(word, starts);
    const std::uint32_t root = root_in_tile(tile, node_of(index, __ffs(starts) - 1));
    if (root == kStrong) {
      edges |= run;
    } else if (run & border) {
      atomicOr(&tile.touches_border[root / 32], 1u << root % 32);
    }
  }
  __syncthreads();

  // A tile's node and the plane's node of the same run differ by where their words are counted.
  const auto plane_node = [&](std::uint32_t node) {
    const std::uint32_t at = (node - 1) / kRunsPerWord;
    const std::uint32_t plane_word =
        (blockIdx.y * kLabelRows + at / kLabelWords) * candidate.words_per_row() +
        blockIdx.x * kLabelWords + at % kLabelWords;
    return 1 + plane_word * kRunsPerWord + (node - 1) % kRunsPerWord;
  };
  std::uint32_t open = 0;
  for (std::uint32_t starts = run_starts(word & ~edges); starts != 0; starts &= starts - 1) {
    const std::uint32_t node = node_of(index, __ffs(starts) - 1);
    const std::uint32_t root = root_in_tile(tile, node);
    if (!(tile.touches_border[root / 32] >> root % 32 & 1)) continue;
    open |= first_run(word, starts);
    parent[plane_node(node)] = plane_node(root);
  }
  if (y >= candidate.height || w >= candidate.words_per_row()) return;
  if (index == 0 && blockIdx.x == 0 && blockIdx.y == 0) parent[kStrong] = kStrong;
  strong.row(y)[w] = edges;
  candidate.row(y)[w] = open;
}

// ---- until stable: across the borders of tiles ----

// A word of the planes that label_kernel() leaves.
struct LabelledWord {
  std::uint32_t edges, open, index;
};

__device__ LabelledWord labelled_word(const BitPlane& edges, const BitPlane& open, int w, int y) {
  return {edges.at(w, y), open.at(w, y), static_cast<std::uint32_t>(y * edges.words_per_row() + w)};
}

// The node of the pixel at a bit, which is an edge or open.
__device__ std::uint32_t node_of_pixel(const LabelledWord& word, int bit) {
  return word.edges >> bit & 1 ? kStrong : node_at(word.index, word.open, bit);
}

// Joins the pixels at two bits if both are there. Most are joined already.
__device__ void join_pixels(std::uint32_t* parent, const LabelledWord& a, int bit_a,
                            const LabelledWord& b, int bit_b) {
  if (!((a.edges | a.open) >> bit_a & 1) || !((b.edges | b.open) >> bit_b & 1)) return;
  if (a.edges >> bit_a & b.edges >> bit_b & 1) return;
  join(parent, find_root(parent, node_of_pixel(a, bit_a)),
       find_root(parent, node_of_pixel(b, bit_b)));
}

// Joins a word below the border of two tiles with the row above it.
__device__ void join_rows(const BitPlane& edges, const BitPlane& open, int w, int y,
                          std::uint32_t* parent) {
  const LabelledWord here = labelled_word(edges, open, w, y);
  const std::uint32_t word = here.edges | here.open;
  if (word == 0) return;
  const LabelledWord above = labelled_word(edges, open, w, y - 1);
  join_pixels(parent, here, 0, labelled_word(edges, open, w - 1, y - 1), 31);
  join_pixels(parent, here, 31, labelled_word(edges, open, w + 1, y - 1), 0);
  const std::uint32_t above_word = above.edges | above.open;
  for (std::uint32_t starts = run_starts(word); starts != 0; starts &= starts - 1) {
    const std::uint32_t run = first_run(word, starts);
    for (std::uint32_t touched = spread(run) & above_word; touched != 0;) {
      const int bit = __ffs(touched) - 1;
      join_pixels(parent, here, __ffs(starts) - 1, above, bit);
      touched &= above_word + (1u << bit);
    }
  }
}

// Joins a word right of the border of two tiles with the three words it touches on the left. Rows
// in other tiles are those of join_rows().
__device__ void join_columns(const BitPlane& edges, const BitPlane& open, int w, int y,
                             std::uint32_t* parent) {
  const LabelledWord here = labelled_word(edges, open, w, y);
  if (!((here.edges | here.open) & 1)) return;
  for (int row = y - 1; row <= y + 1; ++row)
    if (row >= 0 && row / kLabelRows == y / kLabelRows)
      join_pixels(parent, here, 0, labelled_word(edges, open, w - 1, row), 31);
}

// A thread for each word below a border of tiles, and then for each right of one.
__global__ void __launch_bounds__(kMergeThreads)
    merge_kernel(BitPlane edges, BitPlane open, std::uint32_t* parent) {
  const int row_words = edges.words_per_row();
  const int borders_y = (edges.height - 1) / kLabelRows, borders_x = (row_words - 1) / kLabelWords;
  const int i = blockIdx.x * kMergeThreads + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (i < borders_y * row_words) {
    join_rows(edges, open, i % row_words, (1 + i / row_words) * kLabelRows, parent);
  } else if (i - borders_y * row_words < borders_x * edges.height) {
    const int j = i - borders_y * row_words;
    join_columns(edges, open, (1 + j % borders_x) * kLabelWords, j / borders_x, parent);
  }
}

Status until_stable(const BitPlane& candidate, const BitPlane& strong,
                    const HysteresisBuffers& buffers, Launcher* launcher) {
  const int row_words = candidate.words_per_row(), height = candidate.height;
  const dim3 tiles(blocks(row_words, kLabelWords), blocks(height, kLabelRows));
  CANNY_TRY(launcher->launch("label kernel", label_kernel, tiles, kLabelThreads, 0, candidate,
                             strong, buffers.parent, buffers.count));
  const int borders =
      static_cast<int>(tiles.y - 1) * row_words + static_cast<int>(tiles.x - 1) * height;
  if (borders == 0) return {};
  return launcher->launch("merge kernel", merge_kernel, blocks(borders, kMergeThreads),
                          kMergeThreads, 0, strong, candidate, buffers.parent);
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
  wait_for_previous_kernel();
  start_next_kernel();
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
                  const HysteresisBuffers& buffers, BitPlane* edges, Launcher* launcher) {
  CANNY_TRY(launcher->clear(buffers.grew, passes * sizeof *buffers.grew));
  CANNY_TRY(launcher->clear(buffers.count, sizeof *buffers.count));
  BitPlane from = strong, to = strong;
  to.words = buffers.other;
  const dim3 grid(blocks(candidate.words_per_row(), kPassTiles), blocks(candidate.height, kTile));
  for (unsigned pass = 0; pass < passes; ++pass) {
    std::uint32_t* grew = buffers.grew + pass;
    CANNY_TRY(launcher->launch("pass kernel", pass_kernel, grid, dim3(kTile, kPassTiles), 0,
                               candidate, from, to, pass > 0 ? grew - 1 : nullptr, grew));
    std::swap(from, to);
  }
  *edges = from;
  return {};
}

}  // namespace

Status hysteresis(unsigned passes, const BitPlane& candidate, const BitPlane& strong,
                  const HysteresisBuffers& buffers, Edges* edges, Launcher* launcher) {
  *edges = {};
  if (passes > 0) return run_passes(passes, candidate, strong, buffers, &edges->decided, launcher);
  *edges = {strong, candidate, buffers.parent};
  return until_stable(candidate, strong, buffers, launcher);
}

}  // namespace canny::cuda
