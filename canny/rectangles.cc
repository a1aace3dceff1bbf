// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts how many rectangles begin and end at each column of a row.
#include "canny/rectangles.h"

#include <algorithm>

namespace canny {
namespace {

using Word = RectangleRows::Word;

std::size_t words_of(int bits) {
  constexpr int kBits = RectangleRows::kBits;
  return static_cast<std::size_t>((bits + kBits - 1) / kBits);
}

// Sets the bits first <= i < last, of which there are some.
void set_range(int first, int last, Word* words) {
  constexpr int kBits = RectangleRows::kBits;
  const int first_word = first / kBits, last_word = (last - 1) / kBits;
  const Word left = ~Word{0} << first % kBits;
  const Word right = ~Word{0} >> (kBits - 1 - (last - 1) % kBits);
  if (first_word == last_word) {
    words[first_word] |= left & right;
    return;
  }
  words[first_word] |= left;
  std::fill(words + first_word + 1, words + last_word, ~Word{0});
  words[last_word] |= right;
}

}  // namespace

Box clip(const Rectangle& rectangle, int width, int height) {
  const auto end = [](int first, int length, int size) {
    return static_cast<int>(std::clamp<std::int64_t>(std::int64_t{first} + length, 0, size));
  };
  return {std::max(rectangle.x, 0), std::max(rectangle.y, 0),
          end(rectangle.x, std::max(rectangle.width, 0), width),
          end(rectangle.y, std::max(rectangle.height, 0), height)};
}

void RectangleRows::begin(const Rectangle* rectangles, std::size_t count, int width, int height) {
  bounds_ = {width, height, 0, 0};
  boxes_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const Box box = clip(rectangles[i], width, height);
    if (box.is_empty()) continue;
    boxes_.push_back(box);
    bounds_ = {std::min(bounds_.left, box.left), std::min(bounds_.top, box.top),
               std::max(bounds_.right, box.right), std::max(bounds_.bottom, box.bottom)};
  }
  if (boxes_.empty()) bounds_ = {};
  y_ = bounds_.top;
  steps_.assign(static_cast<std::size_t>(width) + 1, 0);
  is_step_.assign(words_of(width + 1), 0);
  row_.assign(words_of(width), 0);
  sort_changes();
}

// Sorts the beginnings and ends of rectangles by row, by counting. No row follows the ends of those
// that reach the bottom.
void RectangleRows::sort_changes() {
  const auto rows = static_cast<std::size_t>(bounds_.bottom - bounds_.top);
  const auto row_of = [&](int y) { return static_cast<std::size_t>(y - bounds_.top); };
  first_.assign(rows + 3, 0);
  for (const Box& box : boxes_) {
    ++first_[row_of(box.top) + 2];
    ++first_[row_of(box.bottom) + 2];
  }
  for (std::size_t row = 2; row < rows + 2; ++row) first_[row + 1] += first_[row];
  changes_.resize(2 * boxes_.size());
  // Each row's place moves on with its changes, to where those of the next row begin.
  for (const Box& box : boxes_) {
    changes_[first_[row_of(box.top) + 1]++] = {box.left, box.right, 1};
    changes_[first_[row_of(box.bottom) + 1]++] = {box.left, box.right, -1};
  }
}

void RectangleRows::step(int x, int difference) {
  steps_[x] += difference;
  const Word bit = Word{1} << x % kBits;
  Word& word = is_step_[x / kBits];
  word = steps_[x] != 0 ? word | bit : word & ~bit;
}

const RectangleRows::Word* RectangleRows::next() {
  const auto row = static_cast<std::size_t>(y_++ - bounds_.top);
  if (first_[row] == first_[row + 1]) return row_.data();  // as the row above
  for (std::size_t i = first_[row]; i < first_[row + 1]; ++i) {
    step(changes_[i].left, changes_[i].difference);
    step(changes_[i].right, -changes_[i].difference);
  }
  set_bits();
  return row_.data();
}

// Sets the bits of the row where the sum of the steps so far is not 0.
void RectangleRows::set_bits() {
  std::fill(row_.begin(), row_.end(), 0);
  std::int64_t depth = 0;
  int first = 0;
  for (std::size_t i = 0; i < is_step_.size(); ++i) {
    for (Word left = is_step_[i]; left != 0; left &= left - 1) {
      const int x = static_cast<int>(i) * kBits + __builtin_ctzll(left);
      if (depth == 0) first = x;
      depth += steps_[x];
      if (depth == 0) set_range(first, x, row_.data());
    }
  }
}

}  // namespace canny
