// SPDX-License-Identifier: LGPL-2.1-or-later
// Operations on the words of a row of a bit plane.
#pragma once

#include "canny/canny.h"
#include "cpu/plane.h"

namespace canny::cpu {

inline constexpr int kLastBit = Plane::kBits - 1;

/// The words of a row outside the image, with a word on either side.
inline constexpr Plane::Word kNothing[1 + kMaxSide / Plane::kBits + 1] = {};

/// The bits of word i of a row and the bits next to them, including those in the words beside it.
inline Plane::Word spread(const Plane::Word* row, int i) {
  return row[i] | row[i] << 1 | row[i] >> 1 | row[i - 1] >> kLastBit | row[i + 1] << kLastBit;
}

/// The run of ones that contains the lowest bit; `word` is not 0.
inline Plane::Word lowest_run(Plane::Word word) {
  const Plane::Word start = word & (~word + 1);
  return word & ~(word + start);
}

}  // namespace canny::cpu
