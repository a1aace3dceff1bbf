// SPDX-License-Identifier: LGPL-2.1-or-later
// The arithmetic of other 3x3 operators in a strip: integers, two
// pixels per sum.
#pragma once

#include <cstdint>

#include "canny/plan.h"
#include "cuda/front/direction.h"
#include "cuda/front/pairs.h"
#include "cuda/front/strip/strip.h"
#include "cuda/region.h"

namespace canny::cuda::strip {

template <Norm kNorm>
struct WeightedMath {
  using Magnitude = int;
  static constexpr bool kStoresImage = false, kRecordsMaxima = false;
  static constexpr int kRegisters = kWeightedRegisters;
  struct Limits {
    Magnitude low, high;
  };
  using Pairs = PairMath<1>;
  using Row = Pairs::Row;
  using Gradient = Pairs::Gradient;
  struct Pixel {
    int x, y;
    Magnitude magnitude;
  };

  Pairs pairs;

  __device__ static WeightedMath of(const StripArguments& arguments, int, const RegionPlane&) {
    return {{{arguments.side, arguments.middle}, {1}}};
  }
  __device__ static Limits limits(const Thresholds& thresholds) {
    return {thresholds.low, thresholds.high};
  }

  // A word holds a column (low half) and the one 32 further right.
  __device__ Row row(const std::uint32_t* word) const {
    return pairs.row({word[-1], word[0], word[1]});
  }
  __device__ Gradient gradient(const Row& above, const Row& here, const Row& below) const {
    return pairs.gradient({above, here, below});
  }
  __device__ Pixel pixel(const Gradient& g, int half) const {
    const int x = Pairs::of_half(g.x, half), y = Pairs::of_half(g.y, half);
    return {x, y, static_cast<Magnitude>(magnitude_of(x, y, kNorm))};
  }

  __device__ static std::uint32_t integer(Magnitude magnitude) { return magnitude; }

  // |x| and |y| are at most 24225, so no term reaches 2^31.
  __device__ static bool is_vertical(const Pixel& pixel) {
    return cuda::is_vertical(pixel.x, pixel.y);
  }
  __device__ static bool is_horizontal(const Pixel& pixel) {
    return cuda::is_horizontal(pixel.x, pixel.y);
  }
  __device__ static bool is_rising(const Pixel& pixel) { return (pixel.x ^ pixel.y) < 0; }
};

}  // namespace canny::cuda::strip
