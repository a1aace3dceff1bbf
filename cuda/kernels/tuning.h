// SPDX-License-Identifier: LGPL-2.1-or-later
// Block shapes of the kernels.
#pragma once

namespace canny::cuda {

inline constexpr int kWarp = 32;

// Front end in one kernel, for up to kTileTaps taps: the tile that a block of kFrontThreads turns
// into bits, with kFrontBlocks blocks resident on a multiprocessor. docs/performance.md has the
// times of other tiles.
inline constexpr int kTileTaps = 9;
inline constexpr int kFrontTileWidth = 224;
inline constexpr int kFrontTileHeight = 32;
inline constexpr int kFrontThreads = 256;
inline constexpr int kFrontBlocks = 4;

// Luma: 4 pixels a thread of a row.
inline constexpr int kLumaThreads = 128;
// Horizontal blur: a pixel a thread of a row.
inline constexpr int kRowThreads = 256;
// Vertical blur: tiles of kColumnTile x kColumnTile pixels, kColumnRows of their rows at a time.
inline constexpr int kColumnTile = 32;
inline constexpr int kColumnRows = 8;
// Suppression: a warp for each row of 32 pixels, which make a word.
inline constexpr int kSuppressRows = 8;
// Hysteresis: words a block, and tiles (one a warp) a block.
inline constexpr int kWordThreads = 128;
inline constexpr int kPassTiles = 4;
// Store: 16 pixels a thread, kStoreRows rows a block. Count: blocks over the whole plane.
inline constexpr int kStoreThreads = 32;
inline constexpr int kStoreRows = 8;
inline constexpr int kCountThreads = 256;
inline constexpr int kCountBlocks = 264;

}  // namespace canny::cuda
