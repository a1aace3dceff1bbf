// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists the components of an edge map. Tiles are labeled, and joined across their borders.
// Components within a tile are complete there; the parts of others are added up in their roots. A
// block per row of tiles counts first pixels of components, which give each component its place in
// the list.
#include "cuda/check.h"
#include "cuda/hysteresis/components.h"
#include "cuda/hysteresis/edges.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/tile_forest.h"
#include "cuda/tuning.h"
#include "cuda/warp.h"

namespace canny::cuda {
namespace {

// ---- tiles ----

// Multiprocessors of other GPUs hold fewer threads.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1100
constexpr int kResidentBlocks = kLabelBlocks;
#else
constexpr int kResidentBlocks = 1;
#endif

constexpr int kRowsPerLane = kTile * kListedParts / kWarp;
constexpr int kStride = kTile + 4;  // lanes that read different components use different banks

// Of some components, in each row: pixels, and run_counts().
struct alignas(uint4) ComponentRows {
  std::uint32_t pixels[kListedParts][kStride], counts[kListedParts][kStride];
};

// What a warp knows about a tile.
struct TileLabels {
  union {
    TileForest forest;  // until runs have the numbers of their components
    ComponentRows rows;
  };
  std::uint8_t numbers[kTileNodes];  // of the components of runs
  std::uint8_t places[kTileParts];   // of components in TilePart, kNoPart for those that have none
};

// The number of a run's pixels, of strong ones, and the sum of its columns.
constexpr unsigned kStrongShift = 11, kColumnShift = 22, kCountMask = (1u << kStrongShift) - 1;
__device__ std::uint32_t run_counts(const Run& run, std::uint32_t strong) {
  const unsigned count = __popc(run.pixels), first = __ffs(run.pixels) - 1;
  return count | __popc(run.pixels & strong) << kStrongShift |
         (count * first + count * (count - 1) / 2) << kColumnShift;
}

// The parent of a run: what the run that it hangs from in plant() hangs from, or that run itself,
// or its own node. Paths are half as long.
__device__ std::uint32_t parent_of(const Run& run, std::uint32_t above, std::uint32_t two_above) {
  const std::uint32_t touched = spread(run.pixels) & above;
  if (touched == 0) return run.node;
  const unsigned start = start_of_run(above, __ffs(touched) - 1);
  const std::uint32_t next = spread(first_run(above, 1u << start)) & two_above;
  if (next == 0) return node_of_run(threadIdx.x - 1, start);
  return node_of_run(threadIdx.x - 2, start_of_run(two_above, __ffs(next) - 1));
}

// Plants a tree for each component of a tile.
__device__ void plant_components(std::uint32_t row, TileForest* forest) {
  const RowAbove above = row_above(row);
  const std::uint32_t two_above = __shfl_up_sync(~0u, above.pixels, 1);
  for_each_run(row, [&](const Run& run) {
    forest->parent[run.node] = parent_of(run, above.pixels, threadIdx.x < 2 ? 0 : two_above);
  });
  __syncwarp();
  join_above(above, forest);
  __syncwarp();
}

// Numbers the components of a tile, which are trees: a root's parent becomes kTileNodes plus its
// number. Returns how many there are.
__device__ unsigned number_components(std::uint32_t row, int runs, TileLabels* labels) {
  TileForest* const forest = &labels->forest;
  unsigned count = 0;
  for_each_run_of_warp(row, runs, [&](const Run& run, bool is_there) {
    const bool is_root = is_there && forest->parent[run.node] == run.node;
    const std::uint32_t roots = __ballot_sync(~0u, is_root);
    if (is_root)
      forest->parent[run.node] = kTileNodes + count + __popc(roots & ((1u << threadIdx.x) - 1));
    count += __popc(roots);
  });
  __syncwarp();
  for_each_run(row, [&](const Run& run) {
    std::uint32_t end = forest->parent[run.node];
    while (end < kTileNodes) end = forest->parent[end];
    labels->numbers[run.node] = static_cast<std::uint8_t>(end - kTileNodes);
  });
  __syncwarp();
  return count;
}

// Gathers the rows of the components from number `first` on.
__device__ void gather_rows(std::uint32_t row, std::uint32_t strong, unsigned first,
                            TileLabels* labels) {
  ComponentRows& rows = labels->rows;
  const int lane = threadIdx.x;
#pragma unroll
  for (int i = 0; i < kListedParts; ++i) rows.pixels[i][lane] = rows.counts[i][lane] = 0;
  for_each_run(row, [&](const Run& run) {
    const unsigned i = labels->numbers[run.node] - first;
    if (i >= kListedParts) return;
    rows.pixels[i][lane] |= run.pixels;
    rows.counts[i][lane] += run_counts(run, strong);
  });
  __syncwarp();
}

__device__ uint4 load_rows(const std::uint32_t* rows) {
  return *reinterpret_cast<const uint4*>(rows);
}

// Adds up the rows of a component, of which each of some neighboring lanes has kRowsPerLane. Sums
// of coordinates are at most 1024 * 31. Sets `*rows` to a bit for each row with pixels.
__device__ TilePart sum_of_rows(const std::uint32_t* pixels, const std::uint32_t* counts,
                                std::uint32_t* rows) {
  const unsigned begin = threadIdx.x * kRowsPerLane % kTile;
  std::uint32_t both = 0, sums = 0, columns = 0, own_rows = 0;
#pragma unroll
  for (unsigned i = 0; i < kRowsPerLane; i += 4) {
    const uint4 p = load_rows(pixels + begin + i), c = load_rows(counts + begin + i);
    const std::uint32_t all_pixels[] = {p.x, p.y, p.z, p.w}, all_counts[] = {c.x, c.y, c.z, c.w};
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      columns |= all_pixels[j];
      if (all_pixels[j] != 0) own_rows |= 1u << (i + j);
      both += all_counts[j] & ((1u << kColumnShift) - 1);
      sums +=
          (all_counts[j] >> kColumnShift) + ((all_counts[j] & kCountMask) * (begin + i + j) << 16);
    }
  }
  own_rows <<= begin;
#pragma unroll
  for (int step = 1; step < kTile / kRowsPerLane; step *= 2) {
    both += __shfl_xor_sync(~0u, both, step);
    sums += __shfl_xor_sync(~0u, sums, step);
    columns |= __shfl_xor_sync(~0u, columns, step);
    own_rows |= __shfl_xor_sync(~0u, own_rows, step);
  }
  *rows = own_rows;
  const unsigned first = own_rows == 0 ? 0 : __ffs(own_rows) - 1;
  return {(both & kCountMask) | both >> kStrongShift << 16, sums, columns,
          (31 - __clz(own_rows)) << 24 | first << 16 | (__ffs(pixels[first]) - 1)};
}

// Which of a tile's sides have neighbors.
struct TileSides {
  std::uint32_t columns, rows;

  __device__ TileSides(const TilePlane& plane, int tile_x)
      : columns((tile_x > 0 ? 1 : 0) | (tile_x + 1 < plane.columns() ? 1u << 31 : 0)),
        rows((blockIdx.y > 0 ? 1 : 0) |
             (blockIdx.y + 1 < static_cast<unsigned>(plane.rows()) ? 1u << 31 : 0)) {}
};

// The components at the pixels of a tile's border. A lane's word has a byte for each of its pixels
// there, in this order: the first row, the first column, the last row, the last column.
constexpr unsigned kFirstRow = 0, kFirstColumn = 8, kLastRow = 16, kLastColumn = 24;
constexpr std::uint32_t kNoParts = ~0u, kNoPart = 0xff;

// Where a tile's components go.
struct TileTarget {
  const ComponentBuffers& buffers;
  int tile, tile_x;
  std::uint32_t min_pixels;
  unsigned open = 0, closed = 0;

  // Stores the components from number `first` on, whose rows are gathered: those that reach a side,
  // and others that are large enough. Sets the places of the former.
  __device__ void store(unsigned first, unsigned components, const TileSides& sides,
                        TileLabels* labels) {
    const unsigned i = threadIdx.x * kRowsPerLane / kTile;
    std::uint32_t rows;
    const TilePart part = sum_of_rows(labels->rows.pixels[i], labels->rows.counts[i], &rows);
    const bool is_own = threadIdx.x * kRowsPerLane % kTile == 0 && first + i < components;
    const bool is_open = is_own && ((part.columns & sides.columns) | (rows & sides.rows)) != 0;
    const bool is_closed = is_own && !is_open && (part.pixels & 0xffff) >= min_pixels;
    const std::uint32_t all_open = __ballot_sync(~0u, is_open),
                        all_closed = __ballot_sync(~0u, is_closed);
    const std::uint32_t before = (1u << threadIdx.x) - 1;
    unsigned place = kTileParts;
    if (is_open) place = open + __popc(all_open & before);
    if (is_closed) place = kTileParts - 1 - closed - __popc(all_closed & before);
    if (is_own) labels->places[first + i] = static_cast<std::uint8_t>(is_open ? place : kNoPart);
    if (place < kTileParts) parts_of(buffers, tile)[place] = part;
    if (is_open) {
      const std::uint32_t node = node_of(tile, place);
      buffers.parent[node] = node;
      buffers.sums[node] = sum_of(part, tile_x, blockIdx.y);
    }
    open += __popc(all_open);
    closed += __popc(all_closed);
    __syncwarp();
  }
};

__device__ std::uint32_t border_word(std::uint32_t row, const TileLabels& labels) {
  const unsigned lane = threadIdx.x, last = kTile - 1;
  const auto part_at = [&](unsigned y, std::uint32_t pixels, unsigned x) {
    if (!(pixels >> x & 1)) return kNoPart;
    return std::uint32_t{labels.places[labels.numbers[node_of_run(y, start_of_run(pixels, x))]]};
  };
  const std::uint32_t top = __shfl_sync(~0u, row, 0), bottom = __shfl_sync(~0u, row, last);
  return part_at(0, top, lane) << kFirstRow | part_at(lane, row, 0) << kFirstColumn |
         part_at(last, bottom, lane) << kLastRow | part_at(lane, row, last) << kLastColumn;
}

// Labels the edges of tiles, which become the decided ones.
__global__ void __launch_bounds__(kWarp* kLabelTiles, kResidentBlocks)
    label_components_kernel(Edges edges, TilePlane strong_pixels, ComponentBuffers buffers,
                            std::uint32_t min_pixels) {
  __shared__ TileLabels all[kLabelTiles];
  TileLabels* labels = &all[threadIdx.y];
  const TilePlane& plane = edges.decided;
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y, lane = threadIdx.x;
  const int tile = plane.tile(tile_x, blockIdx.y);
  const bool has_row = static_cast<int>(blockIdx.y) * kTile + lane < plane.height;
  wait_and_start_next();
  if (tile_x >= plane.columns()) return;  // the whole warp
  const std::uint32_t strong = has_row ? strong_pixels.row_of(tile, lane) : 0;
  const LoadedEdges loaded = load_edges(edges, tile, true, has_row);
  const std::uint32_t row = edge_row(edges, tile, loaded, has_row);
  if (row != loaded.decided) plane.row_of(tile, lane) = row;
  if (tile_x == 0 && lane == 0) {
    buffers.counted[blockIdx.z * plane.rows() + blockIdx.y] = 0;
    if (blockIdx.y == 0) buffers.listed[blockIdx.z] = 0;
  }
  TileTarget target = {buffers, tile, tile_x, min_pixels};
  std::uint32_t border = kNoParts;
  const int runs = most_runs(row);
  if (runs > 0) {
    plant_components(row, &labels->forest);
    const unsigned components = number_components(row, runs, labels);
    const TileSides sides(plane, tile_x);
    for (unsigned first = 0; first < components; first += kListedParts) {
      gather_rows(row, strong, first, labels);
      target.store(first, components, sides, labels);
    }
    if (target.open > 0) border = border_word(row, *labels);
  }
  if (lane == 0) buffers.counts[tile] = counts_of(target.open, target.closed);
  buffers.borders[static_cast<std::size_t>(tile) * kTile + lane] = border;
}

// ---- borders ----

// The node of a pixel at the border of a tile, or kNoPixel.
__device__ std::uint32_t node_at(int tile, std::uint32_t border, unsigned byte) {
  const std::uint32_t part = border >> byte & kNoPart;
  return part == kNoPart ? kNoPixel : node_of(tile, part);
}

// Joins the components of tiles with those of the tiles to the left and above, a tile per warp.
__global__ void __launch_bounds__(kWarp* kMergeTiles)
    join_components_kernel(TilePlane plane, ComponentBuffers buffers) {
  const int x = blockIdx.x * kMergeTiles + threadIdx.y, y = blockIdx.y;
  const int lane = threadIdx.x, last = kTile - 1;
  const int here = plane.tile(x, y), left = here - 1, above = here - plane.columns();
  wait_and_start_next();
  if (x >= plane.columns()) return;  // the whole warp
  const auto border = [&](int tile, int row, bool is_there) {
    return is_there ? buffers.borders[static_cast<std::size_t>(tile) * kTile + row] : kNoParts;
  };
  const std::uint32_t own = border(here, lane, true), at_left = border(left, lane, x > 0),
                      at_top = border(above, lane, y > 0),
                      corner = border(above - 1, last, x > 0 && y > 0);
  NodePair pair = pair_at_border(node_at(here, own, kFirstRow), node_at(above, at_top, kLastRow),
                                 node_at(left, __shfl_sync(~0u, at_left, last), kFirstRow),
                                 node_at(above - 1, corner, kLastRow));
  NodePair other = pair_at_border(node_at(here, own, kFirstColumn),
                                  node_at(left, at_left, kLastColumn), kNoPixel, kNoPixel);
  // Few lanes have two pairs, so that most warps join all at once.
  if (!pair.exists()) {
    pair = other;
    other = {};
  }
  if (pair.exists()) join(buffers.parent, pair.a, pair.b);
  if (other.exists()) join(buffers.parent, other.a, other.b);
}

// ---- sums ----

// The sum of the parts of lanes that have any; part.place of others is kNowhere.
constexpr std::uint32_t kNowhere = 0x00ffffff;
__device__ TilePart sum_of_parts(const TilePart& own) {
  return {sum_of_warp(own.pixels), sum_of_warp(own.sums), or_of_warp(own.columns),
          smallest_of_warp(own.place & 0xffffff) | largest_of_warp(own.place >> 24) << 24};
}

// Adds pixels to a root while others do the same. Where a value that was read is out of date, the
// atomic operation changes nothing.
__device__ void add(const ComponentSum& added, ComponentSum* root) {
  atomicAdd(&root->pixels, added.pixels);
  if (added.strong_pixels != 0) atomicAdd(&root->strong_pixels, added.strong_pixels);
  atomicAdd(&root->sum_x, added.sum_x);
  atomicAdd(&root->sum_y, added.sum_y);
  if (added.first < root->first) atomicMin(&root->first, added.first);
  if (added.left < root->left) atomicMin(&root->left, added.left);
  if (added.right > root->right) atomicMax(&root->right, added.right);
  if (added.bottom > root->bottom) atomicMax(&root->bottom, added.bottom);
}

// Adds the parts of joined components to their roots, which become the parents of all. Where one
// component has most parts, it mostly has the smallest root of a tile: a warp adds all of its parts
// at once.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    add_parts_kernel(TilePlane plane, ComponentBuffers buffers) {
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y, lane = threadIdx.x;
  wait_and_start_next();
  if (tile_x >= plane.columns()) return;  // the whole warp
  const int tile = plane.tile(tile_x, blockIdx.y);
  const unsigned count = open_count(buffers.counts[tile]);
  for (unsigned begin = 0; begin < count; begin += kWarp) {
    const std::uint32_t node = node_of(tile, begin + lane);
    const bool is_there = begin + lane < count;
    TilePart part = {0, 0, 0, kNowhere};
    if (is_there) part = parts_of(buffers, tile)[begin + lane];
    const std::uint32_t root = is_there ? find_root(buffers.parent, node) : node;
    const bool is_joined = root != node;
    if (!__any_sync(~0u, is_joined)) continue;
    const std::uint32_t common = smallest_of_warp(is_joined ? root : ~0u);
    const bool is_common = is_joined && root == common;
    const TilePart sum = sum_of_parts(is_common ? part : TilePart{0, 0, 0, kNowhere});
    if (lane == 0) add(sum_of(sum, tile_x, blockIdx.y), &buffers.sums[common]);
    if (!is_joined) continue;
    ForestNode(buffers.parent[node]).store(root, ::cuda::memory_order_relaxed);
    if (!is_common) add(sum_of(part, tile_x, blockIdx.y), &buffers.sums[root]);
  }
}

}  // namespace

Status find_components(const TilePlane& strong, const ComponentBuffers& buffers,
                       const ComponentList& list, Edges* edges, Launcher* launcher) {
  const TilePlane plane = edges->decided;
  CANNY_TRY(launcher->launch_tiles("component label kernel", label_components_kernel, plane,
                                   kLabelTiles, *edges, strong, buffers, list.min_pixels));
  *edges = {plane, {}, {}};
  CANNY_TRY(launcher->launch_tiles("component merge kernel", join_components_kernel, plane,
                                   kMergeTiles, plane, buffers));
  CANNY_TRY(launcher->launch_tiles("component part kernel", add_parts_kernel, plane, kLabelTiles,
                                   plane, buffers));
  return list_components(plane, buffers, list, launcher);
}

}  // namespace canny::cuda
