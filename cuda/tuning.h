// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers that several stages share, the same on every device. Rooms of cuda/ have a tuning.h of
// their own with the block sizes and limits of their kernels. All were chosen by measurements on an
// H200 (compute capability 9.0), which docs/internals/experiments.md lists; those of the kernels
// for older devices with CANNY_CUDA_KERNELS=8.0 and =portable. tests/gpu/tuning runs the tests with
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

// Nanoseconds between looks at the progress of a tile.
inline constexpr int kProgressPause = 100;

// Regions: tiles of a block, one per warp; as many as in a pass of the hysteresis.
inline constexpr int kRegionTiles = 8;

}  // namespace canny::cuda
