// SPDX-License-Identifier: LGPL-2.1-or-later
// Adds to the counters of TileProgress, and waits for them.
#pragma once

#include <cstdint>

#include <cuda/atomic>

#include "cuda/launch.h"
#include "cuda/progress.h"
#include "cuda/tuning.h"

namespace canny::cuda {

using TileCounter = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

/// Adds to what is done in a tile: stores of the caller, and of its warp before __syncwarp().
__device__ inline void add_progress(const TileProgress& progress, int tile, unsigned work) {
  TileCounter(progress.done[tile]).fetch_add(work, ::cuda::memory_order_release);
}

/// Waits until so much is done in a tile, whose results can then be read. All lanes of a warp call
/// this, for a tile that no other warp waits for. The last block of a kernel waits for all of the
/// previous kernel as well, so that no kernel ends before one that was launched earlier.
__device__ inline void wait_for_progress(const TileProgress& progress, int tile, unsigned work) {
  if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1 && blockIdx.z == gridDim.z - 1)
    wait_for_previous_kernel();
  const TileCounter counter(progress.done[tile]);
  while (__any_sync(~0u, counter.load(::cuda::memory_order_acquire) != work))
    __nanosleep(kProgressPause);
  if (threadIdx.x == 0) counter.store(0, ::cuda::memory_order_relaxed);
}

}  // namespace canny::cuda
