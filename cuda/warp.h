// SPDX-License-Identifier: LGPL-2.1-or-later
// Reductions over a warp, all of whose lanes call these functions and get the result.
#pragma once

#include "cuda/tuning.h"

namespace canny::cuda {

#if __CUDA_ARCH__ >= 800
__device__ inline unsigned sum_of_warp(unsigned own) { return __reduce_add_sync(~0u, own); }
__device__ inline unsigned largest_of_warp(unsigned own) { return __reduce_max_sync(~0u, own); }
#endif

template <class Value>
__device__ Value sum_of_warp(Value own) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) own += __shfl_xor_sync(~0u, own, step);
  return own;
}

template <class Value>
__device__ Value largest_of_warp(Value own) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const Value other = __shfl_xor_sync(~0u, own, step);
    if (other > own) own = other;
  }
  return own;
}

__device__ inline unsigned smallest_of_warp(unsigned own) { return ~largest_of_warp(~own); }

__device__ inline unsigned or_of_warp(unsigned own) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(~0u, own);
#else
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) own |= __shfl_xor_sync(~0u, own, step);
  return own;
#endif
}

/// The sum of the values of all lower lanes.
template <class Value>
__device__ Value sum_of_lanes_before(Value own) {
  Value up_to = own;
#pragma unroll
  for (int step = 1; step < kWarp; step *= 2) {
    const Value before = __shfl_up_sync(~0u, up_to, step);
    if (static_cast<int>(threadIdx.x) >= step) up_to += before;
  }
  return up_to - own;
}

}  // namespace canny::cuda
