// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the contours.
#pragma once

namespace canny::cuda {

// Tiles of a block, its warps, and the edge pixels that it follows at the same time, at least those
// of a tile.
inline constexpr int kFollowTiles = 4;
inline constexpr int kFollowWarps = 8;
inline constexpr int kFollowPixels = 1280;

// Tiles of a block, and warps of a tile that write its points.
inline constexpr int kPlaceTiles = 4;
inline constexpr int kWriteWarps = 2;

// Steps of a walk in a round within a tile, and walks of a thread at a time.
inline constexpr int kTileHops = 3;
inline constexpr int kTogether = 2;

// Steps of a walk from tile to tile in each round. The last round completes all walks.
inline constexpr int kHops[] = {8, 12, 32, 1 << 30};
inline constexpr int kRounds = sizeof kHops / sizeof *kHops;

// Blocks per multiprocessor and threads of a block where their work is not known beforehand.
inline constexpr int kListBlocks = 8;
inline constexpr int kListThreads = 128;

// Warps that add up the chains and points of a row of tiles.
inline constexpr int kSumWarps = 32;
inline constexpr int kSumTogether = 4;
// Parts of the sum of a row of tiles, so that few threads add to the same one.
inline constexpr int kSumParts = 32;

// Memory for pieces, per tile on average, and for chains, as a part of the pixels.
inline constexpr int kPiecesPerTile = 48;
inline constexpr int kPixelsPerChain = 4;
inline constexpr int kLeastRoom = 64;  // chains, for small frames

}  // namespace canny::cuda
