// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns rectangles or a mask into bits.
#include "cpu/region.h"

#include <algorithm>

#include "canny/frame.h"
#include "canny/operator.h"
#include "canny/pack.h"
#include "canny/plan.h"

namespace canny::cpu {
namespace {

using Word = Plane::Word;

// Pixels outside the columns of a part are wrong as far as the largest blur, the largest operator
// and suppression reach: exactly a word.
constexpr int kReach = kMaxRadius + kMaxOperatorSize / 2 + 1;
static_assert(kReach <= Plane::kBits);

}  // namespace

void RegionBits::set(const ConstFrame& frame) {
  const Region* region = frame.region;
  const int width = frame.width, height = frame.height;
  is_set_ = region != nullptr;
  if (!is_set_) return;
  group_ = layout(frame.format).group;
  if (plane_.width != width || plane_.height != height) {
    plane_ = {};
    extent_ = {};
    Plane plane = {nullptr, width, height};
    words_.assign(plane.memory_words(), 0);
    plane.place(words_.data());
    plane_ = plane;
  }
  for (int y = extent_.first_row; y < extent_.last_row; ++y)
    std::fill(plane_.row(y) + extent_.first_word, plane_.row(y) + extent_.last_word, 0);
  extent_ = {};
  if (region->mask.data == nullptr) return set_rectangles(*region);
  for (int y = 0; y < height; ++y)
    pack_row(region->mask.data + y * region->mask.stride_bytes, width, plane_.row(y));
  find_extent();
}

void RegionBits::set_rectangles(const Region& region) {
  rectangles_.begin(region.rectangles, region.rectangle_count, plane_.width, plane_.height);
  const Box& bounds = rectangles_.bounds();
  if (bounds.is_empty()) return;
  extent_ = {bounds.top, bounds.bottom, bounds.left / Plane::kBits,
             (bounds.right - 1) / Plane::kBits + 1};
  for (int y = extent_.first_row; y < extent_.last_row; ++y) {
    const Word* row = rectangles_.next();
    std::copy(row + extent_.first_word, row + extent_.last_word,
              plane_.row(y) + extent_.first_word);
  }
}

// Finds the rows and words of a mask that have bits.
void RegionBits::find_extent() {
  const int words = plane_.words_per_row();
  Extent found = {plane_.height, 0, words, 0};
  for (int y = 0; y < plane_.height; ++y) {
    const Word* row = plane_.row(y);
    const auto is_bit = [](Word word) { return word != 0; };
    const Word* first = std::find_if(row, row + words, is_bit);
    if (first == row + words) continue;
    int last = words;
    while (row[last - 1] == 0) --last;
    found = {std::min(found.first_row, y), y + 1,
             std::min(found.first_word, static_cast<int>(first - row)),
             std::max(found.last_word, last)};
  }
  extent_ = found.is_empty() ? Extent() : found;
}

std::uint64_t RegionBits::pixels(int step) const {
  std::uint64_t count = 0;
  for (int y = (extent_.first_row + step - 1) / step * step; y < extent_.last_row; y += step)
    count +=
        count_ones(&plane_.word(extent_.first_word, y), extent_.last_word - extent_.first_word);
  return count;
}

// Where few rows are left below, all of them: a piece above another one has more rows than an
// operator reaches.
Extent RegionBits::extent(int margin) const {
  if (extent_.is_empty()) return {};
  Extent result = extent_;
  result.first_row = std::max(result.first_row - margin, 0);
  result.last_row += margin;
  if (result.last_row + kMaxOperatorSize > plane_.height) result.last_row = plane_.height;
  result.first_word = std::max(result.first_word - 1, 0);
  result.first_word -= result.first_word % group_;  // the pixels on the left are whole groups
  result.last_word = std::min(result.last_word + 1, plane_.words_per_row());
  return result;
}

ConstFrame RegionBits::columns_of(const ConstFrame& frame) const {
  const Extent columns = extent(0);
  if (columns.is_empty()) return frame;
  ConstFrame part = frame;
  const int x = columns.first_word * Plane::kBits, bytes = row_bytes(frame.format, x);
  part.width = std::min(columns.last_word * Plane::kBits, frame.width) - x;
  part.data += bytes;
  if (part.green.data != nullptr) part.green.data += bytes;
  if (part.blue.data != nullptr) part.blue.data += bytes;
  return part;
}

Plane RegionBits::columns_of(const Plane& plane) const {
  Plane part = plane;
  part.words += extent(0).first_word;
  return part;
}

}  // namespace canny::cpu
