// SPDX-License-Identifier: LGPL-2.1-or-later
// Candidate and strong bits to edge bits: reachability, or a bounded number of passes over tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "bitplane.h"

namespace canny::cpu {

/// Floods ranges of rows. Ranges that share no row may run at the same time.
class Flood {
 public:
  void set_size(const BitPlane& plane);

  /// Adds to rows first_row .. last_row - 1 of `edges` every candidate that is 8-connected to an
  /// edge through candidates of these rows.
  void run(const BitPlane& candidate, const BitPlane& edges, int first_row, int last_row);

  /// Joins ranges that were run: the same over the whole plane, begun where two ranges of
  /// `range_rows` rows meet.
  void join(const BitPlane& candidate, const BitPlane& edges, int range_rows);

 private:
  class Worklist;

  std::vector<std::uint32_t> waiting_;  // words whose edges are to be passed on; one slot a word
  std::vector<std::uint8_t> queued_;    // whether a word is waiting
};

/// One pass of a bounded hysteresis over row `tile_row` of tiles: `to` becomes E(k + 1) of
/// `from`, E(k). Returns whether it has more edges. Luo and Duraiswami (CVPRW 2008), section 3.
bool tile_pass(const BitPlane& candidate, const BitPlane& from, const BitPlane& to, int tile_row);

}  // namespace canny::cpu
