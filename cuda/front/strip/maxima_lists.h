// SPDX-License-Identifier: LGPL-2.1-or-later
// The magnitudes that strips keep, in device memory, a list per strip. The pixels of a list are
// ordered: kStripChunk rows of the left half of a strip, the same rows of the right half, the rows
// below them. The first chunk begins 4 rows above the strip.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/geometry.h"
#include "cuda/tuning.h"

namespace canny::cuda {

/// Columns of a strip.
inline constexpr int kStripWidth = 2 * kWarp;

struct MaximaLists {
  std::uint32_t* words;
  int columns, rows;  ///< of strips: their number beside each other, and the rows of each

#ifdef __CUDACC__
  /// The list of a strip of the block's picture: its length, and from kFirst on magnitudes.
  /// `strip_rows` is the number of strips above each other.
  __device__ std::uint32_t* list(int strip_x, int strip_y, int strip_rows) const {
    const std::size_t row = std::size_t{1} * blockIdx.z * strip_rows + strip_y;
    return words + (row * columns + strip_x) * (rows + 1) * kStripWidth;
  }
#endif
  static constexpr int kFirst = kStripWidth;
};

/// Returns the words that lists for a frame need, whose strips have kFewestStripRows to
/// kMostStripRows rows.
inline std::size_t maxima_words(int width, int height) {
  const int rows = height + kMostStripRows;
  const std::size_t columns = std::size_t{1} * blocks(width, kStripWidth) * kStripWidth;
  return columns * (rows + blocks(rows, kFewestStripRows));
}

}  // namespace canny::cuda
