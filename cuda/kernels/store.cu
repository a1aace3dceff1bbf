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

// Row y of the edges of a tile, of which a lane has one.
__device__ std::uint32_t edges_of(const Edges& edges, int tile_x, int y) {
  std::uint32_t row = edges.decided.at(tile_x, y);
  if (edges.open.words == nullptr || tile_x >= edges.open.columns()) return row;
  const Components& all = edges.components;
  const int tile = edges.open.tile(tile_x, y / kTile), components = all.count[tile];
  if (components == 0) return row;
  std::uint32_t is_edge[kTileComponents / kWarp];  // a bit a component
#pragma unroll
  for (int i = 0; i < kTileComponents / kWarp; ++i) {
    const int component = i * kWarp + threadIdx.x;
    is_edge[i] = __ballot_sync(
        ~0u, component < components && find_root(all.parent, node_of(tile, component)) == kStrong);
  }
  const std::uint32_t open = edges.open.at(tile_x, y);
  for (std::uint32_t starts = run_starts(open); starts != 0; starts &= starts - 1) {
    const int component = all.of_run[tile * kRunsPerTile + run_at(threadIdx.x, __ffs(starts) - 1)];
    static_assert(kTileComponents == 2 * kWarp);
    const std::uint32_t flags = component < kWarp ? is_edge[0] : is_edge[1];
    if (flags >> component % kWarp & 1) row |= first_run(open, starts);
  }
  return row;
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

// Adds up over a block, and adds that to *total.
__device__ void add_to(unsigned own, unsigned long long* total) {
  __shared__ unsigned sums[kStoreTiles];
  for (int step = kWarp / 2; step > 0; step /= 2) own += __shfl_down_sync(~0u, own, step);
  if (threadIdx.x == 0) sums[threadIdx.y] = own;
  __syncthreads();
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  unsigned sum = 0;
  for (const unsigned part : sums) sum += part;
  if (sum != 0) atomicAdd(total, sum);
}

// A warp a tile, a row a lane; then two lanes store a row, 16 pixels each.
template <int kBytes>
__global__ void __launch_bounds__(kWarp* kStoreTiles)
    store_kernel(std::uint8_t* data, std::ptrdiff_t stride, int alignment, int opaque, Edges edges,
                 unsigned long long* count) {
  constexpr int kLanes = kTile / kPixels, kRows = kWarp / kLanes;
  const int lane = threadIdx.x, tile_x = blockIdx.x * kStoreTiles + threadIdx.y;
  const int first_y = blockIdx.y * kTile;
  wait_for_previous_kernel();
  start_next_kernel();
  const std::uint32_t row = edges_of(edges, tile_x, first_y + lane);
  const int x = tile_x * kTile + lane % kLanes * kPixels;
#pragma unroll
  for (int i = 0; i < kTile; i += kRows) {
    const int from = i + lane / kLanes, y = first_y + from;
    const std::uint32_t bits = __shfl_sync(~0u, row, from) >> lane % kLanes * kPixels;
    if (x < edges.decided.width && y < edges.decided.height)
      store_pixels<kBytes>(bits & ((1u << kPixels) - 1), data + y * stride + x * kBytes,
                           edges.decided.width - x, alignment, opaque);
  }
  add_to(__popc(row), count);
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
  const dim3 grid(blocks(edges.decided.columns(), kStoreTiles), edges.decided.rows());
  return launcher->launch("store kernel", kernel, grid, dim3(kWarp, kStoreTiles), 0, output.data,
                          output.stride_bytes, alignment_of(output), at.x, edges, count);
}

}  // namespace canny::cuda
