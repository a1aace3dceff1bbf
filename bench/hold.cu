// SPDX-License-Identifier: LGPL-2.1-or-later
// A kernel that waits.
#include "hold.h"

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

}  // namespace

cudaError_t hold(unsigned microseconds, cudaStream_t stream) {
  hold_kernel<<<1, 1, 0, stream>>>(microseconds);
  return cudaGetLastError();
}

}  // namespace bench
