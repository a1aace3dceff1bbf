// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the tile kernels.
#pragma once

namespace canny::cuda {

inline constexpr int kTileTaps = 9;  // the most taps

// The tile that a block of kFrontThreads turns into bits, with kFrontBlocks blocks resident on a
// multiprocessor.
inline constexpr int kFrontTileWidth = 224;
inline constexpr int kFrontTileHeight = 32;
inline constexpr int kFrontThreads = 256;
inline constexpr int kFrontBlocks = 4;

// Likewise for deep samples.
inline constexpr int kDeepTileWidth = 128;
inline constexpr int kDeepTileHeight = 32;
inline constexpr int kDeepTileThreads = 256;
inline constexpr int kDeepTileBlocks = 4;

}  // namespace canny::cuda
