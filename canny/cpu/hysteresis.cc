// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on words of pixels. Until stable, it takes up to three steps; each follows only if the
// previous one does not end soon. First, rows pass their edges on to the next row, down and up,
// which completes most images. Then words that gained edges pass them on to the words around them.
// Ranges of rows do this at the same time, then ranges across their borders, and so on. Finally the
// components of the remaining candidates are labeled. That work is bounded by the number of runs,
// whatever their shape.
#include "canny/cpu/hysteresis.h"

#include <algorithm>
#include <utility>

#include "canny/cpu/grow.h"
#include "canny/cpu/words.h"

namespace canny::cpu {
namespace {

using Word = Plane::Word;

// How often a row may be grown, on average, before words take over.
constexpr int kGrownPerRow = 8;

// The same for rows that one thread grows while the others wait.
constexpr int kFinishedPerRow = 4;

// How often a word may be processed, on average, before components take over: enough for a random
// mask with the most winding paths, which needs 0.3 to 0.7. A line that winds through the whole
// image would take a hundred times as long. A range has as much at a time, and all ranges share it.
constexpr int kHandledPerWord = 1;

// Words that a thread takes from what is allowed at a time.
constexpr int kShare = 64;

// Extends `filled` towards bit 0 along the runs of `mask`.
Word fill_down(Word mask, Word filled) {
  for (int step = 1; step < Plane::kBits; step *= 2) {
    filled |= mask & filled >> step;
    mask &= mask >> step;
  }
  return filled;
}

// The runs of `mask` that contain a bit of `seeds`, a subset of it. The carry of the sum runs
// upwards through the rest of a run.
Word fill(Word mask, Word seeds) {
  const Word filled = seeds | (mask & ~(mask + seeds));
  return (mask & ~filled & filled >> 1) == 0 ? filled : fill_down(mask, filled);
}

}  // namespace

// A stack of the words that have edges to pass on within rows first_row .. last_row - 1. It holds a
// word at most once and lies in the slice of the Flood's memory for these rows.
class Flood::Worklist {
 public:
  Worklist(Flood& flood, const Plane& candidate, const Plane& edges, int first_row, int last_row)
      : candidate_(candidate),
        edges_(edges),
        words_(candidate.words_per_row()),
        first_row_(first_row),
        last_row_(last_row),
        waiting_(flood.scratch_ + static_cast<std::size_t>(words_) * first_row),
        queued_(flood.queued_.data()) {}

  // Grows row y from the rows above and below.
  void take_on(int y) {
    const Word *above = row(y - 1), *below = row(y + 1);
    for (int i = 0; i < words_; ++i) grow(i, y, spread(above, i) | spread(below, i));
  }

  // Passes edges on until the stack is empty. Returns false if that takes too long.
  bool drain(std::atomic<std::int64_t>& allowed) {
    int own = kHandledPerWord * words_ * (last_row_ - first_row_);
    int left = 0;
    for (; count_ > 0 && (left > 0 || own > 0); --left) {
      if (left == 0) {
        if (allowed.fetch_sub(kShare, std::memory_order_relaxed) <= 0) break;
        own -= kShare;
        left = kShare;
      }
      const std::uint32_t word = waiting_[--count_];
      queued_[word] = 0;
      pass_on(static_cast<int>(word % words_), static_cast<int>(word / words_));
    }
    const bool done = count_ == 0;
    if (done) allowed.fetch_add(left, std::memory_order_relaxed);
    while (count_ > 0) queued_[waiting_[--count_]] = 0;
    return done;
  }

 private:
  const Word* row(int y) const {
    return y >= first_row_ && y < last_row_ ? edges_.row(y) : kNothing + 1;
  }

  void pass_on(int i, int y) {
    const Word edges = edges_.word(i, y);
    for (int to = std::max(y - 1, first_row_); to < std::min(y + 2, last_row_); ++to) {
      if (i > 0) grow(i - 1, to, edges << kLastBit);
      if (to != y) grow(i, to, edges | edges << 1 | edges >> 1);
      if (i + 1 < words_) grow(i + 1, to, edges >> kLastBit);
    }
  }

  void grow(int i, int y, Word reached) {
    Word& edges = edges_.word(i, y);
    const Word mask = candidate_.word(i, y), added = reached & mask & ~edges;
    if (added == 0) return;
    edges |= fill(mask, added);
    const std::uint32_t word = static_cast<std::uint32_t>(y) * words_ + i;
    if (queued_[word]) return;
    queued_[word] = 1;
    waiting_[count_++] = word;
  }

  const Plane& candidate_;
  const Plane& edges_;
  const int words_, first_row_, last_row_;
  std::uint32_t* waiting_;
  std::uint8_t* queued_;
  std::size_t count_ = 0;
};

// A worklist takes one place per word, never at the same time as labels.
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
  queued_.assign(static_cast<std::size_t>(words) * plane.height, 0);
  ranges_.clear();
  std::size_t label = kFirstLabel;
  for (std::size_t i = 1; i < first_rows.size(); ++i) {
    const int first = first_rows[i - 1], last = first_rows[i];
    ranges_.push_back({first, last, static_cast<std::uint32_t>(label), 0,
                       std::vector<Column>(words), std::vector<Column>(words)});
    label += max_labels(plane, last - first);
  }
}

bool Flood::sweep(const Plane& candidate, const Plane& edges, int first_row, int last_row,
                  int from_offset, bool is_whole, int* budget) {
  const std::uint8_t pending = from_offset < 0 ? kPassDown : kPassUp;
  bool grew = false;
  const auto visit = [&](int y) {
    const int from = y + from_offset;
    const bool inside = from >= first_row && from < last_row;
    const bool reached = inside && (changed_[from] & pending) != 0;
    if (!reached && (changed_[y] & kFresh) == 0) return;
    if (!is_whole && *budget <= 0) return;
    if (inside) changed_[from] &= ~pending;
    --*budget;
    const bool row_grew = grow_row(candidate, edges, y, inside ? from : y);
    if (row_grew) changed_[y] |= kPassDown | kPassUp | kUntaken;
    changed_[y] &= ~kFresh;
    grew |= row_grew;
  };
  for (int y = first_row; from_offset < 0 && y < last_row; ++y) visit(y);
  for (int y = last_row - 1; from_offset > 0 && y >= first_row; --y) visit(y);
  return grew;
}

bool Flood::sweep_all(const Plane& candidate, const Plane& edges, int first_row, int last_row,
                      bool is_whole, int budget) {
  while (budget > 0) {
    const bool down = sweep(candidate, edges, first_row, last_row, -1, is_whole, &budget);
    const bool up = sweep(candidate, edges, first_row, last_row, 1, is_whole, &budget);
    if (!down && !up && (is_whole || budget > 0)) return true;
  }
  return false;
}

void Flood::grow(const Plane& candidate, const Plane& edges, int first_row, int last_row) {
  if (sweep_all(candidate, edges, first_row, last_row, true, kGrownPerRow * (last_row - first_row)))
    return;
  const auto mark = [&](std::uint8_t pending) {
    std::fill(changed_.begin() + first_row, changed_.begin() + last_row, pending);
  };
  if (!may_continue()) return mark(kAll);
  Worklist worklist(*this, candidate, edges, first_row, last_row);
  for (int y = first_row; y < last_row; ++y) worklist.take_on(y);
  if (!worklist.drain(allowed_words_)) return mark(kAll);
  mark(kUntaken);
  changed_[first_row] |= kPassUp;
  changed_[last_row - 1] |= kPassDown;
}

void Flood::begin() {
  allowed_words_ = std::int64_t{kHandledPerWord} * static_cast<std::int64_t>(queued_.size());
}

void Flood::flood_range(const Plane& candidate, const Plane& edges, int first_row, int last_row) {
  std::fill(changed_.begin() + first_row, changed_.begin() + last_row, kAll);
  grow(candidate, edges, first_row, last_row);
}

void Flood::continue_across(const Plane& candidate, const Plane& edges, int first_row,
                            int last_row) {
  if (may_continue()) grow(candidate, edges, first_row, last_row);
}

// All other threads wait for this one: the more there are, the sooner it gives up.
bool Flood::finish(const Plane& candidate, const Plane& edges) {
  const int height = candidate.height, ranges = static_cast<int>(ranges_.size());
  const int budget = std::max(1, kFinishedPerRow * height / ranges);
  return may_continue() && (ranges == 1 || sweep_all(candidate, edges, 0, height, false, budget));
}

bool Flood::take_changed(int y) {
  const bool untaken = (changed_[y] & kUntaken) != 0;
  changed_[y] &= ~kUntaken;
  return untaken;
}

int Flood::changed_rows() const {
  return static_cast<int>(std::count_if(changed_.begin(), changed_.end(),
                                        [](std::uint8_t row) { return (row & kUntaken) != 0; }));
}

}  // namespace canny::cpu
