// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradient operators, as policies of the front ends. docs/design.md has the definition.
#pragma once

#include <cstdint>

#include "canny/bits.h"
#include "canny/canny.h"

namespace canny {

/// A gradient operator.
enum class Operator { kSobel3 };

/// The Sobel operator of 3x3 pixels. gx is the difference along a row, smoothed down the columns;
/// gy is the difference down a column, smoothed along the rows. Index 0 is the left or upper pixel.
struct Sobel3 {
  static constexpr int kReach = 1;  ///< pixels that it reads on each side
  static constexpr int kSize = 2 * kReach + 1;
  static constexpr int kLargest = 1020;  ///< largest |gx| and |gy| for 8-bit pixels: 4 * 255

  CANNY_HOST_DEVICE static constexpr int smooth(int i) { return i == kReach ? 2 : 1; }
  CANNY_HOST_DEVICE static constexpr int difference(int i) { return i - kReach; }
};

/// The largest magnitude, in the unit of the thresholds.
template <class Op>
CANNY_HOST_DEVICE constexpr std::int32_t largest_magnitude(Norm norm) {
  return norm == Norm::kL2 ? 2 * Op::kLargest * Op::kLargest : 2 * Op::kLargest;
}

}  // namespace canny
