// SPDX-License-Identifier: LGPL-2.1-or-later
// Separable 3x3 operators, two pixels at a time: a word holds a sum of 16 bits for each. Sums that
// may be negative have a bias.
#pragma once

#include <cstdint>

#include "canny/operator.h"

namespace canny::cuda {

/// Operators with difference -1 0 1 and smoothing `side` `middle` `side`, which add up to at
/// most 95.
struct PairMath {
  /// The difference and the smoothed sum across three columns.
  struct Row {
    std::uint32_t difference, sum;
  };
  struct Gradient {
    std::uint32_t x, y;
  };

  int side, middle;

  /// Each word holds the samples of two pixels: of the columns to the left, in the middle and to
  /// the right.
  __device__ Row row(std::uint32_t left, std::uint32_t here, std::uint32_t right) const {
    return {right + kDifferenceBias * kBoth - left, side * (left + right) + middle * here};
  }

  __device__ Gradient gradient(const Row& above, const Row& here, const Row& below) const {
    return {side * (above.difference + below.difference) + middle * here.difference,
            below.sum + kSumBias * kBoth - above.sum};
  }

  /// gx and gy of the pixel in the low (0) or the high (1) half.
  __device__ int x(const Gradient& g, int half) const {
    return of_half(g.x, half) - kDifferenceBias * (2 * side + middle);
  }
  __device__ static int y(const Gradient& g, int half) { return of_half(g.y, half) - kSumBias; }

 private:
  static constexpr std::uint32_t kBoth = 0x10001;
  static constexpr int kDifferenceBias = 256;  // times the sum of the weights, at most 95 * 511
  static constexpr int kSumBias = 1 << 15;

  __device__ static int of_half(std::uint32_t word, int half) {
    return static_cast<int>(half == 0 ? word & 0xffff : word >> 16);
  }
};

}  // namespace canny::cuda
