// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels to candidate and strong bits: luma, Gaussian blur, Sobel, non-maximum suppression and
// double threshold, streamed down a strip of rows.
#pragma once

#include <cstdint>
#include <vector>

#include "bitplane.h"
#include "canny.h"
#include "params.h"

namespace canny::cpu {

/// The last `depth` rows of an intermediate image: row y lives in slot y % depth until row
/// y + depth takes its place.
template <class T>
class RowRing {
 public:
  void resize(int row_length, int depth) {
    row_length_ = row_length;
    rows_.assign(static_cast<std::size_t>(row_length) * depth, T{});
    held_.assign(depth, -1);
  }
  /// Forgets all rows and keeps the last `depth` of them from now on, at most what was resized to.
  void clear(int depth) {
    depth_ = depth;
    for (int& y : held_) y = -1;
  }
  bool holds(int y) const { return held_[y % depth_] == y; }
  T* row(int y) { return rows_.data() + static_cast<std::size_t>(row_length_) * (y % depth_); }
  /// The row, to be written.
  T* take(int y) {
    held_[y % depth_] = y;
    return row(y);
  }

 private:
  std::vector<T> rows_;
  std::vector<int> held_;  // the row in each slot, -1 if none
  int row_length_ = 0;
  int depth_ = 1;
};

/// Runs strips, one at a time, and holds the few rows in flight. Not for two threads at once.
class Front {
 public:
  /// Allocates for images of this size.
  void set_size(int width, int height);

  /// Writes rows first_row .. last_row - 1 of `candidate` and `strong`.
  void run(const ConstFrame& input, const Settings& settings, int first_row, int last_row,
           const BitPlane& candidate, const BitPlane& strong);

 private:
  /// One pixel's gradient along x and y, |.| <= 1020.
  struct Gradient {
    std::int16_t x, y;
  };

  const std::uint16_t* row_blurred(int y);
  const std::uint8_t* blurred(int y);
  const std::int32_t* magnitude(int y);
  void suppress(int y, std::uint32_t* candidate, std::uint32_t* strong);

  int width_ = 0;
  int height_ = 0;
  const ConstFrame* input_ = nullptr;   // of the strip that runs
  const Settings* settings_ = nullptr;  // of the strip that runs
  std::vector<std::uint8_t> luma_;      // one row with kMaxRadius pixels of border on each side
  std::vector<std::uint32_t> sum_;      // one row of vertical sums
  RowRing<std::uint16_t> row_blurred_;  // horizontal sums, 8 fractional bits
  RowRing<std::uint8_t> blurred_;
  RowRing<Gradient> gradient_;
  RowRing<std::int32_t> magnitude_;    // with one zero on each side
  std::vector<std::int32_t> outside_;  // the magnitude above the top row and below the last
};

}  // namespace canny::cpu
