// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the hysteresis.
#pragma once

namespace canny::cuda {

// Steps after which flooding stops and leaves a tile to its forest.
inline constexpr int kFloodSteps = 24;
// Tiles of a block, one per warp.
inline constexpr int kLabelTiles = 4;
inline constexpr int kMergeTiles = 4;
inline constexpr int kPassTiles = 8;
// Components of a tile whose pixels are in shared memory at a time.
inline constexpr int kListedParts = 8;
// Warps that list the components of a row of tiles.
inline constexpr int kListWarps = 32;

}  // namespace canny::cuda
