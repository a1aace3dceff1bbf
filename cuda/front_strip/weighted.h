// SPDX-License-Identifier: LGPL-2.1-or-later
// The arithmetic of other 3x3 operators in a strip: integers, two pixels per sum.
#pragma once

#include <cstdint>

#include "canny/constants.h"
#include "canny/operator.h"
#include "canny/plan.h"
#include "cuda/front_strip/strip.h"

namespace canny::cuda::strip {

// The operators with difference -1 0 1 and smoothing `side` `middle` `side`, whose sum is at most
// 95. A word holds two sums of 16 bits. Those that may be negative have a bias.
template <Norm kNorm>
struct WeightedMath {
  using Magnitude = int;
  static constexpr bool kStoresImage = false;
  struct Limits {
    Magnitude low, high;
  };

  // Differences and sums across three columns, for a column (low half) and the one 32 further
  // right.
  struct Row {
    std::uint32_t difference, sum;
  };
  struct Gradient {
    std::uint32_t x, y;
  };
  struct Pixel {
    int x, y;
    Magnitude magnitude;
  };

  int side, middle;

  __device__ static WeightedMath of(const StripArguments& arguments) {
    return {arguments.side, arguments.middle};
  }

  __device__ static Limits limits(const Thresholds& thresholds) {
    return {thresholds.low, thresholds.high};
  }

  __device__ Row row(const std::uint32_t* word) const {
    const std::uint32_t left = word[-1], right = word[1];
    return {right + kDifferenceBias * kBoth - left, side * (left + right) + middle * word[0]};
  }

  __device__ Gradient gradient(const Row& above, const Row& here, const Row& below) const {
    return {side * (above.difference + below.difference) + middle * here.difference,
            below.sum + kSumBias * kBoth - above.sum};
  }

  // The pixel of the low (0) or the high (1) half.
  __device__ Pixel pixel(const Gradient& g, int half) const {
    const auto of_half = [=](std::uint32_t word) {
      return static_cast<int>(half == 0 ? word & 0xffff : word >> 16);
    };
    const int x = of_half(g.x) - kDifferenceBias * (2 * side + middle);
    const int y = of_half(g.y) - kSumBias;
    return {x, y, kNorm == Norm::kL2 ? x * x + y * y : abs(x) + abs(y)};
  }

  // |x| and |y| are at most 24225, so no term reaches 2^31.
  __device__ static bool is_vertical(const Pixel& pixel) {
    const int x = abs(pixel.x);
    return abs(pixel.y) << kTangentShift > kTangent * x + (x << (kTangentShift + 1));
  }
  __device__ static bool is_horizontal(const Pixel& pixel) {
    return abs(pixel.y) << kTangentShift < kTangent * abs(pixel.x);
  }
  __device__ static bool is_rising(const Pixel& pixel) { return (pixel.x ^ pixel.y) < 0; }

 private:
  static constexpr std::uint32_t kBoth = 0x10001;
  static constexpr int kDifferenceBias = 256;  // times the sum of the weights, at most 95 * 511
  static constexpr int kSumBias = 1 << 15;
};

}  // namespace canny::cuda::strip
