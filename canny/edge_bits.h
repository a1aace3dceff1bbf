// SPDX-License-Identifier: LGPL-2.1-or-later
// An edge map in host memory with one bit per pixel, which backends fill for Contours and
// Components.
#pragma once

#include <tbb/cache_aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace canny {

/// Rows of 64-bit words; bit i of a word is the i-th pixel from the left. Bits to the right of the
/// last pixel, the word before and after each row, and the rows above and below the image are 0, so
/// that all pixels have neighbors.
class EdgeBits {
 public:
  using Word = std::uint64_t;
  static constexpr int kBits = 64;      ///< pixels of a word
  static constexpr int kLineWords = 8;  ///< words of a cache line, at which each row begins

  /// From a row of so many words to the next one, in words.
  static constexpr std::ptrdiff_t stride_of(int words) {
    return kLineWords * (words / kLineWords + 1);
  }

  /// All bits of a new size are 0.
  void set_size(int width, int height) {
    words_per_row_ = (width + kBits - 1) / kBits;
    words_.assign(kLineWords + stride() * (std::size_t{2} + height), 0);
    width_ = width;
    height_ = height;
  }

  int width() const { return width_; }
  int height() const { return height_; }
  int words_per_row() const { return words_per_row_; }
  std::ptrdiff_t stride() const { return stride_of(words_per_row_); }  ///< words
  Word* row(int y) { return words_.data() + kLineWords + stride() * (y + 1); }

 private:
  int width_ = 0, height_ = 0, words_per_row_ = 0;
  std::vector<Word, tbb::cache_aligned_allocator<Word>> words_;
};

}  // namespace canny
