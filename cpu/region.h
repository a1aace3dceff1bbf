// SPDX-License-Identifier: LGPL-2.1-or-later
// The region of a frame as bits, and the part of the frame that it needs.
#pragma once

#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "canny/rectangles.h"
#include "cpu/plane.h"

namespace canny::cpu {

/// Rows and words of a plane. The last ones are excluded.
struct Extent {
  int first_row = 0, last_row = 0;
  int first_word = 0, last_word = 0;

  bool is_empty() const { return first_row >= last_row; }
};

/// A bit for each pixel of the region. For one thread at a time, except where stated.
class RegionBits {
 public:
  /// Sets the bits of a frame's region, or forgets them if it has none. The first region of a size
  /// allocates the memory.
  void set(const ConstFrame& frame);
  bool is_set() const { return is_set_; }

  /// The number of pixels in every `step`-th row, from the top row on.
  std::uint64_t pixels(int step = 1) const;

  /// Rows that a front end computes to have all rows of the region and `margin` rows around them.
  /// Any thread may call this.
  Extent extent(int margin) const;
  /// The columns of a frame on which blur, gradient and suppression of the region depend, as a
  /// frame, and the words of a plane that belong to these columns.
  ConstFrame columns_of(const ConstFrame& frame) const;
  Plane columns_of(const Plane& plane) const;
  Plane columns() const { return columns_of(plane_); }

 private:
  void set_rectangles(const Region& region);
  void find_extent();

  bool is_set_ = false;
  int group_ = 1;                   // pixels of the frame that share their bytes
  std::vector<Plane::Word> words_;  // memory of the plane; 0 outside extent_
  RectangleRows rectangles_;
  Plane plane_;
  Extent extent_;  // covers all bits
};

}  // namespace canny::cpu
