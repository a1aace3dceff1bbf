// SPDX-License-Identifier: LGPL-2.1-or-later
// Decides the open runs, expands bits to bytes, 16 pixels a thread, and counts them.
#include "frame.h"
#include "kernels/check.h"
#include "kernels/forest.h"
#include "kernels/geometry.h"
#include "kernels/store.h"
#include "kernels/tuning.h"

namespace canny::cuda {
namespace {

constexpr int kPixels = 16;  // of a thread

// The edges among the pixels of word w of row y.
__device__ std::uint32_t edge_word(const Edges& edges, int w, int y) {
  std::uint32_t word = edges.decided.row(y)[w];
  if (edges.open.words == nullptr) return word;
  const std::uint32_t open = edges.open.row(y)[w];
  const std::uint32_t index = y * edges.open.words_per_row() + w;
  for (std::uint32_t starts = run_starts(open); starts != 0; starts &= starts - 1) {
    if (find_root(edges.parent, node_of(index, __ffs(starts) - 1)) == kStrong)
      word |= first_run(open, starts);
  }
  return word;
}

// Word number `word` of pixels of kBytes bytes each.
template <int kBytes>
__device__ std::uint32_t pixel_word(std::uint32_t edges, int word, int opaque) {
  if constexpr (kBytes == 1) {
    // The product moves bit i of 4 to bit 8 i.
    return ((edges >> 4 * word & 15) * 0x00204081 & 0x01010101) * 255;
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
  __shared__ unsigned sum;
  const int thread = threadIdx.y * kStoreThreads + threadIdx.x;
  if (thread == 0) sum = 0;
  __syncthreads();
  for (int step = kWarp / 2; step > 0; step /= 2) own += __shfl_down_sync(~0u, own, step);
  if (threadIdx.x == 0 && own != 0) atomicAdd(&sum, own);
  __syncthreads();
  if (thread == 0 && sum != 0) atomicAdd(total, sum);
}

template <int kBytes>
__global__ void __launch_bounds__(kStoreThreads* kStoreRows)
    store_kernel(std::uint8_t* data, std::ptrdiff_t stride, int alignment, int opaque, Edges edges,
                 unsigned long long* count) {
  static_assert(kStoreThreads == kWarp);
  const int x = kPixels * (blockIdx.x * kStoreThreads + threadIdx.x);
  const int y = blockIdx.y * kStoreRows + threadIdx.y;
  wait_for_previous_kernel();
  start_next_kernel();
  std::uint32_t bits = 0;
  if (x < edges.decided.width && y < edges.decided.height) {
    bits = edge_word(edges, x / kWordBits, y) >> x % kWordBits & ((1u << kPixels) - 1);
    store_pixels<kBytes>(bits, data + y * stride + x * kBytes, edges.decided.width - x, alignment,
                         opaque);
  }
  add_to(__popc(bits), count);
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
  const dim3 grid(blocks(output.width, kPixels * kStoreThreads), blocks(output.height, kStoreRows));
  return launcher->launch("store kernel", kernel, grid, dim3(kStoreThreads, kStoreRows), 0,
                          output.data, output.stride_bytes, alignment_of(output), at.x, edges,
                          count);
}

}  // namespace canny::cuda
