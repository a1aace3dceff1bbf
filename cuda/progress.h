// SPDX-License-Identifier: LGPL-2.1-or-later
// How far a kernel is, tile by tile: warps of the next kernel, which has started early, begin with
// a tile before the others are done.
#pragma once

#include <cstdint>

#include "canny/bits.h"
#include "cuda/launch.h"
#include "cuda/tuning.h"

#ifdef __CUDACC__
#include <cuda/atomic>
#endif

namespace canny::cuda {

/// Counters of what is done, one per tile, in device memory; all are 0 between frames. A block that
/// adds to them has called start_next_kernel() before. So warps that wait for it exist only when
/// all blocks that they wait for run, and take no room that these need. One warp waits for each
/// tile.
struct TileProgress {
  std::uint32_t* done = nullptr;  ///< null: the next kernel waits for all of the previous one

  CANNY_HOST_DEVICE bool is_set() const { return done != nullptr; }

#ifdef __CUDACC__
  // Adds to what is done in a tile: stores of the caller, and of its warp before __syncwarp().
  __device__ void add(int tile, unsigned work) const {
    counter(tile).fetch_add(work, ::cuda::memory_order_release);
  }

  // Waits until so much is done in a tile, whose results can then be read. All lanes of a warp call
  // this, for a tile that no other warp waits for. The last block of a kernel waits for all of the
  // previous kernel as well, so that no kernel ends before one that was launched earlier.
  __device__ void wait(int tile, unsigned work) const {
    if (blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1) wait_for_previous_kernel();
    while (__any_sync(~0u, counter(tile).load(::cuda::memory_order_acquire) != work))
      __nanosleep(kProgressPause);
    if (threadIdx.x == 0) counter(tile).store(0, ::cuda::memory_order_relaxed);
  }

 private:
  using Counter = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

  __device__ Counter counter(int tile) const { return Counter(done[tile]); }
#endif
};

/// The counters of a frame.
struct FrameProgress {
  TileProgress rows;       ///< rows of both planes that strips have written; not set without strips
  TileProgress neighbors;  ///< labeled tiles among a tile and those to the left of it and above
};

}  // namespace canny::cuda
