// SPDX-License-Identifier: LGPL-2.1-or-later
// Thresholds that follow from the pixels of a frame: the arithmetic that every backend shares.
// docs/reference/edge-map.md has the definition.
#pragma once

#include <cmath>
#include <cstdint>

#include "canny/bits.h"
#include "canny/plan.h"

namespace canny {

/// The high threshold of ThresholdMode::kOtsu for pixels that all fall in one bin.
inline constexpr double kNoOtsuThreshold = 32767.0;

/// Counts of a frame's pixels: with kQuantile lengths of all gradients, with kOtsu those above 0
/// that suppression keeps, in bins of 2^AutoThreshold::bin_shift; with kMedian luma, in the first
/// 256 bins; with kRelative only the largest length.
struct Histogram {
  std::uint32_t bins[kBins] = {};
  std::uint32_t largest = 0;
};

/// The square root of m < 2^31, rounded down.
CANNY_HOST_DEVICE inline std::uint32_t length_of_square(std::uint32_t m) {
  auto root = static_cast<std::uint32_t>(std::sqrt(static_cast<float>(m)));
  if (root * root > m) --root;
  if ((root + 1) * (root + 1) <= m) ++root;
  return root;
}

/// The length of a magnitude of deep samples in the unit of thresholds, rounded down. The integer
/// part of sqrt(m) / 256 is that of sqrt(m / 2^16), and that of sqrt(k) for k = m / 2^16 rounded
/// down, which is below 2^31.
CANNY_HOST_DEVICE inline std::uint32_t deep_length(std::uint64_t magnitude, bool is_squared) {
  return is_squared ? length_of_square(static_cast<std::uint32_t>(magnitude >> 2 * kDeepUnitShift))
                    : static_cast<std::uint32_t>(magnitude >> kDeepUnitShift);
}

/// Otsu's criterion of two classes, of n0 and n1 samples (above 0) with sums s0 and s1: larger is
/// better. N. Otsu, "A threshold selection method from gray-level histograms" (1979), eq. 18, times
/// the square of the number of samples. The order of operations is part of the result.
CANNY_HOST_DEVICE inline double variance_between(double n0, double s0, double n1, double s1) {
  const double d = s0 / n0 - s1 / n1;
  return (n0 * n1) * (d * d);
}

/// Returns thresholds for a high one, given as a length.
CANNY_HOST_DEVICE inline FrameThresholds measured_thresholds(const AutoThreshold& automatic,
                                                             double high, bool are_squared) {
  const double low = automatic.low_ratio * high;
  return {integer_thresholds(low, high, are_squared), deep_thresholds(low, high, are_squared), low,
          high};
}

/// Returns the thresholds of a frame of `pixels` pixels for plan.auto_threshold.
FrameThresholds measure_thresholds(const Plan& plan, const Histogram& histogram,
                                   std::uint64_t pixels);

}  // namespace canny
