// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the kernels that make images of luma and of blurred pixels.
#pragma once

namespace canny::cuda {

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

}  // namespace canny::cuda
