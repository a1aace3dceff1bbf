// SPDX-License-Identifier: LGPL-2.1-or-later
// A kernel that waits, and a copy with the footprint of a frame.
#include "device_work.h"

namespace bench {
namespace {

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void hold_kernel(unsigned microseconds) {
  const unsigned long long end = nanoseconds() + 1000ull * microseconds;
  while (nanoseconds() < end) __nanosleep(200);
}

constexpr int kThreads = 256;

__device__ uint4 exclusive_or(uint4 a, uint4 b) {
  return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
}

// A thread reads one vector of each of `kBytes` equal parts of the input, so that every read of a
// warp is contiguous, and writes their exclusive or.
template <int kBytes>
__global__ void copy_kernel(const uint4* __restrict__ input, uint4* __restrict__ output,
                            std::size_t vectors) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= vectors) return;
  uint4 value = input[i];
#pragma unroll
  for (int part = 1; part < kBytes; ++part) value = exclusive_or(value, input[part * vectors + i]);
  output[i] = value;
}

}  // namespace

cudaError_t hold(unsigned microseconds, cudaStream_t stream) {
  hold_kernel<<<1, 1, 0, stream>>>(microseconds);
  return cudaGetLastError();
}

cudaError_t copy(const void* input, void* output, std::size_t pixels, int bytes_per_pixel,
                 cudaStream_t stream) {
  const std::size_t vectors = pixels / sizeof(uint4);
  if (vectors == 0) return cudaSuccess;
  const auto kernel = bytes_per_pixel == 1   ? copy_kernel<1>
                      : bytes_per_pixel == 2 ? copy_kernel<2>
                      : bytes_per_pixel == 3 ? copy_kernel<3>
                                             : copy_kernel<4>;
  const unsigned blocks = static_cast<unsigned>((vectors + kThreads - 1) / kThreads);
  kernel<<<blocks, kThreads, 0, stream>>>(static_cast<const uint4*>(input),
                                          static_cast<uint4*>(output), vectors);
  return cudaGetLastError();
}

}  // namespace bench
