// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on words of pixels. Until stable, it takes up to three steps; each follows only if the
// previous one does not end soon. First, rows pass their edges on to the next row, down and up,
// which completes most images. Then words that gained edges pass them on to the words around them.
// Finally the components of the remaining candidates are labeled. That work is bounded by the
// number of runs, whatever their shape.
#include "canny/cpu/hysteresis.h"

#include <hwy/base.h>

#include <algorithm>
#include <utility>

#include "canny/canny.h"
#include "canny/cpu/grow.h"

namespace canny::cpu {
namespace {

using Word = Plane::Word;
constexpr int kLast = Plane::kBits - 1;

// How often a row may be grown, on average, before words take over.
constexpr int kGrownPerRow = 8;

// How often a word may be processed, on average, before components take over: enough for a random
// mask with the most winding paths. A line that winds through the whole image would take a hundred
// times as long.
constexpr int kHandledPerWord = 1;

// The words of a row outside the image.
constexpr Word kNothing[1 + kMaxSide / Plane::kBits + 1] = {};

// The bits of word i of a row and the bits next to them, including those in the words beside it.
Word spread(const Word* row, int i) {
  return row[i] | row[i] << 1 | row[i] >> 1 | row[i - 1] >> kLast | row[i + 1] << kLast;
}

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

Word lowest_run(Word word) {
  const Word start = word & (~word + 1);
  return word & ~(word + start);
}

// The special labels: the component of all edges, runs connected with nothing, and the first other
// label.
enum : std::uint32_t { kEdge, kAlone, kLabels, kNone = ~std::uint32_t{0} };

std::uint32_t root(std::uint32_t* parent, std::uint32_t label) {
  while (parent[label] != label) label = parent[label] = parent[parent[label]];
  return label;
}

void join(std::uint32_t* parent, std::uint32_t first, std::uint32_t second) {
  const std::uint32_t a = root(parent, first), b = root(parent, second);
  if (a != b) parent[std::max(a, b)] = std::min(a, b);
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
  bool drain(int share) {
    std::size_t budget = static_cast<std::size_t>(words_) * (last_row_ - first_row_);
    for (budget = budget * kHandledPerWord / share; count_ > 0 && budget > 0; --budget) {
      const std::uint32_t word = waiting_[--count_];
      queued_[word] = 0;
      pass_on(static_cast<int>(word % words_), static_cast<int>(word / words_));
    }
    const bool done = count_ == 0;
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
      if (i > 0) grow(i - 1, to, edges << kLast);
      if (to != y) grow(i, to, edges | edges << 1 | edges >> 1);
      if (i + 1 < words_) grow(i + 1, to, edges >> kLast);
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

// Labels the runs of candidates that are not edges in a range of rows, row by row from the top and
// word by word. A run takes the label of the first run above that it touches, and is joined with
// the others. Candidates beyond the range only show that a run is not alone.
class Flood::Components {
 public:
  Components(const Flood& flood, Range& range, const Plane& candidate, const Plane& edges)
      : candidate_(candidate),
        edges_(edges),
        words_(candidate.words_per_row()),
        parent_(flood.scratch_),
        range_(range),
        columns_(range.columns.data()) {}

  // Finds the components.
  void label() {
    walk<false>();
    range_.last_label = count_;
  }

  // Adds the components that touch an edge to the edges. Call when the ranges have been joined.
  void resolve() { walk<true>(); }

 private:
  // A row, with a word of zeros on either side.
  struct Row {
    Word edges[kMaxSide / Plane::kBits + 2];
    Word runs[kMaxSide / Plane::kBits + 2];  // the candidates that are not edges
  };

  void load(int y, Row* row) const {
    const Word* candidate = y < 0 || y >= candidate_.height ? kNothing + 1 : candidate_.row(y);
    const bool inside = y >= range_.first_row && y < range_.last_row;
    const Word* edges = inside ? edges_.row(y) : kNothing + 1;
    for (int i = -1; i <= words_; ++i) {
      row->edges[i + 1] = edges[i];
      row->runs[i + 1] = candidate[i] & ~edges[i];
    }
  }

  // Three rows in flight, at the word being labeled.
  struct Rows {
    Word* edges;
    const Word *runs, *edges_above, *runs_below, *edges_below;
    const Word* beyond;  // the candidates above the range, at its first row
  };

  // Both walks give the same labels.
  template <bool kStore>
  void walk() {
    count_ = range_.first_label;
    for (int i = 0; i < words_; ++i) columns_[i].runs = columns_[i].added = 0;
    Row rows[3];
    Row *above = &rows[0], *here = &rows[1], *below = &rows[2];
    load(range_.first_row - 1, above);
    load(range_.first_row, here);
    for (int y = range_.first_row; y < range_.last_row; ++y) {
      const Word* beyond = y == range_.first_row ? above->runs : kNothing;
      load(y + 1, below);
      left_ = Left();
      for (int i = 0; i < words_; ++i) {
        const int at = i + 1;
        const Rows word{here->edges + at, here->runs + at,   above->edges + at,
                        below->runs + at, below->edges + at, beyond + at};
        const Word old = *word.edges;
        label_word<kStore>(word, i);
        if (*word.edges != old) edges_.word(i, y) = *word.edges;
      }
      if (!kStore && y == range_.first_row)
        std::copy_n(columns_, words_, range_.first_columns.data());
      std::swap(above, here);
      std::swap(here, below);
    }
  }

  // The facts that a word needs about the word to its left: the last bit of its row and of the row
  // above, and the labels of their runs.
  struct Left {
    bool here = false, above = false;
    std::uint32_t label = kNone, label_above = kNone;
  };

  template <bool kStore>
  void label_word(const Rows& at, int i) {
    Column& column = columns_[i];
    const Word runs = *at.runs, above = column.runs;
    const std::uint32_t last_above = column.last_label;
    if (runs != 0) {
      // If the row above is the same, runs can only be joined with edges.
      const bool new_left = (runs & 1) != 0 && left_.here && !left_.above;
      if (runs != above || new_left || (!kStore && touched(at) != 0)) label_runs<kStore>(at, i);
      if (kStore) *at.edges |= column.added;
    }
    column.runs = runs;
    left_ = {runs >> kLast != 0, above >> kLast != 0, column.last_label, last_above};
  }

  // The bits of runs that touch an edge outside the word. An edge inside it would have absorbed the
  // run.
  static Word touched(const Rows& at) {
    return *at.runs & (spread(at.edges_above, 0) | spread(at.edges, 0) | spread(at.edges_below, 0));
  }

  template <bool kStore>
  void label_runs(const Rows& at, int i) {
    Column& column = columns_[i];
    const Word to_edges = touched(at);
    const Word connected = spread(at.runs_below, 0) | spread(at.beyond, 0) | at.runs[1] << kLast;
    std::uint32_t labels[kMaxRuns];
    Word above = column.runs;  // runs that may touch this one or a later one
    int above_run = 0, run_count = 0;
    column.added = 0;
    for (Word rest = *at.runs; rest != 0;) {
      const Word run = lowest_run(rest);
      rest ^= run;
      const Word reach = run | run << 1 | run >> 1;
      std::uint32_t label = kNone;
      // The last run that this one touches may touch the next one too.
      while (above != 0) {
        const Word upper = lowest_run(above);
        if ((upper & reach) != 0)
          label = take<kStore>(label, column.labels[above_run]);
        else if (upper > reach)
          break;
        if ((upper >> kLast) != 0 || upper > run) break;
        above ^= upper;
        ++above_run;
      }
      if ((run & 1) != 0) {
        if (left_.above) label = take<kStore>(label, left_.label_above);
        if (left_.here) label = take<kStore>(label, left_.label);
      }
      if ((run >> kLast) != 0 && i + 1 < words_ && (columns_[i + 1].runs & 1) != 0)
        label = take<kStore>(label, columns_[i + 1].labels[0]);
      if ((run & to_edges) != 0) label = take<kStore>(label, kEdge);
      if (label == kNone) label = (run & connected) != 0 ? new_label<kStore>() : kAlone;
      labels[run_count++] = label;
      if (kStore && parent_[label] == kEdge) column.added |= run;
    }
    std::copy_n(labels, run_count, column.labels);
    column.last_label = labels[run_count - 1];
  }

  // The second walk only counts.
  template <bool kStore>
  std::uint32_t new_label() {
    if (!kStore) parent_[count_] = count_;
    return count_++;
  }

  // The label of a run that has label `first`, or kNone, and touches a run with label `second`.
  // Only the first walk joins them.
  template <bool kStore>
  std::uint32_t take(std::uint32_t first, std::uint32_t second) const {
    if (first == kNone || first == second) return second;
    if (!kStore) join(parent_, first, second);
    return first;
  }

  const Plane& candidate_;
  const Plane& edges_;
  const int words_;
  std::uint32_t* parent_;
  Range& range_;
  Column* columns_;
  std::uint32_t count_ = 0;
  Left left_;
};

// The largest number of labels in a range of this many rows. A run that begins a component touches
// a run of the row below, continues in the next word, or is at the end of the range. So every third
// row, and the first one, can have such a run in every second pixel, and each row one in each word.
std::size_t Flood::max_labels(const Plane& plane, int rows) {
  const std::size_t per_row = plane.words_per_row();
  return static_cast<std::size_t>((plane.width + 1) / 2) * ((rows + 2) / 3 + 1) + per_row * rows;
}

// A worklist takes one place per word, never at the same time as labels.
std::size_t Flood::scratch_words(const Plane& plane, const std::vector<int>& first_rows) {
  std::size_t labels = kLabels;
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
  std::size_t label = kLabels;
  for (std::size_t i = 1; i < first_rows.size(); ++i) {
    const int first = first_rows[i - 1], last = first_rows[i];
    ranges_.push_back({first, last, static_cast<std::uint32_t>(label), 0,
                       std::vector<Column>(words), std::vector<Column>(words)});
    label += max_labels(plane, last - first);
  }
}

bool Flood::sweep(const Plane& candidate, const Plane& edges, int first_row, int last_row,
                  int from_offset, int* budget) {
  const std::uint8_t pending = from_offset < 0 ? kPassDown : kPassUp;
  bool grew = false;
  const auto visit = [&](int y) {
    const int from = y + from_offset;
    const bool inside = from >= first_row && from < last_row;
    const bool reached = inside && (changed_[from] & pending) != 0;
    if (!reached && (changed_[y] & kFresh) == 0) return;
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

bool Flood::grow(const Plane& candidate, const Plane& edges, int first_row, int last_row,
                 int share) {
  int budget = kGrownPerRow * (last_row - first_row) / share;
  while (budget > 0) {
    const bool down = sweep(candidate, edges, first_row, last_row, -1, &budget);
    const bool up = sweep(candidate, edges, first_row, last_row, 1, &budget);
    if (!down && !up) return true;
  }
  std::fill(changed_.begin() + first_row, changed_.begin() + last_row, kUntaken);
  changed_[first_row] |= kPassUp;
  changed_[last_row - 1] |= kPassDown;
  Worklist worklist(*this, candidate, edges, first_row, last_row);
  for (int y = first_row; y < last_row; ++y) worklist.take_on(y);
  return worklist.drain(share);
}

void Flood::run(const Plane& candidate, const Plane& edges, int first_row, int last_row) {
  std::fill(changed_.begin() + first_row, changed_.begin() + last_row, kAll);
  if (!grow(candidate, edges, first_row, last_row)) unfinished_ = true;
}

void Flood::go_on(const Plane& candidate, const Plane& edges, int first_row, int last_row) {
  if (!unfinished_ && !grow(candidate, edges, first_row, last_row)) unfinished_ = true;
}

bool Flood::finish(const Plane& candidate, const Plane& edges) {
  // One thread does this, but all threads label components: the more threads, the sooner it gives
  // up.
  const int share = static_cast<int>(ranges_.size());
  const bool complete = !unfinished_.exchange(false) &&
                        (ranges_.size() == 1 || grow(candidate, edges, 0, candidate.height, share));
  if (!complete) std::fill(changed_.begin(), changed_.end(), kUntaken);
  if (!complete) scratch_[kEdge] = kEdge, scratch_[kAlone] = kAlone;
  return complete;
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

void Flood::label(const Plane& candidate, const Plane& edges, int range) {
  Components(*this, ranges_[range], candidate, edges).label();
}

void Flood::resolve(const Plane& candidate, const Plane& edges, int range) {
  Components(*this, ranges_[range], candidate, edges).resolve();
}

// Joins the runs of word i of a row with the runs and edges that they touch in the row below or
// above.
void Flood::join_word(const Column* row, const Column* other, const Word* other_edges, int i,
                      int words) const {
  const Word other_runs = other[i].runs, other_starts = other_runs & ~(other_runs << 1);
  int run_index = 0;
  for (Word rest = row[i].runs; rest != 0; ++run_index) {
    const Word run = lowest_run(rest), reach = run | run << 1 | run >> 1;
    rest ^= run;
    const std::uint32_t label = row[i].labels[run_index];
    const bool at_begin = (run & 1) != 0, at_end = run >> kLast != 0;
    for (Word touched = other_runs & reach; touched != 0; touched ^= lowest_run(touched)) {
      const Word first = touched & (~touched + 1);
      const Word begun = other_starts & (first | (first - 1));  // the last of these contains it
      join(scratch_, label, other[i].labels[hwy::PopCount(begun) - 1]);
    }
    if (at_begin && i > 0 && other[i - 1].runs >> kLast != 0)
      join(scratch_, label, other[i - 1].last_label);
    if (at_end && i + 1 < words && (other[i + 1].runs & 1) != 0)
      join(scratch_, label, other[i + 1].labels[0]);
    if ((reach & other_edges[i]) != 0 || (at_begin && other_edges[i - 1] >> kLast != 0) ||
        (at_end && (other_edges[i + 1] & 1) != 0))
      join(scratch_, label, kEdge);
  }
}

void Flood::join_ranges(const Plane& edges) {
  const int words = edges.words_per_row();
  for (std::size_t r = 1; r < ranges_.size(); ++r) {
    const Column* above = ranges_[r - 1].columns.data();
    const Column* below = ranges_[r].first_columns.data();
    const int y = ranges_[r].first_row;
    for (int i = 0; i < words; ++i) {
      join_word(below, above, edges.row(y - 1), i, words);
      join_word(above, below, edges.row(y), i, words);
    }
  }
  // No parent's number exceeds its child's, so afterwards every parent is a root.
  for (const Range& range : ranges_)
    for (std::uint32_t label = range.first_label; label < range.last_label; ++label)
      scratch_[label] = scratch_[scratch_[label]];
}

}  // namespace canny::cpu
