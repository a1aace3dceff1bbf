// SPDX-License-Identifier: LGPL-2.1-or-later
// Validation of Params, and the integers that every backend derives from them.
#pragma once

#include <cstdint>

#include "canny/canny.h"

namespace canny {

inline constexpr int kMaxTaps = 121;  ///< 6 * kMaxSigma + 1
inline constexpr int kMaxRadius = kMaxTaps / 2;

/// A symmetric kernel of `count` (odd) weights with 8 fractional bits: none is negative, their sum
/// is 256. One tap of 256 is no blur.
struct Taps {
  int count = 1;
  std::uint16_t weight[kMaxTaps] = {256};

  int radius() const { return count / 2; }
};

/// Params as integers.
struct Settings {
  Taps taps;
  std::int32_t low = 0;   ///< a candidate's magnitude exceeds this; squared with Norm::kL2
  std::int32_t high = 0;  ///< a strong pixel's magnitude exceeds this; low <= high
  Norm norm = Norm::kL2;
  unsigned passes = 0;
};

/// Fills `*settings`, or says which member of `params` is out of range.
Status derive(const Params& params, Settings* settings);

}  // namespace canny
