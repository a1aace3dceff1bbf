// SPDX-License-Identifier: LGPL-2.1-or-later
// Joins pieces of neighboring bands to chains.
#pragma once

#include <vector>

#include "canny/chain_pieces.h"

namespace canny::chains {

/// Consecutive points of a piece.
struct Part {
  const Number* points;
  std::size_t size;
  bool is_reversed;

  Number at(std::size_t i) const { return points[is_reversed ? size - 1 - i : i]; }
  Part part(std::size_t from, std::size_t to) const {
    return {points + (is_reversed ? size - to : from), to - from, is_reversed};
  }
};

/// A chain of several parts, which are elements first_part .. last_part - 1 of Joiner::parts().
struct JoinedChain {
  Number first;  ///< its first point
  std::size_t first_part, last_part, size;
};

/// Keeps its memory from frame to frame.
class Joiner {
 public:
  /// Joins all open pieces, and adds the chains to Band::kept.
  void join(Bands* bands);

  /// In the order of their first points.
  const std::vector<JoinedChain>& chains() const { return chains_; }
  const std::vector<Part>& parts() const { return parts_; }

 private:
  // One end of an open piece.
  struct End {
    std::size_t band, open;
    bool is_last;
  };

  Side side(const End& end) const;
  End across(const End& end) const;
  End outermost(const End& first) const;
  Number point(const End& end) const;
  End add_parts(End end);
  void rotate(std::size_t first_part);
  void reverse(std::size_t first_part);
  void add_chain(Number first, std::size_t first_part);

  Bands* bands_ = nullptr;
  std::vector<JoinedChain> chains_;
  std::vector<Part> parts_;
};

}  // namespace canny::chains
