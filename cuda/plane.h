// SPDX-License-Identifier: LGPL-2.1-or-later
// The GPU's bit plane: tiles one word wide whose rows are adjacent, so that a warp reads a tile as
// 128 consecutive bytes and lane i gets row i.
#pragma once

#include <cstddef>

#include "canny/bits.h"

namespace canny::cuda {

/// Describes a plane of tiles of kTile x kTile pixels, row by row, of each picture of a batch: one
/// plane after the other. A word is a row of a tile; bit i is its i-th pixel from the left. Bits to
/// the right of the last pixel are 0. Rows below the last pixel are undefined.
struct TilePlane {
  using Word = std::uint32_t;
  static constexpr int kBits = kWordBits;

  Word* words = nullptr;
  int width = 0;          ///< pixels
  int height = 0;         ///< pixels
  int picture_tiles = 0;  ///< of a batch: tiles() of a picture
  int unused = 0;         ///< instead of padding

  /// Tiles in a row and in a column.
  CANNY_HOST_DEVICE int columns() const {
    return (static_cast<unsigned>(width) + kTile - 1) / kTile;
  }
  CANNY_HOST_DEVICE int rows() const { return (static_cast<unsigned>(height) + kTile - 1) / kTile; }
  /// The index of the tile in column x of row y of a picture: in kernels that of the block, else
  /// the first one.
  CANNY_HOST_DEVICE int tile(int x, int y) const {
#ifdef __CUDA_ARCH__
    x += static_cast<int>(blockIdx.z) * picture_tiles;
#endif
    return y * columns() + x;
  }
  /// Tiles and words of a picture.
  CANNY_HOST_DEVICE std::size_t tiles() const {
    return static_cast<std::size_t>(columns()) * rows();
  }
  CANNY_HOST_DEVICE std::size_t size_words() const { return tiles() * kTile; }

  /// The word of row `row` of a tile.
  CANNY_HOST_DEVICE Word& row_of(int tile, int row) const {
    return words[static_cast<unsigned>(tile) * kTile + row];
  }
  /// The word in tile column x of pixel row y.
  CANNY_HOST_DEVICE Word& word(int x, int y) const {
    const unsigned row = static_cast<unsigned>(y);
    return words[static_cast<std::size_t>(tile(x, row / kTile)) * kTile + row % kTile];
  }
  /// The bit of a pixel.
  CANNY_HOST_DEVICE bool bit(int x, int y) const {
    return (word(x / kTile, y) >> x % kTile & 1) != 0;
  }
  /// Like word(), but 0 outside the plane.
  CANNY_HOST_DEVICE Word at(int x, int y) const {
    return x >= 0 && x < columns() && y >= 0 && y < height ? word(x, y) : 0;
  }
};

}  // namespace canny::cuda
