// SPDX-License-Identifier: LGPL-2.1-or-later
// One bit a pixel: what passes between the stages.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define CANNY_HOST_DEVICE __host__ __device__
#else
#define CANNY_HOST_DEVICE
#endif

namespace canny {

inline constexpr int kWordBits = 32;  ///< pixels of a word; bit i is the i-th pixel from the left
inline constexpr int kTile = 32;      ///< side of a tile of a hysteresis pass: a word wide

/// A view of a plane of height rows of words_per_row words, row after row. Bits to the right of
/// the last pixel are 0.
struct BitPlane {
  std::uint32_t* words = nullptr;
  int width = 0;   ///< pixels
  int height = 0;  ///< pixels

  CANNY_HOST_DEVICE int words_per_row() const { return (width + kWordBits - 1) / kWordBits; }
  CANNY_HOST_DEVICE std::size_t size_words() const {
    return static_cast<std::size_t>(words_per_row()) * height;
  }
  CANNY_HOST_DEVICE std::uint32_t* row(int y) const {
    return words + static_cast<std::size_t>(words_per_row()) * y;
  }
  CANNY_HOST_DEVICE std::uint32_t& word(int w, int y) const { return row(y)[w]; }
  /// The word in column w of row y, 0 outside the plane.
  CANNY_HOST_DEVICE std::uint32_t at(int w, int y) const {
    return w >= 0 && w < words_per_row() && y >= 0 && y < height ? row(y)[w] : 0;
  }
};

/// The bits of `word` and those next to them in the same word.
CANNY_HOST_DEVICE inline std::uint32_t spread(std::uint32_t word) {
  return word | word << 1 | word >> 1;
}

/// The runs of ones of `mask` that hold a bit of `seed`, whole. Doubling steps, so that 5 of them
/// cross a word in each direction.
CANNY_HOST_DEVICE inline std::uint32_t fill_runs(std::uint32_t mask, std::uint32_t seed) {
  std::uint32_t left = mask & seed, right = left;
  std::uint32_t left_mask = mask, right_mask = mask;
  for (int step = 1; step < kWordBits; step *= 2) {
    left |= left_mask & left << step;
    left_mask &= left_mask << step;
    right |= right_mask & right >> step;
    right_mask &= right_mask >> step;
  }
  return left | right;
}

}  // namespace canny
