// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory for finding where the pieces of chains begin.
#pragma once

#include <vector>

#include "canny/edge_bits.h"

namespace canny::chains {

/// Links of the pixels of a row, one plane for each direction: those that the pixels keep, or those
/// that both pixels keep. A word of zeros lies before and after each plane.
struct LinkRow {
  enum { kE, kSe, kS, kSw, kW, kNw, kN, kNe, kPlanes };
  EdgeBits::Word* planes[kPlanes];
};

/// Rows of a map. For one thread.
struct LinkRows {
  int words = 0;  // of a row
  std::vector<EdgeBits::Word> memory;
  LinkRow kept[2], links[2];
  LinkRow none;  // always 0

  void set_width(int words_per_row) {
    if (words == words_per_row) return;
    words = words_per_row;
    const std::size_t plane = std::size_t{2} + words_per_row;
    memory.assign(5 * LinkRow::kPlanes * plane, 0);
    EdgeBits::Word* next = memory.data() + 1;
    for (LinkRow* row : {&kept[0], &kept[1], &links[0], &links[1], &none}) {
      for (EdgeBits::Word*& words_of_plane : row->planes) {
        words_of_plane = next;
        next += plane;
      }
    }
  }
};

}  // namespace canny::chains
