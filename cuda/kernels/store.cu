// SPDX-License-Identifier: LGPL-2.1-or-later
// Expands bits to bytes, 16 pixels a thread, and counts them.
#include "frame.h"
#include "kernels/check.h"
#include "kernels/geometry.h"
#include "kernels/store.h"
#include "kernels/tuning.h"

namespace canny::cuda {
namespace {

constexpr int kPixels = 16;  // of a thread

// Byte number `byte` of pixels of kBytes bytes each.
template <int kBytes>
__device__ std::uint32_t pixel_byte(std::uint32_t edges, int byte, int opaque) {
  const bool edge = edges >> (byte / kBytes) & 1;
  return edge || (kBytes == 4 && byte % kBytes == opaque) ? 255 : 0;
}

// Word number `word` of them.
template <int kBytes>
__device__ std::uint32_t pixel_word(std::uint32_t edges, int word, int opaque) {
  std::uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i) bytes |= pixel_byte<kBytes>(edges, 4 * word + i, opaque) << 8 * i;
  return bytes;
}

// 4 * kBytes words are kPixels pixels. They are stored 4 at a time or singly as the row's alignment
// allows, and byte by byte where not all of the pixels exist.
template <int kBytes>
__global__ void __launch_bounds__(kStoreThreads* kStoreRows)
    store_kernel(BitPlane edges, std::uint8_t* data, std::ptrdiff_t stride, int alignment,
                 int opaque) {
  const int x = kPixels * (blockIdx.x * kStoreThreads + threadIdx.x);
  const int y = blockIdx.y * kStoreRows + threadIdx.y;
  if (x >= edges.width || y >= edges.height) return;
  const std::uint32_t bits = edges.row(y)[x / kWordBits] >> x % kWordBits;
  std::uint8_t* out = data + y * stride + x * kBytes;
  if (alignment >= 4 && x + kPixels <= edges.width) {
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
    const int bytes = min(kPixels, edges.width - x) * kBytes;
    for (int i = 0; i < bytes; ++i)
      out[i] = static_cast<std::uint8_t>(pixel_byte<kBytes>(bits, i, opaque));
  }
}

// The largest of 16, 4 and 1 that divides both the address and the stride.
int alignment_of(const Frame& frame) {
  const auto address = reinterpret_cast<std::uintptr_t>(frame.data);
  for (int alignment : {16, 4})
    if (address % alignment == 0 && frame.stride_bytes % alignment == 0) return alignment;
  return 1;
}

__global__ void __launch_bounds__(kCountThreads)
    count_kernel(const std::uint32_t* words, std::size_t size, unsigned long long* count) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned own = 0;
  for (std::size_t i = blockIdx.x * kCountThreads + threadIdx.x; i < size;
       i += kCountBlocks * kCountThreads)
    own += __popc(words[i]);
  atomicAdd(&sum, own);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, sum);
}

}  // namespace

Status store(const BitPlane& edges, const Frame& output, cudaStream_t stream) {
  const PixelLayout& at = layout(output.format);
  const auto kernel = at.bytes == 1   ? store_kernel<1>
                      : at.bytes == 3 ? store_kernel<3>
                                      : store_kernel<4>;
  const dim3 grid(blocks(output.width, kPixels * kStoreThreads), blocks(output.height, kStoreRows));
  kernel<<<grid, dim3(kStoreThreads, kStoreRows), 0, stream>>>(
      edges, output.data, output.stride_bytes, alignment_of(output), at.x);
  return launch_status("store kernel");
}

Status count(const BitPlane& edges, unsigned long long* count, cudaStream_t stream) {
  CANNY_CUDA_TRY(cudaMemsetAsync(count, 0, sizeof *count, stream));
  count_kernel<<<kCountBlocks, kCountThreads, 0, stream>>>(edges.words, edges.size_words(), count);
  return launch_status("count kernel");
}

}  // namespace canny::cuda
