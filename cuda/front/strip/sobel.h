// SPDX-License-Identifier: LGPL-2.1-or-later
// The arithmetic of the Sobel operator in a strip: two pixels per instruction.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "canny/constants.h"
#include "canny/operator.h"
#include "canny/plan.h"
#include "cuda/front/strip/strip.h"
#include "cuda/region.h"

namespace canny::cuda::strip {

// The bits of a half hold a sample as an integer, which the half reads as a multiple of 2^-24. Sums
// of such values are exact up to 2048 units; magnitudes are floats, exact up to 2^24 units.
template <Norm kNorm>
struct SobelMath {
  static_assert(Sobel3::kSize == 3 && Sobel3::smooth(0) == 1 && Sobel3::difference(2) == 1);
  static constexpr float kMiddle = Sobel3::smooth(Sobel3::kReach);

  using Magnitude = float;
  static constexpr bool kStoresImage = false, kRecordsMaxima = false;
  static constexpr int kRegisters =  // of a thread, for few taps
      kStripRegisters + (kNorm == Norm::kL1 ? kL1Registers : 0);
  struct Limits {
    Magnitude low, high;
  };

  __device__ static SobelMath of(const StripArguments&, int, const RegionPlane&) { return {}; }

  // Differences and sums across three columns, for a column (low half) and the one 32 further
  // right.
  struct Row {
    __half2 difference, sum;
  };
  struct Gradient {
    __half2 x, y;
  };
  struct Pixel {
    float x, y;
    Magnitude magnitude;
  };

  // Converts thresholds to the unit of samples. Floats are exact up to the largest magnitude.
  // Larger thresholds are clamped to it: no magnitude exceeds them either way.
  __device__ static Limits limits(const Thresholds& thresholds) {
    constexpr float kUnit = kNorm == Norm::kL2 ? 0x1p-48f : 0x1p-24f;
    const auto in_unit = [](std::int32_t threshold) {
      return static_cast<float>(min(threshold, largest_magnitude<Sobel3>(kNorm))) * kUnit;
    };
    return {in_unit(thresholds.low), in_unit(thresholds.high)};
  }

  __device__ Row row(const std::uint32_t* word) const {
    const auto halves = [](const std::uint32_t& bits) {
      return *reinterpret_cast<const __half2*>(&bits);
    };
    const __half2 left = halves(word[-1]), middle = halves(word[0]), right = halves(word[1]);
    return {__hsub2(right, left), __hfma2(middle, __float2half2_rn(kMiddle), __hadd2(left, right))};
  }

  __device__ Gradient gradient(const Row& above, const Row& here, const Row& below) const {
    return {__hfma2(here.difference, __float2half2_rn(kMiddle),
                    __hadd2(above.difference, below.difference)),
            __hsub2(below.sum, above.sum)};
  }

  // The pixel of the low (0) or the high (1) half.
  __device__ Pixel pixel(const Gradient& g, int half) const {
    const float x = half == 0 ? __low2float(g.x) : __high2float(g.x);
    const float y = half == 0 ? __low2float(g.y) : __high2float(g.y);
    return {x, y, kNorm == Norm::kL2 ? x * x + y * y : fabsf(x) + fabsf(y)};
  }

  // A magnitude in the unit of thresholds.
  __device__ static std::uint32_t integer(Magnitude magnitude) {
    return static_cast<std::uint32_t>(magnitude * (kNorm == Norm::kL2 ? 0x1p48f : 0x1p24f));
  }

  // fp32 gives the same answers as exact arithmetic for all |x|, |y| <= 1020.
  __device__ static bool is_vertical(const Pixel& pixel) {
    return fabsf(pixel.y) > fabsf(pixel.x) * (kFlat + 2);
  }
  __device__ static bool is_horizontal(const Pixel& pixel) {
    return fabsf(pixel.y) < fabsf(pixel.x) * kFlat;
  }
  __device__ static bool is_rising(const Pixel& pixel) {
    return (__float_as_int(pixel.x) ^ __float_as_int(pixel.y)) < 0;
  }

 private:
  static constexpr float kFlat = static_cast<float>(kTangent) / (1 << kTangentShift);
};

}  // namespace canny::cuda::strip
