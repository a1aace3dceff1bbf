// SPDX-License-Identifier: LGPL-2.1-or-later
// Candidate and strong bits to edge bits on the GPU: connected components, or a bounded number of
// passes over tiles. The host decides nothing while a frame runs.
#pragma once

#include "bitplane.h"
#include "canny.h"
#include "kernels/launch.h"

namespace canny::cuda {

/// Nodes of the forest a plane needs: one for all strong pixels and one for each run a word can
/// hold.
inline std::size_t forest_nodes(const BitPlane& plane) {
  return 1 + plane.size_words() * (kWordBits / 2);
}

/// Device memory of the hysteresis. `parent` and `other` may overlap: no frame needs both.
struct HysteresisBuffers {
  std::uint32_t* parent = nullptr;      ///< forest_nodes() entries
  std::uint32_t* other = nullptr;       ///< a plane's words
  std::uint32_t* grew = nullptr;        ///< kMaxHysteresisPasses flags
  unsigned long long* count = nullptr;  ///< of edges, which hysteresis() sets to 0
};

/// What hysteresis leaves, in device memory: every bit of `decided` is an edge, and every run of
/// ones in a word of `open` is one if its root in the forest `parent` is the strong node.
struct Edges {
  BitPlane decided;
  BitPlane open;  ///< without words if nothing is open
  const std::uint32_t* parent = nullptr;
};

/// Turns both planes, which it overwrites, into edges. With `passes` = 0 every candidate that is
/// connected to a strong pixel is an edge, else those that `passes` passes reach.
Status hysteresis(unsigned passes, const BitPlane& candidate, const BitPlane& strong,
                  const HysteresisBuffers& buffers, Edges* edges, Launcher* launcher);

}  // namespace canny::cuda
