// SPDX-License-Identifier: LGPL-2.1-or-later
// How the last kernel of a frame tells the host that the frame is complete, and its numbers,
// without a copy or an event.
#pragma once

#include "canny/auto_threshold.h"

#ifdef __CUDACC__
#include "cuda/warp.h"
#endif

namespace canny::cuda {

/// Numbers of a picture in page-locked memory. The host sets `edges` to kPending before the frame
/// and polls it. When it has another value, so do the others, and all work on the picture is
/// complete.
struct Report {
  static constexpr unsigned long long kPending = ~0ull;

  double low, high;  ///< thresholds, if they were measured
  unsigned long long edges;
};

/// Counts the edges of pictures. Each block of the last kernel adds its own; the last one of a
/// picture reports.
struct Reporter {
  // Each for the first picture of some:
  unsigned long long* count;  ///< in device memory, 0 before the kernel: edges in the lower 32
                              ///< bits, blocks that are done in the upper ones
  const FrameThresholds* measured;  ///< in device memory, or null if thresholds were not measured
  Report* report;

#ifdef __CUDACC__
  // One thread of each block calls this, after a barrier behind all stores of the block. The fence
  // orders these before the count, and so before the report.
  __device__ void end_block(unsigned edges) const {
    const unsigned blocks = gridDim.x * gridDim.y, picture = blockIdx.z;
    __threadfence();
    const unsigned long long before = atomicAdd(count + picture, (1ull << 32) + edges);
    if (before >> 32 != blocks - 1) return;
    if (measured != nullptr) {
      report[picture].low = measured[picture].low;
      report[picture].high = measured[picture].high;
    }
    __threadfence_system();
    *const_cast<volatile unsigned long long*>(&report[picture].edges) =
        static_cast<unsigned>(before) + edges;
  }
#endif
};

#ifdef __CUDACC__

/// The edges of a block, in shared memory. All threads call each function.
struct EdgeCounter {
  unsigned sum;

  __device__ void clear() {
    if (threadIdx.x == 0 && threadIdx.y == 0) sum = 0;
    __syncthreads();
  }
  // Adds the edges of each lane.
  __device__ void add(unsigned own) {
    const unsigned edges = sum_of_warp(own);
    if (threadIdx.x == 0 && edges != 0) atomicAdd(&sum, edges);
  }
  // Call last.
  __device__ void report(const Reporter& reporter) const {
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) reporter.end_block(sum);
  }
};

#endif

}  // namespace canny::cuda
