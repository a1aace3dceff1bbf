// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the strip kernels, for compute capability 8.0 and up.
#pragma once

namespace canny::cuda {

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
inline constexpr int kBusyStripTiles = 4;
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

}  // namespace canny::cuda
