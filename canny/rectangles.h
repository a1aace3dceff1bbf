// SPDX-License-Identifier: LGPL-2.1-or-later
// The union of rectangles as bits, row by row. The time is bounded, however many rectangles there
// are and however much they overlap: each costs a constant, and each row no more than its pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "canny/canny.h"

namespace canny {

/// The pixels left <= x < right, top <= y < bottom of a frame.
struct Box {
  int left = 0, top = 0, right = 0, bottom = 0;

  bool is_empty() const { return left >= right || top >= bottom; }
};

/// The pixels of a rectangle in a frame of this size, maybe none.
Box clip(const Rectangle& rectangle, int width, int height);

/// Sweeps over the rows of rectangles. Keeps its memory.
class RectangleRows {
 public:
  using Word = std::uint64_t;
  static constexpr int kBits = 64;  ///< pixels of a word; bit i is the i-th from the left

  /// Begins with rectangles of a frame of this size.
  void begin(const Rectangle* rectangles, std::size_t count, int width, int height);
  /// The smallest box around all of them.
  const Box& bounds() const { return bounds_; }

  /// The words of the next row, of which the first one is bounds().top. They are valid until the
  /// next call.
  const Word* next();

 private:
  // A rectangle that begins or ends above a row.
  struct Change {
    int left, right, difference;
  };

  void sort_changes();
  void step(int x, int difference);
  void set_bits();

  Box bounds_;
  int y_ = 0;
  std::vector<Box> boxes_;
  std::vector<std::size_t> first_;   // the first change of each row of the bounds, and the ends
  std::vector<Change> changes_;      // in the order of rows
  std::vector<std::int64_t> steps_;  // rectangles that begin at a column, less those that end there
  std::vector<Word> is_step_;        // a bit for each step that is not 0
  std::vector<Word> row_;
};

}  // namespace canny
