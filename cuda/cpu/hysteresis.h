// SPDX-License-Identifier: LGPL-2.1-or-later
// Candidate and strong bits to edge bits: every candidate that is connected to a strong pixel.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/plane.h"

namespace canny::cpu {

/// Reachability. Ranges of rows that share none may be worked on at the same time.
class Flood {
 public:
  /// How much memory set_size() takes, which is anyone's between join() and run().
  static std::size_t scratch_words(const Plane& plane);
  void set_size(const Plane& plane, Plane::Word* scratch);

  /// Adds to rows first_row .. last_row - 1 of `edges` candidates that are 8-connected to an edge
  /// through candidates of these rows: all of them, unless that takes too long.
  void run(const Plane& candidate, const Plane& edges, int first_row, int last_row);
  /// Likewise, for a range across borders of those that run() was given before.
  void go_on(const Plane& candidate, const Plane& edges, int first_row, int last_row);
  /// Adds all others of the plane. `ran_whole` tells whether the whole plane was one range. Returns
  /// how many rows are late().
  int finish(const Plane& candidate, const Plane& edges, bool ran_whole);
  /// Whether finish() may have added to row y, or nobody went on across its borders.
  bool late(int y) const { return (changed_[y] & kLate) != 0; }

 private:
  class Worklist;
  class Components;

  // What is still to be done with a row.
  static constexpr std::uint8_t kFresh = 1;     // fill the runs that hold one of its edges
  static constexpr std::uint8_t kPassDown = 2;  // pass its edges on to the row below
  static constexpr std::uint8_t kPassUp = 4;    // and to the row above
  static constexpr std::uint8_t kLate = 8;      // it changed since the last go_on()
  static constexpr std::uint8_t kAll = kFresh | kPassDown | kPassUp | kLate;

  // A 64-bit column of the row that Components have labelled last.
  static constexpr int kMaxRuns = 32;
  struct Column {
    std::uint64_t runs = 0;          // the candidates that are no edges
    std::uint64_t added = 0;         // those of them that become edges
    std::uint32_t labels[kMaxRuns];  // of each run
    std::uint32_t last_label = 0;    // of the last run
  };

  /// Rows of this range that changed, or all words, pass their edges on until none does; false if
  /// that takes too long.
  bool grow(const Plane& candidate, const Plane& edges, int first_row, int last_row);
  /// Rows that changed pass their edges on, once from the top down (from_offset -1) or from the
  /// bottom up (1). Returns whether any edge was added, and takes the rows grown off the budget.
  bool sweep(const Plane& candidate, const Plane& edges, int first_row, int last_row,
             int from_offset, int* budget);

  std::uint32_t* scratch_ = nullptr;      // the words that wait, later the forest of labels
  std::atomic<bool> unfinished_ = false;  // a range was given up
  std::vector<std::uint8_t> changed_;     // one a row
  std::vector<std::uint8_t> queued_;      // whether a word is waiting
  std::vector<Column> columns_;
};

}  // namespace canny::cpu
