// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds where the pieces of chains begin, for all pixels of a word at a time.
#pragma once

#include <vector>

#include "canny/edge_bits.h"

namespace canny::chains {

/// Works on rows of maps of one width. For one thread.
class EndFinder {
 public:
  using Word = EdgeBits::Word;

  void set_width(int words_per_row);

  /// Stores which edge pixels of rows first_row .. last_row - 1 have fewer than two links within
  /// these rows, and which are peaks: both links go to later pixels. Each loop has a peak.
  void find(EdgeBits* bits, int first_row, int last_row, EdgeBits* ends, EdgeBits* peaks);

 private:
  // Links of a row, one plane for each direction: those that its pixels keep, or those that both
  // pixels keep. A word of zeros lies before and after each plane.
  enum { kE, kSe, kS, kSw, kW, kNw, kN, kNe, kPlanes };
  struct Row {
    Word* planes[kPlanes];
  };

  void keep(const Word* edges, std::ptrdiff_t stride, const Row& kept) const;
  void link(const Row& kept, const Row& kept_above, const Row& links) const;
  void mark(const Word* edges, const Row& links, const Row& below, Word* ends, Word* peaks) const;

  int words_ = 0;
  std::vector<Word> memory_;
  Row kept_[2], links_[2], none_;
};

}  // namespace canny::chains
