// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels the 8-connected components of a bit plane with union-find over the runs of words.
#include <hwy/base.h>

#include <algorithm>
#include <utility>

#include "canny/canny.h"
#include "cpu/hysteresis/hysteresis.h"

namespace canny::cpu {
namespace {

using Word = Plane::Word;
constexpr int kLastBit = Plane::kBits - 1;

// The words of a row outside the image, with a word on either side.
constexpr Word kNothing[1 + kMaxSide / Plane::kBits + 1] = {};

// The bits of word i of a row and the bits next to them, including those in the words beside it.
inline Word spread(const Word* row, int i) {
  return row[i] | row[i] << 1 | row[i] >> 1 | row[i - 1] >> kLastBit | row[i + 1] << kLastBit;
}

// The run of ones that contains the lowest bit; `word` is not 0.
inline Word lowest_run(Word word) {
  const Word start = word & (~word + 1);
  return word & ~(word + start);
}

std::uint32_t root(std::uint32_t* parent, std::uint32_t label) {
  while (parent[label] != label) label = parent[label] = parent[parent[label]];
  return label;
}

void join(std::uint32_t* parent, std::uint32_t first, std::uint32_t second) {
  const std::uint32_t a = root(parent, first), b = root(parent, second);
  if (a != b) parent[std::max(a, b)] = std::min(a, b);
}

// The same while other threads join labels of the same forest. A label that has a parent never
// becomes a root again, so any ancestor may be stored as its parent.

std::uint32_t load(const std::uint32_t* parent, std::uint32_t label) {
  return __atomic_load_n(&parent[label], __ATOMIC_RELAXED);
}

std::uint32_t shared_root(std::uint32_t* parent, std::uint32_t label) {
  for (std::uint32_t next; (next = load(parent, label)) != label;) {
    const std::uint32_t above = load(parent, next);
    if (above != next) __atomic_store_n(&parent[label], above, __ATOMIC_RELAXED);
    label = above;
  }
  return label;
}

// Hooks a root by compare-and-swap. Jaiganesh and Burtscher (HPDC 2018), section 3.
void shared_join(std::uint32_t* parent, std::uint32_t first, std::uint32_t second) {
  for (;;) {
    const std::uint32_t a = shared_root(parent, first), b = shared_root(parent, second);
    if (a == b) return;
    std::uint32_t larger = std::max(a, b);
    if (__atomic_compare_exchange_n(&parent[larger], &larger, std::min(a, b), false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
  }
}

// The run of `runs` that contains this one of its bits, counted from bit 0.
int run_of(Word runs, Word bit) {
  const Word starts = runs & ~(runs << 1);
  return static_cast<int>(hwy::PopCount(starts & (bit | (bit - 1)))) - 1;
}

}  // namespace

// Labels the runs of candidates that are not edges in a strip of rows, row by row from the top and
// word by word. A run takes the label of the first run above that it touches, and is joined with
// the others. Candidates beyond the strip only show that a run is not alone.
class Flood::Labeler {
 public:
  Labeler(const Flood& flood, Strip& strip, const Plane& candidate, const Plane& edges,
          unsigned shortest)
      : candidate_(candidate),
        edges_(edges),
        words_(candidate.words_per_row()),
        parent_(flood.scratch_),
        strip_(strip),
        columns_(strip.columns.data()),
        shortest_(shortest) {}

  // What a walk over the runs does. All give the same labels.
  enum class Walk {
    kLabel,       // finds the components; the others do so again, when strips have been joined
    kCount,       // adds up pixels in the roots
    kStore,       // adds components that touch an edge, and runs alone that are not short, to edges
    kCountAlone,  // counts the runs that are alone
  };

  // Returns the number of runs alone, if it counts them.
  template <Walk kWalk>
  std::uint64_t walk() {
    count_ = strip_.first_label;
    for (int i = 0; i < words_; ++i) columns_[i].runs = columns_[i].added = 0;
    Row rows[3];
    Row *above = &rows[0], *here = &rows[1], *below = &rows[2];
    load(strip_.first_row - 1, above);
    load(strip_.first_row, here);
    for (int y = strip_.first_row; y < strip_.last_row; ++y) {
      const Word* beyond = y == strip_.first_row ? above->runs : kNothing;
      load(y + 1, below);
      left_ = Left();
      for (int i = 0; i < words_; ++i) {
        const int at = i + 1;
        const Rows word{here->edges + at, here->runs + at,   above->edges + at,
                        below->runs + at, below->edges + at, beyond + at};
        const Word old = *word.edges;
        label_word<kWalk>(word, i);
        if (*word.edges != old) edges_.word(i, y) = *word.edges;
      }
      if (kWalk == Walk::kLabel && y == strip_.first_row)
        std::copy_n(columns_, words_, strip_.first_columns.data());
      std::swap(above, here);
      std::swap(here, below);
    }
    if (kWalk == Walk::kLabel) strip_.last_label = count_;
    return alone_;
  }

 private:
  // A row, with a word of zeros on either side.
  struct Row {
    Word edges[kMaxSide / Plane::kBits + 2];
    Word runs[kMaxSide / Plane::kBits + 2];  // the candidates that are not edges
  };

  void load(int y, Row* row) const {
    const Word* candidate = y < 0 || y >= candidate_.height ? kNothing + 1 : candidate_.row(y);
    const bool inside = y >= strip_.first_row && y < strip_.last_row;
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
    const Word* beyond;  // the candidates above the strip, at its first row
  };

  // The facts that a word needs about the word to its left: the last bit of its row and of the row
  // above, and the labels of their runs.
  struct Left {
    bool here = false, above = false;
    std::uint32_t label = kNoLabel, label_above = kNoLabel;
  };

  template <Walk kWalk>
  void label_word(const Rows& at, int i) {
    Column& column = columns_[i];
    const Word runs = *at.runs, above = column.runs;
    const std::uint32_t last_above = column.last_label;
    if (runs != 0) {
      // If the row above is the same, runs can only be joined with edges.
      const bool new_left = (runs & 1) != 0 && left_.here && !left_.above;
      if (runs != above || new_left || (kWalk == Walk::kLabel && touched(at) != 0))
        label_runs<kWalk>(at, i);
      if (kWalk == Walk::kStore) *at.edges |= column.added;
      if (kWalk == Walk::kCount) count_pixels(runs, column.labels);
    }
    column.runs = runs;
    left_ = {runs >> kLastBit != 0, above >> kLastBit != 0, column.last_label, last_above};
  }

  // The bits of runs that touch an edge outside the word. An edge inside it would have absorbed the
  // run.
  static Word touched(const Rows& at) {
    return *at.runs & (spread(at.edges_above, 0) | spread(at.edges, 0) | spread(at.edges_below, 0));
  }

  template <Walk kWalk>
  void label_runs(const Rows& at, int i) {
    Column& column = columns_[i];
    const Word to_edges = touched(at);
    const Word connected = spread(at.runs_below, 0) | spread(at.beyond, 0) | at.runs[1] << kLastBit;
    std::uint32_t labels[kMaxRuns];
    Word above = column.runs;  // runs that may touch this one or a later one
    int above_run = 0, run_count = 0;
    column.added = 0;
    for (Word rest = *at.runs; rest != 0;) {
      const Word run = lowest_run(rest);
      rest ^= run;
      const Word reach = run | run << 1 | run >> 1;
      std::uint32_t label = kNoLabel;
      // The last run that this one touches may touch the next one too.
      while (above != 0) {
        const Word upper = lowest_run(above);
        if ((upper & reach) != 0)
          label = take<kWalk>(label, column.labels[above_run]);
        else if (upper > reach)
          break;
        if ((upper >> kLastBit) != 0 || upper > run) break;
        above ^= upper;
        ++above_run;
      }
      if ((run & 1) != 0) {
        if (left_.above) label = take<kWalk>(label, left_.label_above);
        if (left_.here) label = take<kWalk>(label, left_.label);
      }
      if ((run >> kLastBit) != 0 && i + 1 < words_ && (columns_[i + 1].runs & 1) != 0)
        label = take<kWalk>(label, columns_[i + 1].labels[0]);
      if ((run & to_edges) != 0) label = take<kWalk>(label, kEdge);
      if (label == kNoLabel) label = (run & connected) != 0 ? new_label<kWalk>() : kAlone;
      labels[run_count++] = label;
      if (kWalk == Walk::kCountAlone && label == kAlone) ++alone_;
      if (kWalk == Walk::kStore && is_added(label, run)) column.added |= run;
    }
    std::copy_n(labels, run_count, column.labels);
    column.last_label = labels[run_count - 1];
  }

  bool is_added(std::uint32_t label, Word run) const {
    return label == kAlone ? hwy::PopCount(run) >= shortest_ : parent_[label] == kEdge;
  }

  // Adds the pixels of runs to their roots, unless a root has enough. Other threads do the same.
  void count_pixels(Word runs, const std::uint32_t* labels) {
    for (; runs != 0; ++labels) {
      const Word run = lowest_run(runs);
      runs ^= run;
      if (*labels == kAlone) continue;
      const std::uint32_t parent = __atomic_load_n(&parent_[*labels], __ATOMIC_RELAXED);
      std::uint32_t& root = parent_[(parent & kCounting) != 0 ? *labels : parent];
      if (__atomic_load_n(&root, __ATOMIC_RELAXED) - kCounting < shortest_)
        __atomic_fetch_add(&root, static_cast<std::uint32_t>(hwy::PopCount(run)), __ATOMIC_RELAXED);
    }
  }

  // Only the first walk stores new labels.
  template <Walk kWalk>
  std::uint32_t new_label() {
    if (kWalk == Walk::kLabel) parent_[count_] = count_;
    return count_++;
  }

  // The label of a run that has label `first`, or kNoLabel, and touches a run with label `second`.
  // Only the first walk joins them.
  template <Walk kWalk>
  std::uint32_t take(std::uint32_t first, std::uint32_t second) const {
    if (first == kNoLabel || first == second) return second;
    if (kWalk == Walk::kLabel) join(parent_, first, second);
    return first;
  }

  const Plane& candidate_;
  const Plane& edges_;
  const int words_;
  std::uint32_t* parent_;
  Strip& strip_;
  Column* columns_;
  const unsigned shortest_;
  std::uint32_t count_ = 0;
  std::uint64_t alone_ = 0;
  Left left_;
};

// The largest number of labels in a strip of this many rows. A run that begins a component touches
// a run of the row below, continues in the next word, or is at the end of the strip. So every third
// row, and the first one, can have such a run in every second pixel, and each row one in each word.
std::size_t Flood::max_labels(const Plane& plane, int rows) {
  const std::size_t per_row = plane.words_per_row();
  return static_cast<std::size_t>((plane.width + 1) / 2) * ((rows + 2) / 3 + 1) + per_row * rows;
}

void Flood::begin_components() {
  scratch_[kEdge] = kEdge;
  scratch_[kAlone] = kAlone;
}

void Flood::label(const Plane& candidate, const Plane& edges, int strip) {
  Labeler(*this, strips_[strip], candidate, edges, kNoShortest).walk<Labeler::Walk::kLabel>();
}

void Flood::count(const Plane& edges, const Plane& kept, int strip, unsigned shortest) {
  Labeler(*this, strips_[strip], edges, kept, shortest).walk<Labeler::Walk::kCount>();
}

void Flood::resolve(const Plane& candidate, const Plane& edges, int strip, unsigned shortest) {
  const Strip& rows = strips_[strip];
  std::fill(changed_.begin() + rows.first_row, changed_.begin() + rows.last_row, kUntaken);
  Labeler(*this, strips_[strip], candidate, edges, shortest).walk<Labeler::Walk::kStore>();
}

// Every parent is a root after flatten().
void Flood::begin_counts() {
  for (const Strip& strip : strips_)
    for (std::uint32_t label = strip.first_label; label < strip.last_label; ++label)
      if (scratch_[label] == label) scratch_[label] = kCounting;
}

// Parents come before their children.
void Flood::choose(unsigned shortest) {
  for (const Strip& strip : strips_) {
    for (std::uint32_t label = strip.first_label; label < strip.last_label; ++label) {
      std::uint32_t& parent = scratch_[label];
      if ((parent & kCounting) == 0)
        parent = scratch_[parent];
      else
        parent = parent - kCounting >= shortest ? kEdge : kAlone;
    }
  }
}

// Every parent is a root after flatten().
std::uint64_t Flood::count_components(const Plane& edges, const Plane& none, int number) {
  Strip& strip = strips_[number];
  std::uint64_t components =
      Labeler(*this, strip, edges, none, kNoShortest).walk<Labeler::Walk::kCountAlone>();
  for (std::uint32_t label = strip.first_label; label < strip.last_label; ++label)
    if (scratch_[label] == label) ++components;
  return components;
}

// Joins the runs of word i of a row with those that they touch in another row.
void Flood::join_runs(const Column* row, const Column* other, int i, int words) const {
  const Word other_runs = other[i].runs;
  int run_index = 0;
  for (Word rest = row[i].runs; rest != 0; ++run_index) {
    const Word run = lowest_run(rest), reach = run | run << 1 | run >> 1;
    rest ^= run;
    const std::uint32_t label = row[i].labels[run_index];
    for (Word touched = other_runs & reach; touched != 0; touched ^= lowest_run(touched))
      shared_join(scratch_, label, other[i].labels[run_of(other_runs, touched & (~touched + 1))]);
    if ((run & 1) != 0 && i > 0 && other[i - 1].runs >> kLastBit != 0)
      shared_join(scratch_, label, other[i - 1].last_label);
    if (run >> kLastBit != 0 && i + 1 < words && (other[i + 1].runs & 1) != 0)
      shared_join(scratch_, label, other[i + 1].labels[0]);
  }
}

// Joins the runs that have one of these bits with the edges.
void Flood::join_edges(const Column& column, Word touched) const {
  for (touched &= column.runs; touched != 0; touched ^= lowest_run(touched))
    shared_join(scratch_, column.labels[run_of(column.runs, touched & (~touched + 1))], kEdge);
}

void Flood::join_strip(const Plane& edges, int strip) {
  if (strip == 0) return;
  const int words = edges.words_per_row(), y = strips_[strip].first_row;
  const Column* above = strips_[strip - 1].columns.data();
  const Column* below = strips_[strip].first_columns.data();
  for (int i = 0; i < words; ++i) {
    join_runs(below, above, i, words);
    join_edges(below[i], spread(edges.row(y - 1), i));
    join_edges(above[i], spread(edges.row(y), i));
  }
}

// Other threads do the same, so each stores parents of its own labels alone.
void Flood::flatten(int strip) {
  const Strip& labels = strips_[strip];
  for (std::uint32_t label = labels.first_label; label < labels.last_label; ++label) {
    std::uint32_t root = load(scratch_, label);
    for (std::uint32_t next; (next = load(scratch_, root)) != root;) root = next;
    __atomic_store_n(&scratch_[label], root, __ATOMIC_RELAXED);
  }
}

}  // namespace canny::cpu
