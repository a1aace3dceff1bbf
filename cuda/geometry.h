// SPDX-License-Identifier: LGPL-2.1-or-later
// Covers an image with blocks and mirrors it at its borders.
#pragma once

namespace canny::cuda {

/// Number of blocks of `block` that cover `size`.
inline int blocks(int size, int block) { return (size + block - 1) / block; }

/// Mirrors i into 0 .. size - 1 without repeating the border pixel, as often as needed.
__device__ inline int reflect(int i, int size) {
  if (size == 1) return 0;
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

}  // namespace canny::cuda
