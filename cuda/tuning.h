// SPDX-License-Identifier: LGPL-2.1-or-later
// The block sizes and limits of kernels, the same on every device. All were chosen by measurements
// on an H200 (compute capability 9.0), which docs/internals/experiments.md lists; those of the
// kernels for older devices with CANNY_CUDA_KERNELS=8.0 and =portable. tests/gpu/tuning runs the
// tests with other numbers.
#pragma once

namespace canny::cuda {

inline constexpr int kWarp = 32;

// Compute capabilities, times 10, of the kernels: portable ones; strips, which need products of
// matrices of bytes and asynchronous copies; and the same ones, each of which begins while the one
// before it ends.
inline constexpr int kLeastCapability = 75;
inline constexpr int kStripCapability = 80;
inline constexpr int kOverlapCapability = 90;

// Of the threads that wait for a frame, one for each group of so many cores polls, at least one;
// the others sleep between looks, for at most kLongestSleep.
inline constexpr int kCoresPerPoller = 8;
inline constexpr int kLongestSleep = 80;  // microseconds

// Nanoseconds between looks at the progress of a tile.
inline constexpr int kProgressPause = 100;

// Regions: tiles of a block, one per warp; as many as in a pass of the hysteresis.
inline constexpr int kRegionTiles = 8;

// ---- luma and blurred images ----

// Luma: a thread computes 4 pixels of a row, of packed or planar bytes in each of kLumaRows rows.
inline constexpr int kLumaThreads = 128;
inline constexpr int kLumaRows = 4;
// Horizontal blur: a thread computes 4 pixels in each of the kRowHeight rows of its warp; a block
// has kRowWarps warps.
inline constexpr int kRowHeight = 4;
inline constexpr int kRowWarps = 8;
// Vertical blur: tiles of kColumnWidth x kColumnHeight pixels, 4 x 4 per thread.
inline constexpr int kColumnWidth = 64;
inline constexpr int kColumnHeight = 64;
inline constexpr int kColumnThreads = kColumnWidth * kColumnHeight / 16;
// Vertical blur of deep samples: 4 columns of kDeepColumnRows rows per thread.
inline constexpr int kDeepColumnThreads = 64;
inline constexpr int kDeepColumnRows = 8;

// ---- strips, for compute capability 8.0 and up ----

// The most taps.
inline constexpr int kStripTaps = 45;
inline constexpr int kWideStripTaps = 77;  // of the kernel that blurs images of luma
inline constexpr int kColorTaps = 13;      // of the kernel for all colors

// Registers of a thread: as many as possible without excluding blocks from a multiprocessor that
// has shared memory for them. kWeightedRegisters are those of the kernels for operators other than
// Sobel, kWideStripRegisters of those for many taps. Norm L1 takes kL1Registers more, rows that do
// not begin with a unit of copies kUnalignedRegisters, others of 4 bytes a pixel
// kFourBytesRegisters.
inline constexpr int kStripRegisters = 96;
inline constexpr int kFewWarpsRegisters = 16;  // more, where shared memory allows few warps
inline constexpr int kL1Registers = 8;
inline constexpr int kUnalignedRegisters = 24;
inline constexpr int kFourBytesRegisters = 8;
inline constexpr int kWeightedRegisters = 112;
inline constexpr int kWideStripRegisters = 168;

// Tiles for each multiprocessor: kStripTiles, of at most kMaxStripSteps steps. Where these would
// have fewer than kFewStripRows rows, there are fewer tiles, down to kFewStripTiles.
inline constexpr int kStripTiles = 22;
inline constexpr int kMaxStripSteps = 8;
inline constexpr int kFewStripTiles = 8;
inline constexpr int kFewStripRows = 28;
// Likewise while kBusyFrames other frames of the process are in flight on the device.
inline constexpr int kBusyFrames = 4;
inline constexpr int kBusyStripTiles = 5;
inline constexpr int kBusyWideStripTiles = 4;  // of the kernel for many taps
inline constexpr int kMaxBusyStripSteps = 32;
// The rows that a tile has at least and at most.
inline constexpr int kFewestStripRows = 12;
inline constexpr int kMostStripRows = 16 * kMaxBusyStripSteps - 4;
// Rows of a tile in frames with a region, of which few tiles may remain.
inline constexpr int kRegionStripRows = 28;

// Rows that a warp suppresses together.
inline constexpr int kStripChunk = 4;

// Lists of maxima: those of a block that counts or splits them, one per warp.
inline constexpr int kMaximaStrips = 8;

// ---- tiles of the front end ----

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

// ---- generic kernels, and those that count ----

// Responses of any operator: the tile of a block of kResponseThreads.
inline constexpr int kResponseWidth = 224;
inline constexpr int kResponseHeight = 18;
inline constexpr int kPairResponseHeight = 30;  // of operators two of whose gradients are one word
inline constexpr int kDeepResponseHeight = 12;  // of deep samples, whose magnitudes have 64 bits
inline constexpr int kResponseThreads = 256;
// Counting: a thread takes 4 columns of kCountRows rows. Threads of a block for magnitudes of 3x3
// operators; those for luma are kLumaThreads.
inline constexpr int kCountThreads = 128;
inline constexpr int kCountRows = 24;

// ---- hysteresis ----

// Steps after which flooding stops and leaves a tile to its forest.
inline constexpr int kFloodSteps = 24;
// Tiles of a block, one per warp.
inline constexpr int kLabelTiles = 4;
inline constexpr int kMergeTiles = 4;
inline constexpr int kPassTiles = 8;
// Components of a tile whose pixels are in shared memory at a time.
inline constexpr int kListedParts = 8;
// Blocks of a multiprocessor that find the components of tiles.
inline constexpr int kLabelBlocks = 16;
// Warps that list the components of a row of tiles.
inline constexpr int kListWarps = 32;

// ---- outputs ----

// Paint: rows of a tile that a warp loads before it stores the first, and blocks resident on a
// multiprocessor.
inline constexpr int kPaintRows = 8;
inline constexpr int kPaintBlocks = 4;
// Output: warps of a block, and tiles of a warp.
inline constexpr int kOutputWarps = 8;
inline constexpr int kOutputTiles = 2;

// ---- contours ----

// Tiles of a block, its warps, and the edge pixels that it follows at the same time, at least those
// of a tile.
inline constexpr int kFollowTiles = 4;
inline constexpr int kFollowWarps = 8;
inline constexpr int kFollowPixels = 1280;

// Tiles of a block, and warps of a tile that write its points.
inline constexpr int kPlaceTiles = 4;
inline constexpr int kWriteWarps = 2;

// Pixels of a row that a thread loads at the same time to find where chains begin.
inline constexpr int kStartsTogether = 4;

// Steps of a walk in a round within a tile, and walks of a thread at a time.
inline constexpr int kTileHops = 3;
inline constexpr int kTogether = 2;

// Steps of a walk from tile to tile in each round. The last round completes all walks.
inline constexpr int kHops[] = {16, 1 << 30};
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
