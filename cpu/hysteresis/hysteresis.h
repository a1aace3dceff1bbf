// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns candidate and strong bits into edge bits: the candidates connected to a strong pixel.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/plane.h"

namespace canny::cpu {

/// Finds all edges, in strips of rows. Call in this order: begin(); flood() for each strip;
/// flood_across() for each border between strips, again if rows at it changed since then. Threads
/// may do this at the same time if no two work on the same strip. Unless is_complete() then:
/// begin_components(); label() for each strip; join_strip() for each strip; flatten() for each
/// strip; resolve() for each strip.
class Flood {
 public:
  /// Longer than a run.
  static constexpr unsigned kNoShortest = Plane::kBits + 1;

  /// The memory that set_size() needs. Its contents need not survive between frames. `first_rows`
  /// holds the first row of each strip, then the height of the plane.
  static std::size_t scratch_words(const Plane& plane, const std::vector<int>& first_rows);
  void set_size(const Plane& plane, const std::vector<int>& first_rows, Plane::Word* scratch);

  /// Begins a frame.
  void begin();

  /// Adds to a strip of `edges` the candidates that are 8-connected to an edge through candidates
  /// of this strip; not all of them if that takes too long.
  void flood(const Plane& candidate, const Plane& edges, int strip);
  /// The same for the strips on both sides of a border: `border` and the one above.
  void flood_across(const Plane& candidate, const Plane& edges, int border);
  /// Whether the first row of a strip changed since it was joined with the strip above, and the
  /// last row with the strip below.
  bool changed_first(int strip) const;
  bool changed_last(int strip) const;
  /// Whether no strip took too long, so that all edges are found.
  bool is_complete() const { return !gave_up_; }

  /// Find the components of candidates in a strip, join them with those of the strip above, make
  /// every parent a root, and add the components that touch an edge. The work is bounded by the
  /// number of runs, whatever their shape.
  void begin_components();
  void label(const Plane& candidate, const Plane& edges, int strip);
  void join_strip(const Plane& edges, int strip);
  void flatten(int strip);
  void resolve(const Plane& candidate, const Plane& edges, int strip,
               unsigned shortest = kNoShortest);

  /// Find the components of `edges` with at least `shortest` pixels, and copy them to `kept`, which
  /// is all 0. Call in this order: begin_components(); label(), join_strip() and flatten() as
  /// above; begin_counts(); count() for each strip; choose(); resolve() for each strip. Work is
  /// bounded as above.
  void begin_counts();
  void count(const Plane& edges, const Plane& kept, int strip, unsigned shortest);
  void choose(unsigned shortest);

  /// Returns the number of components that begin in a strip, and those of all strips are the
  /// components of `edges`. Call in this order: begin_components(); label(), join_strip() and
  /// flatten() as above; count_components() for each strip. `none` is all 0.
  std::uint64_t count_components(const Plane& edges, const Plane& none, int strip);

  /// Whether row y may have changed since the last such call in this frame.
  bool take_changed(int y);

 private:
  class Labeler;

  // The special labels: the component of all edges, runs connected with nothing, the first other
  // label, and none.
  enum : std::uint32_t { kEdge, kAlone, kFirstLabel, kNoLabel = ~std::uint32_t{0} };

  // A root that counts pixels in its other bits. There are fewer than 2^31 labels and pixels.
  static constexpr std::uint32_t kCounting = std::uint32_t{1} << 31;

  // What remains to be done with a row that changed.
  static constexpr std::uint8_t kPassDown = 1;  // pass its edges on to the row below
  static constexpr std::uint8_t kPassUp = 2;    // pass its edges on to the row above
  static constexpr std::uint8_t kUntaken = 4;   // it changed since the last take_changed()
  static constexpr std::uint8_t kAll = kPassDown | kPassUp | kUntaken;

  // A 64-bit column of the last row that Labeler labeled.
  static constexpr int kMaxRuns = 32;
  struct Column {
    Plane::Word runs = 0;            // the candidates that are not edges
    Plane::Word added = 0;           // the runs that become edges
    std::uint32_t labels[kMaxRuns];  // one per run
    std::uint32_t last_label = 0;    // label of the last run
  };

  struct Strip {
    int first_row, last_row;                // last_row is excluded
    std::uint32_t first_label, last_label;  // the labels in use; last_label is excluded
    std::vector<Column> columns;            // columns of its last row, in the end
    std::vector<Column> first_columns;      // columns of its first row
  };

  static std::size_t max_labels(const Plane& plane, int rows);
  void join_runs(const Column* row, const Column* other, int i, int words) const;
  void join_edges(const Column& column, Plane::Word touched) const;

  /// Lets changed rows pass their edges on until nothing changes, or gives up if that takes too
  /// long.
  void grow(const Plane& candidate, const Plane& edges, int first_row, int last_row);
  /// Lets changed rows pass their edges on, once from the top down (from_offset -1) or from the
  /// bottom up (1). Returns the number of rows grown.
  int sweep(const Plane& candidate, const Plane& edges, int first_row, int last_row,
            int from_offset);

  std::uint32_t* scratch_ = nullptr;            // the forest of labels
  std::int64_t allowed_per_row_ = 0;            // how often rows may be grown, on average
  std::atomic<std::int64_t> allowed_rows_ = 0;  // that all threads may still grow
  std::atomic<int> allowed_joins_ = 0;          // that all threads may still do
  std::atomic<bool> gave_up_ = false;           // some edges are missing
  // One per row, and the strips. For the thread that works on a strip, or on both at a border.
  std::vector<std::uint8_t> changed_;
  std::vector<Strip> strips_;
};

}  // namespace canny::cpu
