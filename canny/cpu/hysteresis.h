// SPDX-License-Identifier: LGPL-2.1-or-later
// Candidate and strong bits to edge bits: every candidate that is connected to a strong pixel.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "canny/cpu/plane.h"

namespace canny::cpu {

/// Reachability, over ranges of rows that may be worked on at the same time. In order: run() of
/// each range; go_on() across borders; finish(); and, unless that says that it is complete, label()
/// of each range, join_ranges(), resolve() of each range.
class Flood {
 public:
  /// How much memory set_size() takes, which is anyone's between frames. `first_rows` are those of
  /// the ranges, and the height of the plane.
  static std::size_t scratch_words(const Plane& plane, const std::vector<int>& first_rows);
  void set_size(const Plane& plane, const std::vector<int>& first_rows, Plane::Word* scratch);

  /// Adds to rows first_row .. last_row - 1 of `edges` candidates that are 8-connected to an edge
  /// through candidates of these rows: all of them, unless that takes too long.
  void run(const Plane& candidate, const Plane& edges, int first_row, int last_row);
  /// Likewise, for rows across borders of those that run() was given before.
  void go_on(const Plane& candidate, const Plane& edges, int first_row, int last_row);
  /// Adds all others of the plane. Returns false if that takes too long.
  bool finish(const Plane& candidate, const Plane& edges);

  /// Finds the components of candidates of a range, joins them with those of other ranges, and adds
  /// those that touch an edge. The work is bounded by the number of runs, whatever their shape.
  void label(const Plane& candidate, const Plane& edges, int range);
  void join_ranges(const Plane& edges);
  void resolve(const Plane& candidate, const Plane& edges, int range);

  /// Whether row y may have changed since it was last asked for in this frame, and how many have.
  bool take_changed(int y);
  int changed_rows() const;

 private:
  class Worklist;
  class Components;

  // What is still to be done with a row.
  static constexpr std::uint8_t kFresh = 1;     // fill the runs that hold one of its edges
  static constexpr std::uint8_t kPassDown = 2;  // pass its edges on to the row below
  static constexpr std::uint8_t kPassUp = 4;    // and to the row above
  static constexpr std::uint8_t kUntaken = 8;   // it changed since the last take_changed()
  static constexpr std::uint8_t kAll = kFresh | kPassDown | kPassUp | kUntaken;

  // A 64-bit column of the row that Components have labelled last.
  static constexpr int kMaxRuns = 32;
  struct Column {
    Plane::Word runs = 0;            // the candidates that are no edges
    Plane::Word added = 0;           // those of them that become edges
    std::uint32_t labels[kMaxRuns];  // of each run
    std::uint32_t last_label = 0;    // of the last run
  };

  struct Range {
    int first_row, last_row;                // last_row is not part of it
    std::uint32_t first_label, last_label;  // those that it uses; last_label is not one of them
    std::vector<Column> columns;            // in the end, of its last row
    std::vector<Column> first_columns;      // of its first row
  };

  static std::size_t max_labels(const Plane& plane, int rows);
  void join_word(const Column* row, const Column* other, const Plane::Word* other_edges, int i,
                 int words) const;

  /// Rows of this range that changed, or all words, pass their edges on until none does; false if
  /// that takes too long: 1 / share of the work that is worth it.
  bool grow(const Plane& candidate, const Plane& edges, int first_row, int last_row, int share = 1);
  /// Rows that changed pass their edges on, once from the top down (from_offset -1) or from the
  /// bottom up (1). Returns whether any edge was added, and takes the rows grown off the budget.
  bool sweep(const Plane& candidate, const Plane& edges, int first_row, int last_row,
             int from_offset, int* budget);

  std::uint32_t* scratch_ = nullptr;      // the words that wait, later the forest of labels
  std::atomic<bool> unfinished_ = false;  // a range was given up
  std::vector<std::uint8_t> changed_;     // one a row
  std::vector<std::uint8_t> queued_;      // whether a word is waiting
  std::vector<Range> ranges_;
};

}  // namespace canny::cpu
