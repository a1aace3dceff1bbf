// SPDX-License-Identifier: LGPL-2.1-or-later
// Separable operators, two pixels at a time: a word holds a sum of 16 bits for each. While sums may
// be negative, the one in the low half borrows from the other; a bias ends that.
#pragma once

#include <cstdint>

#include "canny/operator.h"

namespace canny::cuda {

/// Operators that reach kReach pixels, with |gx| and |gy| below 2^15 and symmetric weights: those
/// of differences have opposite signs on both sides, and are 1 where kReach is 1.
template <int kReach>
struct PairMath {
  static constexpr int kSize = 2 * kReach + 1;
  /// The difference and the smoothed sum across kSize columns.
  struct Row {
    std::uint32_t difference, sum;
  };
  struct Gradient {
    std::uint32_t x, y;
  };

  // Weights from the outermost pixels inwards; the last one of `smooth` is that of the middle.
  int smooth[kReach + 1], difference[kReach];

  __device__ static PairMath of(const OperatorWeights& weights) {
    PairMath math;
    for (int i = 0; i <= kReach; ++i) math.smooth[i] = weights.smooth[i];
    for (int i = 0; i < kReach; ++i) math.difference[i] = -weights.difference[i];
    return math;
  }

  /// Each word holds the samples of two pixels: of the columns from left to right.
  __device__ Row row(const std::uint32_t (&columns)[kSize]) const {
    Row row = {0, smooth[kReach] * columns[kReach]};
#pragma unroll
    for (int i = 0; i < kReach; ++i) {
      const std::uint32_t left = columns[i], right = columns[kSize - 1 - i];
      row.difference += weighted_difference(i, right - left);
      row.sum += smooth[i] * (left + right);
    }
    return row;
  }

  /// Of rows from the top down.
  __device__ Gradient gradient(const Row (&rows)[kSize]) const {
    Gradient gradient = {kBias * kBoth + smooth[kReach] * rows[kReach].difference, kBias * kBoth};
#pragma unroll
    for (int i = 0; i < kReach; ++i) {
      const Row &above = rows[i], &below = rows[kSize - 1 - i];
      gradient.x += smooth[i] * (above.difference + below.difference);
      gradient.y += weighted_difference(i, below.sum - above.sum);
    }
    return gradient;
  }

  /// gx or gy, a word of a gradient, of the pixel in the low (0) or the high (1) half.
  __device__ static int of_half(std::uint32_t word, int half) {
    return static_cast<int>(half == 0 ? word & 0xffff : word >> 16) - kBias;
  }

 private:
  static constexpr std::uint32_t kBoth = 0x10001;
  static constexpr int kBias = 1 << 15;

  __device__ std::uint32_t weighted_difference(int i, std::uint32_t words) const {
    return kReach == 1 ? words : difference[i] * words;
  }
};

}  // namespace canny::cuda
