// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the kernels that write outputs.
#pragma once

namespace canny::cuda {

// Paint: rows of a tile that a warp loads before it stores the first, and blocks resident on a
// multiprocessor.
inline constexpr int kPaintRows = 8;
inline constexpr int kPaintBlocks = 4;
// Output: warps of a block, and tiles of a warp.
inline constexpr int kOutputWarps = 8;
inline constexpr int kOutputTiles = 2;

}  // namespace canny::cuda
