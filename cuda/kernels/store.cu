// SPDX-License-Identifier: LGPL-2.1-or-later
// Expands bits to bytes, 4 pixels a thread, and counts them.
#include "frame.h"
#include "kernels/check.h"
#include "kernels/store.h"
#include "kernels/tuning.h"

namespace canny::cuda {
namespace {

int blocks(int size, int block) { return (size + block - 1) / block; }

constexpr int kPixels = 4;  // of a thread

// Bytes of pixel number i, of kBytes bytes each, that are set in an edge.
template <int kBytes>
__device__ std::uint32_t pixel_byte(std::uint32_t edges, int byte, int opaque) {
  const bool edge = edges >> (byte / kBytes) & 1;
  return edge || (kBytes == 4 && byte % kBytes == opaque) ? 255 : 0;
}

// kBytes words are kPixels pixels. Words are stored where all of their pixels exist and the row is
// aligned, else bytes.
template <int kBytes>
__global__ void __launch_bounds__(kStoreThreads)
    store_kernel(BitPlane edges, std::uint8_t* data, std::ptrdiff_t stride, bool aligned,
                 int opaque) {
  const int x = kPixels * (blockIdx.x * kStoreThreads + threadIdx.x);
  if (x >= edges.width) return;
  const std::uint32_t four = edges.row(blockIdx.y)[x / kWordBits] >> x % kWordBits;
  std::uint8_t* out = data + blockIdx.y * stride + x * kBytes;
  if (aligned && x + kPixels <= edges.width) {
    for (int i = 0; i < kBytes; ++i) {
      std::uint32_t word = 0;
      for (int byte = 0; byte < 4; ++byte)
        word |= pixel_byte<kBytes>(four, 4 * i + byte, opaque) << 8 * byte;
      reinterpret_cast<std::uint32_t*>(out)[i] = word;
    }
  } else {
    const int bytes = min(kPixels, edges.width - x) * kBytes;
    for (int i = 0; i < bytes; ++i)
      out[i] = static_cast<std::uint8_t>(pixel_byte<kBytes>(four, i, opaque));
  }
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
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(output.data) % 4 == 0 && output.stride_bytes % 4 == 0;
  const dim3 grid(blocks(output.width, kPixels * kStoreThreads), output.height);
  kernel<<<grid, kStoreThreads, 0, stream>>>(edges, output.data, output.stride_bytes, aligned,
                                             at.x);
  return launch_status("store kernel");
}

Status count(const BitPlane& edges, unsigned long long* count, cudaStream_t stream) {
  CANNY_CUDA_TRY(cudaMemsetAsync(count, 0, sizeof *count, stream));
  count_kernel<<<kCountBlocks, kCountThreads, 0, stream>>>(edges.words, edges.size_words(), count);
  return launch_status("count kernel");
}

}  // namespace canny::cuda
