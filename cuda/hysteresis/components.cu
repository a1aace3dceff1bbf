// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels the components of an edge map within tiles and joins them across borders, as in counts.cu.
// Those within a tile are complete there; the parts of others are added up in their roots. The
// place of a component in the list is the number of first pixels of components before its own.
#include <cstring>

#include "cuda/check.h"
#include "cuda/geometry.h"
#include "cuda/hysteresis/components.h"
#include "cuda/hysteresis/edges.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/hysteresis/label_edges.h"
#include "cuda/hysteresis/merge.h"
#include "cuda/hysteresis/tile_forest.h"
#include "cuda/hysteresis/tuning.h"
#include "cuda/pictures.h"
#include "cuda/tuning.h"
#include "cuda/warp.h"

namespace canny::cuda {
namespace {

constexpr int kRankRows = 8;  // of a block, one per warp
// At most one component has pixels in each 2x2 pixels.
constexpr int kClosedComponents = kTile * kTile / 4;

// Components of a tile, or their parts there, one entry each, in shared memory. Sums of coordinates
// within the tile are at most 1024 * 31.
template <int kCount>
struct TileParts {
  std::uint32_t pixels[kCount];  // in the lower 16 bits; strong ones in the upper 16 bits
  std::uint32_t sums[kCount];    // of columns; of rows in the upper 16 bits
  std::uint32_t columns[kCount], rows[kCount];  // a bit for each that has pixels
  std::uint32_t first[kCount];                  // as in ComponentPart

  __device__ void clear(unsigned i) { pixels[i] = sums[i] = columns[i] = rows[i] = 0; }

  // Adds a run of a lane's row. Of all runs, the root is the first one.
  __device__ void add(unsigned i, const Run& run, std::uint32_t strong, bool is_root) {
    const unsigned row = threadIdx.x, count = __popc(run.pixels), begin = __ffs(run.pixels) - 1;
    atomicAdd(&pixels[i], count | __popc(run.pixels & strong) << 16);
    atomicAdd(&sums[i], (count * begin + count * (count - 1) / 2) | count * row << 16);
    atomicOr(&columns[i], run.pixels);
    atomicOr(&rows[i], 1u << row);
    if (is_root) first[i] = row << 16 | begin;
  }

  // Entry i, of the tile whose first pixel is in this column and row.
  __device__ ComponentPart part(unsigned i, unsigned x, unsigned y) const {
    const std::uint32_t count = pixels[i] & 0xffff;
    return {count,
            pixels[i] >> 16,
            first[i] + (y << 16 | x),
            x + __ffs(columns[i]) - 1,
            x + 31 - __clz(columns[i]),
            y + 31 - __clz(rows[i]),
            (sums[i] & 0xffff) + 1ull * count * x,
            (sums[i] >> 16) + 1ull * count * y};
  }
};

// The index of a word among rows of words.
__device__ std::size_t word_at(const TilePlane& plane, int column, int y) {
  return static_cast<std::size_t>(first_row_of_picture(plane.height) + y) * plane.columns() +
         column;
}
__device__ std::size_t word_of_first(const TilePlane& plane, std::uint32_t first) {
  return word_at(plane, (first & 0xffff) / kWordBits, first >> 16);
}
__device__ std::uint32_t bit_of_first(std::uint32_t first) { return 1u << first % kWordBits; }

// ---- parts ----

struct TileLabels {
  RootedForest forest;
  std::uint32_t pixels[kTileNodes];
  TileParts<kTileComponents> open;
};

// Labels the edges of a tile. Components that reach its border become open components of `labels`;
// others become its decided edges, and their first pixels are stored, if they are large enough.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    label_components_kernel(Edges edges, Edges labels, ComponentBuffers buffers,
                            std::uint32_t min_pixels) {
  __shared__ TileLabels all[kLabelTiles];
  TileLabels* own = &all[threadIdx.y];
  RootedForest* forest = &own->forest;
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y, lane = threadIdx.x;
  const int y = blockIdx.y * kTile + lane, tile = edges.decided.tile(tile_x, blockIdx.y);
  const bool has_row = y < edges.decided.height;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= edges.decided.columns()) return;  // the whole warp
  if (tile_x == 0 && y == 0) buffers.done[blockIdx.z] = 0;
  const std::uint32_t row = edge_row(edges, tile, load_edges(edges, tile, true, has_row), has_row);
  const std::size_t word = word_at(edges.decided, tile_x, y);
  const std::uint32_t strong = has_row ? buffers.strong[word] : 0;
  plant(row, &forest->trees);
  for_each_run(row, [&](const Run& run) { own->pixels[run.node] = 0; });
  find_roots(row, border_of(edges.decided, tile_x, y), forest,
             [&](const Run& run, std::uint32_t root) {
               atomicAdd(&own->pixels[root], static_cast<std::uint32_t>(__popc(run.pixels)));
             });

  const auto is_open = [&](std::uint32_t root) { return reaches_border(forest->trees, root); };
  std::uint32_t closed = 0, first = 0;
  const std::uint32_t open = open_roots(
      tile, row, forest, labels.components, is_open,
      [&](std::uint32_t, std::uint32_t node) { own->open.clear(node - node_of(tile, 0)); },
      [&](const Run& run, std::uint32_t root) {
        const bool is_root = root == run.node;
        if (is_open(root)) {
          own->open.add(forest->trees.parent[root], run, strong, is_root);
        } else if (own->pixels[root] >= min_pixels) {
          closed |= run.pixels;
          if (is_root) first |= run.pixels & -run.pixels;
        }
      });
  __syncwarp();
  for (unsigned i = lane; i < forest->components; i += kWarp)
    buffers.parts[node_of(tile, i)] = own->open.part(i, tile_x * kTile, blockIdx.y * kTile);
  if (!has_row) return;
  labels.decided.word(tile_x, y) = closed;
  labels.open.word(tile_x, y) = open;
  buffers.firsts[word] = first;
}

// The smallest of a warp's values.
__device__ std::uint32_t smallest_of_warp(std::uint32_t own) { return ~largest_of_warp(~own); }

// Adding this changes no part.
__device__ ComponentPart no_pixels() { return {0, 0, ~0u, ~0u, 0, 0, 0, 0}; }

// The sum of a warp's parts.
__device__ ComponentPart sum_of_parts(const ComponentPart& own) {
  return {sum_of_warp(own.pixels),    sum_of_warp(own.strong_pixels), smallest_of_warp(own.first),
          smallest_of_warp(own.left), largest_of_warp(own.right),     largest_of_warp(own.bottom),
          sum_of_warp(own.sum_x),     sum_of_warp(own.sum_y)};
}

// Adds a part to a root while others do the same. Where a value that was read is out of date, the
// atomic operation changes nothing.
__device__ void add_part(const ComponentPart& part, ComponentPart* root) {
  atomicAdd(&root->pixels, part.pixels);
  if (part.strong_pixels != 0) atomicAdd(&root->strong_pixels, part.strong_pixels);
  atomicAdd(&root->sum_x, part.sum_x);
  atomicAdd(&root->sum_y, part.sum_y);
  if (part.first < root->first) atomicMin(&root->first, part.first);
  if (part.left < root->left) atomicMin(&root->left, part.left);
  if (part.right > root->right) atomicMax(&root->right, part.right);
  if (part.bottom > root->bottom) atomicMax(&root->bottom, part.bottom);
}

// Adds the parts of joined components to those of their roots. Where one component has most parts,
// it mostly has the smallest root of a tile: a warp adds all of its parts at once.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    add_parts_kernel(Edges labels, ComponentPart* parts) {
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y, lane = threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= labels.open.columns()) return;  // the whole warp
  const int tile = labels.open.tile(tile_x, blockIdx.y),
            components = component_count(labels.components.summary[tile]);
  std::uint32_t* parent = labels.components.parent;
  for (int begin = 0; begin < components; begin += kWarp) {
    const int component = begin + lane;
    const std::uint32_t node = node_of(tile, component);
    const std::uint32_t root = component < components ? find_root(parent, node) : node;
    const bool is_joined = root != node;
    if (!__any_sync(~0u, is_joined)) continue;
    const std::uint32_t common = smallest_of_warp(is_joined ? root : ~0u);
    const ComponentPart part = is_joined ? parts[node] : no_pixels();
    const bool is_common = is_joined && root == common;
    const ComponentPart sum = sum_of_parts(is_common ? part : no_pixels());
    if (lane == 0) add_part(sum, &parts[common]);
    if (is_joined && !is_common) add_part(part, &parts[root]);
  }
}

// ---- places in the list ----

// Calls f(part) for each root that is large enough among the open components of a tile.
template <class F>
__device__ void for_each_root(const Edges& labels, const ComponentPart* parts, int tile,
                              std::uint32_t min_pixels, F f) {
  const int components = component_count(labels.components.summary[tile]);
  for (int component = threadIdx.x; component < components; component += kWarp) {
    const std::uint32_t node = node_of(tile, component);
    if (labels.components.parent[node] == node && parts[node].pixels >= min_pixels) f(parts[node]);
  }
}

// Stores the first pixels of components of several tiles.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    store_firsts_kernel(Edges labels, ComponentBuffers buffers, std::uint32_t min_pixels) {
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= labels.open.columns()) return;
  for_each_root(labels, buffers.parts, labels.open.tile(tile_x, blockIdx.y), min_pixels,
                [&](const ComponentPart& part) {
                  atomicOr(&buffers.firsts[word_of_first(labels.open, part.first)],
                           bit_of_first(part.first));
                });
}

// Turns the numbers of first pixels in the rows of a picture into those above each row, and returns
// the sum in the last thread. All threads of a block call this.
__device__ std::uint32_t add_rows(std::uint32_t* rows, int height) {
  __shared__ std::uint32_t sums[kRankRows];
  const int thread = threadIdx.y * kWarp + threadIdx.x;
  const int each = (height + kRankRows * kWarp - 1) / (kRankRows * kWarp);
  const int first = min(thread * each, height), last = min(first + each, height);
  std::uint32_t own = 0;
  for (int y = first; y < last; ++y) own += __ldcg(&rows[y]);
  const std::uint32_t in_warp = sum_of_lanes_before(own) + own;
  if (threadIdx.x == kWarp - 1) sums[threadIdx.y] = in_warp;
  __syncthreads();
  std::uint32_t above = in_warp - own;
  for (unsigned warp = 0; warp < threadIdx.y; ++warp) above += sums[warp];
  for (int y = first; y < last; ++y) {
    const std::uint32_t in_row = __ldcg(&rows[y]);
    rows[y] = above;
    above += in_row;
  }
  return above;
}

// Counts first pixels, a row per warp. The last block of a picture adds up the rows.
__global__ void __launch_bounds__(kWarp* kRankRows)
    count_firsts_kernel(TilePlane plane, ComponentBuffers buffers, std::uint32_t* counts) {
  __shared__ bool is_last;
  const int y = blockIdx.x * kRankRows + threadIdx.y, lane = threadIdx.x;
  std::uint32_t* rows = buffers.above + first_row_of_picture(plane.height);
  wait_for_previous_kernel();
  start_next_kernel();
  if (y < plane.height) {
    std::uint32_t in_row = 0;
    for (int begin = 0; begin < plane.columns(); begin += kWarp) {
      const int column = begin + lane;
      const bool is_there = column < plane.columns();
      const std::size_t word = word_at(plane, column, y);
      const std::uint32_t own = is_there ? __popc(buffers.firsts[word]) : 0;
      const std::uint32_t sum = sum_of_lanes_before(own) + own;
      if (is_there) buffers.before[word] = static_cast<std::uint16_t>(in_row + sum - own);
      in_row += __shfl_sync(~0u, sum, kWarp - 1);
    }
    if (lane == 0) rows[y] = in_row;
  }
  __threadfence();
  __syncthreads();
  if (lane == 0 && threadIdx.y == 0)
    is_last = atomicAdd(&buffers.done[blockIdx.z], 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  const std::uint32_t count = add_rows(rows, plane.height);
  if (lane == kWarp - 1 && threadIdx.y == kRankRows - 1) counts[blockIdx.z] = count;
}

// Stores a component in its place in the list.
__device__ void store(const ComponentPart& part, const TilePlane& plane,
                      const ComponentBuffers& buffers, const ComponentList& list) {
  const std::size_t word = word_of_first(plane, part.first);
  const unsigned top = part.first >> 16;
  const std::uint32_t place = buffers.above[first_row_of_picture(plane.height) + top] +
                              buffers.before[word] +
                              __popc(buffers.firsts[word] & (bit_of_first(part.first) - 1));
  if (place >= list.most) return;
  const Component component = {static_cast<std::uint16_t>(part.left),
                               static_cast<std::uint16_t>(top),
                               static_cast<std::uint16_t>(part.right - part.left + 1),
                               static_cast<std::uint16_t>(part.bottom - top + 1),
                               part.pixels,
                               part.strong_pixels,
                               part.sum_x,
                               part.sum_y};
  uint4 halves[2];  // the widest stores for the bus
  static_assert(sizeof halves == sizeof component);
  std::memcpy(halves, &component, sizeof component);
  auto* to = reinterpret_cast<uint4*>(list.components +
                                      static_cast<std::size_t>(blockIdx.z) * list.most + place);
  to[0] = halves[0];
  to[1] = halves[1];
}

struct ClosedLabels {
  RootedForest forest;
  TileParts<kClosedComponents> parts;
};

// Lists the components whose roots are in a tile, and labels those within it once more for that.
__global__ void __launch_bounds__(kWarp* kLabelTiles)
    list_components_kernel(Edges labels, ComponentBuffers buffers, ComponentList list) {
  __shared__ ClosedLabels all[kLabelTiles];
  ClosedLabels* own = &all[threadIdx.y];
  RootedForest* forest = &own->forest;
  const TilePlane& plane = labels.open;
  const int tile_x = blockIdx.x * kLabelTiles + threadIdx.y, lane = threadIdx.x;
  const int y = blockIdx.y * kTile + lane;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= plane.columns()) return;  // the whole warp
  for_each_root(labels, buffers.parts, plane.tile(tile_x, blockIdx.y), list.min_pixels,
                [&](const ComponentPart& part) { store(part, plane, buffers, list); });
  const bool has_row = y < plane.height;
  const std::uint32_t row = has_row ? labels.decided.word(tile_x, y) : 0;
  if (!__any_sync(~0u, row != 0)) return;
  const std::uint32_t strong = has_row ? buffers.strong[word_at(plane, tile_x, y)] : 0;
  plant(row, &forest->trees);
  find_roots(row, 0, forest, [](const Run&, std::uint32_t) {});
  for_each_run(row, [&](const Run& run) {
    if (forest->root[run.node] != run.node) return;
    const std::uint32_t component = atomicAdd(&forest->components, 1u);
    forest->trees.parent[run.node] = component;
    own->parts.clear(component);
  });
  __syncwarp();
  for_each_run(row, [&](const Run& run) {
    const std::uint32_t root = forest->root[run.node];
    own->parts.add(forest->trees.parent[root], run, strong, root == run.node);
  });
  __syncwarp();
  for (unsigned i = lane; i < forest->components; i += kWarp)
    store(own->parts.part(i, tile_x * kTile, blockIdx.y * kTile), plane, buffers, list);
}

}  // namespace

Status find_components(const Edges& edges, const Edges& labels, const ComponentBuffers& buffers,
                       const ComponentList& list, Launcher* launcher) {
  const TilePlane& plane = labels.open;
  const dim3 grid(blocks(plane.columns(), kLabelTiles), plane.rows()), block(kWarp, kLabelTiles);
  CANNY_TRY(launcher->launch("component label kernel", label_components_kernel, grid, block, 0,
                             edges, labels, buffers, list.min_pixels));
  CANNY_TRY(merge(labels, {}, launcher));
  CANNY_TRY(launcher->launch("component part kernel", add_parts_kernel, grid, block, 0, labels,
                             buffers.parts));
  CANNY_TRY(launcher->launch("first pixel kernel", store_firsts_kernel, grid, block, 0, labels,
                             buffers, list.min_pixels));
  CANNY_TRY(launcher->launch("first pixel count kernel", count_firsts_kernel,
                             dim3(blocks(plane.height, kRankRows)), dim3(kWarp, kRankRows), 0,
                             plane, buffers, list.counts));
  return launcher->launch("component list kernel", list_components_kernel, grid, block, 0, labels,
                          buffers, list);
}

}  // namespace canny::cuda
