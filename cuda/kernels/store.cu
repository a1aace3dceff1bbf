// SPDX-License-Identifier: LGPL-2.1-or-later
// Decides the open runs, expands bits to bytes, and counts them.
#include "frame.h"
#include "kernels/check.h"
#include "kernels/forest.h"
#include "kernels/geometry.h"
#include "kernels/store.h"
#include "kernels/tuning.h"

namespace canny::cuda {
namespace {

constexpr int kPixels = 16;  // that a lane stores at a time

// The edges among the open runs in a lane's row of a tile.
__device__ std::uint32_t decide(const Components& all, int tile, int components,
                                std::uint32_t open) {
  std::uint32_t is_edge[kTileComponents / kWarp];  // a bit a component
#pragma unroll
  for (int i = 0; i < kTileComponents / kWarp; ++i) {
    const int component = i * kWarp + threadIdx.x;
    is_edge[i] = __ballot_sync(
        ~0u, component < components && find_root(all.parent, node_of(tile, component)) == kStrong);
  }
  std::uint32_t edges = 0;
  for (std::uint32_t starts = run_starts(open); starts != 0; starts &= starts - 1) {
    const int component = all.of_run[tile * kRunsPerTile + run_at(threadIdx.x, __ffs(starts) - 1)];
    static_assert(kTileComponents == 2 * kWarp);
    const std::uint32_t flags = component < kWarp ? is_edge[0] : is_edge[1];
    if (flags >> component % kWarp & 1) edges |= first_run(open, starts);
  }
  return edges;
}

// Bytes of 255 where the highest bit of a byte is 1, and of 0 elsewhere.
__device__ std::uint32_t filled_bytes(std::uint32_t word) {
  std::uint32_t bytes;
  asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(bytes) : "r"(word));
  return bytes;
}

// Word number `word` of pixels of kBytes bytes each.
template <int kBytes>
__device__ std::uint32_t pixel_word(std::uint32_t edges, int word, int opaque) {
  if constexpr (kBytes == 1) {
    // The product moves bit i of 7 to bit 8 i + 7.
    return filled_bytes((edges >> 4 * word & 127) * 0x10204080u);
  } else {
    std::uint32_t bytes = 0;
    for (int i = 0; i < 4; ++i) {
      const int byte = 4 * word + i;
      const bool edge = edges >> (byte / kBytes) & 1;
      if (edge || (kBytes == 4 && i == opaque)) bytes |= 255u << 8 * i;
    }
    return bytes;
  }
}

// 4 * kBytes words are kPixels pixels. They are stored 4 at a time or singly as the row's alignment
// allows, and byte by byte where not all of the pixels exist.
template <int kBytes>
__device__ void store_pixels(std::uint32_t bits, std::uint8_t* out, int pixels, int alignment,
                             int opaque) {
  if (alignment >= 4 && pixels >= kPixels) {
#pragma unroll
    for (int i = 0; i < kBytes; ++i) {
      uint4 words;
      words.x = pixel_word<kBytes>(bits, 4 * i, opaque);
      words.y = pixel_word<kBytes>(bits, 4 * i + 1, opaque);
      words.z = pixel_word<kBytes>(bits, 4 * i + 2, opaque);
      words.w = pixel_word<kBytes>(bits, 4 * i + 3, opaque);
      auto* to = reinterpret_cast<std::uint32_t*>(out) + 4 * i;
      if (alignment == 16) {
        *reinterpret_cast<uint4*>(to) = words;
      } else {
        to[0] = words.x;
        to[1] = words.y;
        to[2] = words.z;
        to[3] = words.w;
      }
    }
  } else {
    const int bytes = min(kPixels, pixels) * kBytes;
    for (int i = 0; i < bytes; ++i)
      out[i] = static_cast<std::uint8_t>(pixel_word<kBytes>(bits, i / 4, opaque) >> 8 * (i % 4));
  }
}

// What the warps of a block add up, so that a block adds to a number in device memory once.
struct BlockSum {
  unsigned sum, warps;

  // By all threads.
  __device__ void clear() {
    if (threadIdx.x == 0 && threadIdx.y == 0) sum = warps = 0;
    __syncthreads();
  }
  // By a thread a warp. The last one adds the sum to *total.
  __device__ void add(unsigned own, unsigned long long* total) {
    atomicAdd(&sum, own);
    __threadfence_block();
    if (atomicAdd(&warps, 1u) + 1 < kStoreWarps) return;
    __threadfence_block();
    const unsigned all = atomicAdd(&sum, 0u);
    if (all != 0) atomicAdd(total, all);
  }
};

// A warp stores kStoreTiles tiles side by side. A lane has a row of each tile; then two lanes store
// a row of a tile, 16 pixels each.
template <int kBytes>
__global__ void __launch_bounds__(kWarp* kStoreWarps)
    store_kernel(std::uint8_t* data, std::ptrdiff_t stride, int alignment, int opaque, Edges edges,
                 unsigned long long* count) {
  constexpr int kLanes = kTile / kPixels, kRows = kWarp / kLanes;
  __shared__ BlockSum block_sum;
  block_sum.clear();
  const int columns = edges.decided.columns(), lane = threadIdx.x, first_y = blockIdx.y * kTile;
  const int first_x = (blockIdx.x * kStoreWarps + threadIdx.y) * kStoreTiles;
  const int first_tile = edges.decided.tile(first_x, blockIdx.y);
  const bool exists = first_y + lane < edges.decided.height;
  wait_for_previous_kernel();
  start_next_kernel();

  std::uint32_t rows[kStoreTiles];
  int components[kStoreTiles];
#pragma unroll
  for (int i = 0; i < kStoreTiles; ++i) {
    const bool is_there = first_x + i < columns;
    rows[i] = is_there && exists ? edges.decided.words[(first_tile + i) * kTile + lane] : 0;
    components[i] =
        is_there && edges.open.words != nullptr ? edges.components.count[first_tile + i] : 0;
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kStoreTiles; ++i) {
    if (components[i] != 0)
      rows[i] |= decide(edges.components, first_tile + i, components[i],
                        exists ? edges.open.words[(first_tile + i) * kTile + lane] : 0);
    sum += __popc(rows[i]);
  }
  for (int step = kWarp / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) block_sum.add(sum, count);

  const int x = first_x * kTile + lane % kLanes * kPixels;
#pragma unroll 1
  for (int from = lane / kLanes; from < kTile; from += kRows) {
    std::uint8_t* out = data + (first_y + from) * stride + x * kBytes;
#pragma unroll
    for (int i = 0; i < kStoreTiles; ++i) {
      const std::uint32_t bits = __shfl_sync(~0u, rows[i], from) >> lane % kLanes * kPixels;
      const int pixels = edges.decided.width - x - i * kTile;
      if (pixels > 0 && first_y + from < edges.decided.height)
        store_pixels<kBytes>(bits & ((1u << kPixels) - 1), out + i * kTile * kBytes, pixels,
                             alignment, opaque);
    }
  }
}

// The largest of 16, 4 and 1 that divides both the address and the stride.
int alignment_of(const Frame& frame) {
  const auto address = reinterpret_cast<std::uintptr_t>(frame.data);
  for (int alignment : {16, 4})
    if (address % alignment == 0 && frame.stride_bytes % alignment == 0) return alignment;
  return 1;
}

}  // namespace

Status store(const Edges& edges, const Frame& output, unsigned long long* count,
             Launcher* launcher) {
  const PixelLayout& at = layout(output.format);
  const auto kernel = at.bytes == 1   ? store_kernel<1>
                      : at.bytes == 3 ? store_kernel<3>
                                      : store_kernel<4>;
  const dim3 grid(blocks(output.width, kTile * kStoreWarps * kStoreTiles),
                  blocks(output.height, kTile));
  return launcher->launch("store kernel", kernel, grid, dim3(kWarp, kStoreWarps), 0, output.data,
                          output.stride_bytes, alignment_of(output), at.x, edges, count);
}

}  // namespace canny::cuda
