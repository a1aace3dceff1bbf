// SPDX-License-Identifier: LGPL-2.1-or-later
// Candidate and strong bits to edge bits on the GPU: connected components, or a bounded number of
// passes over tiles. The host decides nothing while a frame runs.
#pragma once

#include <cuda_runtime.h>

#include "bitplane.h"
#include "canny.h"

namespace canny::cuda {

/// Nodes of the forest a plane needs: one for STRONG and one for each run a word can hold.
inline std::size_t forest_nodes(const BitPlane& plane) {
  return 1 + plane.size_words() * (kWordBits / 2);
}

/// Device memory of the hysteresis.
struct HysteresisBuffers {
  std::uint32_t* parent = nullptr;  ///< forest_nodes() entries
  std::uint32_t* other = nullptr;   ///< a plane's words
  std::uint32_t* grew = nullptr;    ///< kMaxHysteresisPasses flags
};

/// Turns `strong` into edges, in place or in `buffers.other`; `*edges` says where they are. With
/// `passes` = 0 every candidate that is connected to a strong pixel is an edge, else those that
/// `passes` passes reach.
Status hysteresis(unsigned passes, const BitPlane& candidate, const BitPlane& strong,
                  const HysteresisBuffers& buffers, BitPlane* edges, cudaStream_t stream);

}  // namespace canny::cuda
