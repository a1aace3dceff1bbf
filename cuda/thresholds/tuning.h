// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of the kernels that measure thresholds.
#pragma once

namespace canny::cuda {

// Counting: a thread takes 4 columns of kCountRows rows. Threads of a block for magnitudes of 3x3
// operators; those for luma are kLumaThreads.
inline constexpr int kCountThreads = 128;
inline constexpr int kCountRows = 24;
// Maxima: strips of a block, one per warp.
inline constexpr int kMaximaStrips = 8;

}  // namespace canny::cuda
