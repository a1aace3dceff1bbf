// SPDX-License-Identifier: LGPL-2.1-or-later
// A histogram in the shared memory of a block.
#pragma once

#include <cstdint>

#include "canny/auto_threshold.h"

namespace canny::cuda {

template <int kCount>
struct BlockHistogram {
  std::uint32_t bins[kCount];

  // All threads call these.
  __device__ void clear() {
    for (int i = threadIdx.x; i < kCount; i += blockDim.x) bins[i] = 0;
    __syncthreads();
  }
  __device__ void add_to(Histogram* all) {
    __syncthreads();
    for (int i = threadIdx.x; i < kCount; i += blockDim.x)
      if (bins[i] != 0) atomicAdd(&all->bins[i], bins[i]);
  }
};

}  // namespace canny::cuda
