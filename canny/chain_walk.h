// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows chains pixel by pixel within bands of rows.
#pragma once

#include "canny/chain_ends.h"
#include "canny/chain_links.h"
#include "canny/chain_pieces.h"

namespace canny::chains {

/// Finds the pieces of bands. For one thread.
class Walker {
 public:
  void set_width(int words_per_row) { finder_.set_width(words_per_row); }

  /// Takes bands and fills their lists of pieces, until no band is left.
  void run(Bands* bands);

 private:
  // A walk that takes a band of its own at a time. A step waits for the loads of the one before, so
  // a thread walks in several lanes by turns.
  struct Lane;

  bool take_band(Lane* lane);
  bool begin_piece(Lane* lane);
  bool begin_path(Lane* lane, std::uint32_t pixel);
  void add_point(Lane* lane, std::uint32_t pixel) const;
  bool take_rare_step(Lane* lane, std::uint32_t pixel, unsigned found);
  void end_piece(Lane* lane, int direction);
  Side side_of(const Lane& lane, int direction) const;
  void begin_piece_at(Lane* lane, std::uint32_t pixel) const;
  unsigned neighborhood(std::uint32_t pixel) const;

  EndFinder finder_;
  Bands* bands_ = nullptr;
  const std::uint8_t* bytes_ = nullptr;  // from pixel 0 on, of the word before the row above
  std::ptrdiff_t stride_bytes_ = 0;
  // Pixels are numbered through all bits. A step in a direction adds to the pixel and to its point.
  std::uint32_t add_to_pixel_[kDirections], add_to_point_[kDirections];
};

}  // namespace canny::chains
