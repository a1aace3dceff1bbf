// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on words of pixels. Until stable, rows of a strip that changed pass their edges on to
// the next row, down and up; where strips meet, those of two strips do so. That completes all but
// winding edges soon. For these, the components of the remaining candidates are labeled. That work
// is bounded by the number of runs, whatever their shape.
#include "cpu/hysteresis/hysteresis.h"

#include <algorithm>

#include "cpu/hysteresis/grow.h"

namespace canny::cpu {
namespace {

using Word = Plane::Word;

// How often rows may be grown, on average, before components take over. Random pixels of 41 %,
// which have the most winding paths, need 15 to 24 times in one strip and 30 to 48 times in 32
// strips. A line that winds through the whole image would take a hundred times as long.
constexpr int kGrownInOne = 26, kGrownInMany = 64;

// How often strips may be joined at a border, on average. Random pixels of 41 % need 1 to 2.1, a
// comb 2.5 to 2.9 times.
constexpr int kJoins = 4;

}  // namespace

std::size_t Flood::scratch_words(const Plane& plane, const std::vector<int>& first_rows) {
  std::size_t labels = kFirstLabel;
  for (std::size_t i = 1; i < first_rows.size(); ++i)
    labels += max_labels(plane, first_rows[i] - first_rows[i - 1]);
  return (labels * sizeof *scratch_ + sizeof(Word) - 1) / sizeof(Word);
}

void Flood::set_size(const Plane& plane, const std::vector<int>& first_rows, Word* scratch) {
  scratch_ = reinterpret_cast<std::uint32_t*>(scratch);
  const int words = plane.words_per_row();
  changed_.assign(plane.height, 0);
  strips_.clear();
  std::size_t label = kFirstLabel;
  for (std::size_t i = 1; i < first_rows.size(); ++i) {
    const int first = first_rows[i - 1], last = first_rows[i];
    strips_.push_back({first, last, static_cast<std::uint32_t>(label), 0,
                       std::vector<Column>(words), std::vector<Column>(words)});
    label += max_labels(plane, last - first);
  }
}

void Flood::begin() {
  allowed_per_row_ = strips_.size() == 1 ? kGrownInOne : kGrownInMany;
  allowed_rows_ = allowed_per_row_ * static_cast<std::int64_t>(changed_.size());
  gave_up_ = false;
  allowed_joins_ = kJoins * static_cast<int>(strips_.size());
}

void Flood::flood(const Plane& candidate, const Plane& edges, int strip) {
  const int first = strips_[strip].first_row, last = strips_[strip].last_row;
  std::fill(changed_.begin() + first, changed_.begin() + last, kAll);
  grow_row(candidate, edges, first, first);
  grow(candidate, edges, first, last);
}

void Flood::flood_across(const Plane& candidate, const Plane& edges, int border) {
  if (allowed_joins_.fetch_sub(1, std::memory_order_relaxed) <= 0) gave_up_ = true;
  grow(candidate, edges, strips_[border - 1].first_row, strips_[border].last_row);
}

void Flood::grow(const Plane& candidate, const Plane& edges, int first_row, int last_row) {
  std::int64_t allowed = allowed_per_row_ * (last_row - first_row);
  while (!gave_up_) {
    const int grown = sweep(candidate, edges, first_row, last_row, -1) +
                      sweep(candidate, edges, first_row, last_row, 1);
    if (grown == 0) return;
    allowed -= grown;
    const std::int64_t shared = allowed_rows_.fetch_sub(grown, std::memory_order_relaxed) - grown;
    if (allowed <= 0 || shared <= 0) gave_up_ = true;
  }
}

int Flood::sweep(const Plane& candidate, const Plane& edges, int first_row, int last_row,
                 int from_offset) {
  const std::uint8_t pending = from_offset < 0 ? kPassDown : kPassUp;
  int grown = 0;
  const auto visit = [&](int y) {
    std::uint8_t& from = changed_[y + from_offset];
    if ((from & pending) == 0) return;
    from &= ~pending;
    if (grow_row(candidate, edges, y, y + from_offset)) changed_[y] |= kAll;
    ++grown;
  };
  for (int y = first_row + 1; from_offset < 0 && y < last_row; ++y) visit(y);
  for (int y = last_row - 2; from_offset > 0 && y >= first_row; --y) visit(y);
  return grown;
}

bool Flood::changed_first(int strip) const {
  return (changed_[strips_[strip].first_row] & kPassUp) != 0;
}

bool Flood::changed_last(int strip) const {
  return (changed_[strips_[strip].last_row - 1] & kPassDown) != 0;
}

bool Flood::take_changed(int y) {
  const bool untaken = (changed_[y] & kUntaken) != 0;
  changed_[y] &= ~kUntaken;
  return untaken;
}

}  // namespace canny::cpu
