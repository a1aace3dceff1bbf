// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists components in the order of their first pixels. A block per row of tiles marks these; the
// number of those before gives a component its place.
#include <algorithm>
#include <cstring>

#include "cuda/hysteresis/components.h"
#include "cuda/hysteresis/forest.h"
#include "cuda/tuning.h"
#include "cuda/warp.h"

namespace canny::cuda {
namespace {

// Tiles of a row that a warp looks at together, and the lanes of each.
constexpr int kListedTiles = 4, kListLanes = kWarp / kListedTiles;

// Calls f(i, component) for each component that is large enough and has its first pixel in tile
// x + i of a row, which ends at `last`.
template <class F>
__device__ void for_each_first(const ComponentBuffers& buffers, const TilePlane& plane, int x,
                               int last, std::uint32_t min_pixels, F f) {
  const unsigned i = threadIdx.x / kListLanes;
  const int tile_x = x + i, tile = plane.tile(tile_x, blockIdx.x);
  const unsigned counts = tile_x < last ? buffers.counts[tile] : 0;
  const TilePart* parts = parts_of(buffers, tile);
  for (unsigned j = threadIdx.x % kListLanes; j < open_count(counts); j += kListLanes) {
    const ComponentSum& sum = buffers.sums[buffers.parent[node_of(tile, j)]];
    if (sum.first == first_of(parts[j], tile_x, blockIdx.x) && sum.pixels >= min_pixels) f(i, sum);
  }
  for (unsigned j = threadIdx.x % kListLanes; j < closed_count(counts); j += kListLanes)
    f(i, sum_of(parts[kTileParts - 1 - j], tile_x, blockIdx.x));
}

__device__ unsigned row_of_first(std::uint32_t first) { return (first >> 16) % kTile; }
__device__ std::uint32_t bit_of_first(std::uint32_t first) { return 1u << first % kWordBits; }

constexpr std::uint32_t kCounted = 1u << 31;  // added to a number that is known

// Adds up the components of the rows of tiles above, once they are known.
__device__ std::uint32_t count_above(std::uint32_t* counted) {
  std::uint32_t sum = 0;
  for (unsigned row = threadIdx.x; row < blockIdx.x; row += kWarp) {
    std::uint32_t count;
    do {
      count = ForestNode(counted[row]).load(::cuda::memory_order_relaxed);
    } while (count < kCounted);
    sum += count - kCounted;
  }
  return sum_of_warp(sum);
}

// A component as two halves: the widest stores for the bus.
struct alignas(16) Halves {
  uint4 half[2];
};

__device__ Halves halves_of(const ComponentSum& sum) {
  const unsigned top = sum.first >> 16;
  const Component component = {static_cast<std::uint16_t>(sum.left),
                               static_cast<std::uint16_t>(top),
                               static_cast<std::uint16_t>(sum.right - sum.left + 1),
                               static_cast<std::uint16_t>(sum.bottom - top + 1),
                               sum.pixels,
                               sum.strong_pixels,
                               sum.sum_x,
                               sum.sum_y};
  Halves halves;
  static_assert(sizeof halves == sizeof component);
  std::memcpy(&halves, &component, sizeof component);
  return halves;
}

// Copies components to places in the list, as far as there are any. All threads of a block call
// this.
__device__ void copy(const Halves* from, unsigned count, std::uint32_t place,
                     const ComponentList& list) {
  if (place >= list.most) return;
  auto* to = reinterpret_cast<uint4*>(list.components +
                                      static_cast<std::size_t>(blockIdx.z) * list.most + place);
  const auto* halves = reinterpret_cast<const uint4*>(from);
  const unsigned end = 2 * min(count, list.most - place);
  for (unsigned i = threadIdx.y * kWarp + threadIdx.x; i < end; i += blockDim.y * kWarp)
    to[i] = halves[i];
}

// Lists the components whose first pixels are in a row of tiles, of which each warp takes some.
// Blocks of the rows above have begun before.
__global__ void __launch_bounds__(kWarp* kListWarps, 1)
    list_components_kernel(TilePlane plane, ComponentBuffers buffers, ComponentList list) {
  __shared__ std::uint32_t bits[kListWarps][kListedTiles][kWarp], rows[kListWarps][kWarp], above;
  __shared__ Halves listed[kListWarps * kListLanes];
  const int lane = threadIdx.x, warp = threadIdx.y, warps = blockDim.y, tile_y = blockIdx.x;
  const int first = plane.columns() * warp / warps, last = plane.columns() * (warp + 1) / warps;
  std::uint32_t* counted = buffers.counted + blockIdx.z * plane.rows();
  uint2* firsts = buffers.firsts + static_cast<std::size_t>(plane.tile(0, tile_y)) * kTile;
  wait_and_start_next();
  std::uint32_t count = 0;  // first pixels in the lane's row
  for (int x = first; x < last; x += kListedTiles) {
    for (int i = 0; i < kListedTiles; ++i) bits[warp][i][lane] = 0;
    __syncwarp();
    for_each_first(buffers, plane, x, last, list.min_pixels,
                   [&](unsigned i, const ComponentSum& sum) {
                     atomicOr(&bits[warp][i][row_of_first(sum.first)], bit_of_first(sum.first));
                   });
    __syncwarp();
    for (int i = 0; i < min(kListedTiles, last - x); ++i) {
      const std::uint32_t word = bits[warp][i][lane];
      firsts[(x + i) * kTile + lane] = make_uint2(word, count);
      count += __popc(word);
    }
  }
  rows[warp][lane] = count;
  __syncthreads();
  std::uint32_t left = 0, in_row = 0;
  for (int i = 0; i < warps; ++i) {
    if (i == warp) left = in_row;
    in_row += rows[i][lane];
  }
  const std::uint32_t in_rows_above = sum_of_lanes_before(in_row);
  const std::uint32_t all = __shfl_sync(~0u, in_rows_above + in_row, kWarp - 1);
  if (warp == 0 && lane == 0)
    ForestNode(counted[tile_y]).store(kCounted + all, ::cuda::memory_order_relaxed);
  __syncthreads();
  rows[warp][lane] = in_rows_above + left;
  __syncwarp();
  constexpr unsigned kListed = sizeof listed / sizeof *listed;
  for (std::uint32_t begin = 0; begin < all || begin == 0; begin += kListed) {
    for (int x = first; x < last; x += kListedTiles)
      for_each_first(
          buffers, plane, x, last, list.min_pixels, [&](unsigned i, const ComponentSum& sum) {
            const unsigned row = row_of_first(sum.first);
            const uint2 there = firsts[(x + i) * kTile + row];
            const std::uint32_t place =
                rows[warp][row] + there.y + __popc(there.x & (bit_of_first(sum.first) - 1)) - begin;
            if (place < kListed) listed[place] = halves_of(sum);
          });
    if (begin == 0 && warp == 0) {
      const std::uint32_t sum = count_above(counted);
      if (lane == 0) above = sum;
    }
    __syncthreads();
    copy(listed, min(kListed, all - begin), above + begin, list);
    __syncthreads();
  }
  if (warp == 0 && lane == 0) Reporter{buffers.listed, nullptr, list.reports}.end_block(all);
}

}  // namespace

Status list_components(const TilePlane& plane, const ComponentBuffers& buffers,
                       const ComponentList& list, Launcher* launcher) {
  const int warps = std::min(plane.columns(), kListWarps);
  return launcher->launch("component list kernel", list_components_kernel, dim3(plane.rows()),
                          dim3(kWarp, warps), 0, plane, buffers, list);
}

}  // namespace canny::cuda
