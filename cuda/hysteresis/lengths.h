// SPDX-License-Identifier: LGPL-2.1-or-later
// Removes short edges on the GPU.
#pragma once

#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Device memory for remove_short(), apart from that of the hysteresis.
struct LengthBuffers {
  TilePlane open;
  OpenComponents components;
  std::uint32_t* lengths = nullptr;  ///< pixels of each component, forest_nodes() entries
};

/// Removes the connected components of `*edges` with fewer than `min_length` pixels. `*edges`,
/// whose planes it overwrites, becomes edges in other memory.
Status remove_short(unsigned min_length, const LengthBuffers& buffers, Edges* edges,
                    Launcher* launcher);

}  // namespace canny::cuda
