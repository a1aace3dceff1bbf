// SPDX-License-Identifier: LGPL-2.1-or-later
// Block sizes and limits of the kernels, the same on every device. All were chosen by measurements
// on an H200 (compute capability 9.0), which docs/experiments.md lists; those of the kernels for
// older devices with CANNY_CUDA_KERNELS=8.0 and =portable. tests/gpu/tuning runs the tests with
// other numbers.
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

// Front end in one kernel, for up to kTileTaps taps: the tile that a block of kFrontThreads turns
// into bits, with kFrontBlocks blocks resident on a multiprocessor. docs/experiments.md compares it
// with other designs.
inline constexpr int kTileTaps = 9;
inline constexpr int kFrontTileWidth = 224;
inline constexpr int kFrontTileHeight = 32;
inline constexpr int kFrontThreads = 256;
inline constexpr int kFrontBlocks = 4;

// Likewise for deep samples.
inline constexpr int kDeepTileWidth = 128;
inline constexpr int kDeepTileHeight = 32;
inline constexpr int kDeepTileThreads = 256;
inline constexpr int kDeepTileBlocks = 4;

// Front end for compute capability 8.0 and up. Registers of a thread: as many as possible without
// excluding blocks from a multiprocessor that has shared memory for them.
inline constexpr int kStripTaps = 45;
inline constexpr int kColorTaps = 13;  // of the kernel for all colors
// kWeightedRegisters are those of the kernels for operators other than Sobel, kWideStripRegisters
// of those for many taps. Rows that do not begin with a unit of copies take kUnalignedRegisters
// more.
inline constexpr int kStripRegisters = 96;
inline constexpr int kEarlierStripRegisters = 16;  // more, before compute capability 9.0
inline constexpr int kUnalignedRegisters = 24;
inline constexpr int kWeightedRegisters = 112;
inline constexpr int kWideStripRegisters = 168;
// Tiles for each multiprocessor: kStripTiles, of at most kMaxStripSteps steps. Where these would
// have fewer than kFewStripRows rows, there are fewer tiles, down to kFewStripTiles.
inline constexpr int kStripTiles = 22;
inline constexpr int kMaxStripSteps = 8;
inline constexpr int kFewStripTiles = 8;
// Likewise while kBusyFrames other frames of the process are in flight on the device.
inline constexpr int kBusyFrames = 4;
inline constexpr int kBusyStripTiles = 4;
inline constexpr int kFewStripRows = 28;
// The rows that a tile has at least and at most.
inline constexpr int kFewestStripRows = 12;
inline constexpr int kMostStripRows = 16 * kMaxStripSteps - 4;
// Rows of a tile in frames with a region, of which few tiles may remain.
inline constexpr int kRegionStripRows = 28;
// Rows that a warp suppresses together.
inline constexpr int kStripChunk = 4;

// Luma: a thread computes 4 pixels of a row.
inline constexpr int kLumaThreads = 128;
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
// Suppression: the tile that a block of kSuppressThreads turns into bits.
inline constexpr int kSuppressWidth = 224;
inline constexpr int kSuppressHeight = 16;
inline constexpr int kSuppressThreads = 256;
// Responses of any operator: the tile of a block of kResponseThreads.
inline constexpr int kResponseWidth = 224;
inline constexpr int kResponseHeight = 18;
inline constexpr int kDeepResponseHeight = 12;  // of deep samples, whose magnitudes have 64 bits
inline constexpr int kResponseThreads = 256;
// Counting: a thread takes 4 columns of kCountRows rows. Threads of a block for magnitudes of 3x3
// operators; those for luma are kLumaThreads.
inline constexpr int kCountThreads = 128;
inline constexpr int kCountRows = 24;
// Pixels that suppression keeps: strips of a block, one per warp.
inline constexpr int kMaximaStrips = 8;
// Hysteresis: steps after which flooding stops and leaves a tile to its forest; tiles of a block,
// one per warp.
inline constexpr int kFloodSteps = 24;
inline constexpr int kLabelTiles = 4;
inline constexpr int kMergeTiles = 4;
inline constexpr int kPassTiles = 8;
// Paint: rows of a tile that a warp loads before it stores the first, and blocks resident on a
// multiprocessor.
inline constexpr int kPaintRows = 8;
inline constexpr int kPaintBlocks = 4;
// Output: warps of a block, and tiles of a warp.
inline constexpr int kOutputWarps = 8;
inline constexpr int kOutputTiles = 2;

}  // namespace canny::cuda
