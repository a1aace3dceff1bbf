// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU backend's bit plane: rows of 64-bit words with a word of zeros between them.
#pragma once

#include <hwy/base.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace canny::cpu {

/// Describes a plane of `height` rows of words_per_row() words. Bits to the right of the last pixel
/// are 0, and so is the word before and after each row, so that words have neighbors everywhere.
struct Plane {
  using Word = std::uint64_t;
  static constexpr int kBits = 64;  ///< pixels of a word; bit i is the i-th from the left

  Word* words = nullptr;
  int width = 0;   ///< pixels
  int height = 0;  ///< pixels

  int words_per_row() const { return (width + kBits - 1) / kBits; }
  std::size_t stride() const { return std::size_t{1} + words_per_row(); }
  Word* row(int y) const { return words + stride() * y; }
  Word& word(int i, int y) const { return row(y)[i]; }

  /// The size of the zeroed memory that place() takes.
  std::size_t memory_words() const { return 1 + stride() * height; }
  void place(Word* memory) { words = memory + 1; }
};

/// Clears the rows and the words around them, which no stage writes but the flood's memory covers.
inline void clear(const Plane& plane) {
  std::fill_n(plane.words - 1, plane.memory_words(), Plane::Word{0});
}

/// The number of ones in consecutive words.
inline std::uint64_t count_ones(const Plane::Word* words, std::size_t count) {
  std::uint64_t ones = 0;
  for (std::size_t i = 0; i < count; ++i) ones += hwy::PopCount(words[i]);
  return ones;
}

}  // namespace canny::cpu
