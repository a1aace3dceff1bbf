// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes all decisions about a frame before any work on it: validates Params, and derives integers
// from them and from the formats.
#pragma once

#include <cstdint>
#include <optional>

#include "canny/canny.h"
#include "canny/operator.h"
#include "canny/view.h"

namespace canny {

inline constexpr int kMaxTaps = 121;  ///< 6 * kMaxSigma + 1
inline constexpr int kMaxRadius = kMaxTaps / 2;
inline constexpr int kBins = 2048;  ///< of histograms of gradients

/// A symmetric kernel of `count` (odd) weights with 8 fractional bits: none is negative, their sum
/// is 256. One tap of 256 is no blur.
struct Taps {
  int count = 1;
  std::uint16_t weight[kMaxTaps] = {256};

  int radius() const { return count / 2; }
  /// Whether the middle tap, alone, is 256. All other taps fit in a byte.
  bool is_identity() const { return weight[radius()] == 256; }
};

bool operator==(const Taps& a, const Taps& b);

/// The largest values of a frame's gradient.
struct Bounds {
  std::int32_t gradient = 0;   ///< largest |gx| and |gy|; kDiagonal: difference, of which gx and gy
                               ///< are sums; kCompass: response
  std::int64_t magnitude = 0;  ///< in the unit of the thresholds; beyond 32 bits only if deep
};

/// Integers in the unit of the magnitude, which is squared with Norm::kL2 unless the operator has
/// no norm. low <= high.
template <class Integer>
struct BasicThresholds {
  Integer low = 0;   ///< a candidate's magnitude exceeds this
  Integer high = 0;  ///< a strong pixel's magnitude exceeds this
};
using Thresholds = BasicThresholds<std::int32_t>;
using DeepThresholds = BasicThresholds<std::int64_t>;  ///< of magnitudes of deep samples

/// The thresholds of a frame.
struct FrameThresholds {
  Thresholds thresholds;
  DeepThresholds deep_thresholds;
  double low = 0, high = 0;  ///< as Result has them
};

/// A length of 1 in the unit of thresholds, as a difference of deep samples: they have 16 bits, and
/// thresholds count steps of their highest 8.
inline constexpr int kDeepUnit = 256, kDeepUnitShift = 8;

/// How a stage derives thresholds from the pixels of a frame; see ThresholdMode.
struct AutoThreshold {
  ThresholdMode mode = ThresholdMode::kAbsolute;  ///< kAbsolute: no stage does
  double high_ratio = 0.0, low_ratio = 0.0;
  int bin_shift = 0;  ///< bin i of a histogram counts lengths from i << bin_shift on
};

/// The decisions that backends execute. Equal Params give equal plans. With View::kPasses, `passes`
/// is at least 1.
struct Plan {
  PixelFormat input = PixelFormat::kGray8;
  PixelFormat output = PixelFormat::kGray8;
  bool is_deep = false;  ///< whether samples, and with them gradients, are numbers of 16 bits
  int channels = 1;      ///< 1: luma; 3: the colors, of which the largest magnitude counts
  Taps blur;
  Operator op = Operator::kSobel;
  OperatorWeights weights;
  Norm norm = Norm::kL2;
  Bounds bounds;
  bool is_thin = true;       ///< whether suppression keeps only maxima
  FrameThresholds constant;  ///< unless they are measured; the integers of samples like the input's
  AutoThreshold auto_threshold;
  unsigned passes = 0;      ///< of hysteresis, 0 = until stable
  unsigned min_length = 0;  ///< pixels of the shortest edge that is kept
  View view =
      View::kEdges;  ///< stages that it does not need have nothing to do: `auto_threshold.mode` is
                     ///< kAbsolute, thresholds, `passes` and `min_length` are 0
  std::uint32_t edge_color = 0;  ///< for View::kOverlay, as in Params
  Palette palette;               ///< for views that show values
  bool measures_stages = false;  ///< whether to measure times and count, as Params says

  /// Whether suppression gets its thresholds from an earlier stage of the frame.
  bool has_measured_thresholds() const { return auto_threshold.mode != ThresholdMode::kAbsolute; }
  /// The thresholds of a frame for which a stage has measured these, if one does.
  const FrameThresholds& thresholds(const FrameThresholds& measured) const {
    return has_measured_thresholds() ? measured : constant;
  }
  /// Whether magnitudes are squares of lengths.
  bool is_squared() const { return norm == Norm::kL2 && has_norm(weights.form); }
  /// Whether edges may be too short.
  bool removes_short() const { return min_length > 1; }
};

/// The integers that magnitudes are compared with for thresholds given as lengths, low <= high,
/// each of which counts `unit` times.
template <class Integer>
CANNY_HOST_DEVICE inline BasicThresholds<Integer> integer_thresholds_of(double low, double high,
                                                                        bool are_squared,
                                                                        int unit) {
  // Magnitudes are integers, so "above t" is "above floor(t)". 32767^2 fits in 31 bits.
  constexpr double kLargestRoot = 32767.0;
  if (are_squared) {
    low = (low < kLargestRoot ? low : kLargestRoot) * unit;
    high = (high < kLargestRoot ? high : kLargestRoot) * unit;
    low *= low;
    high *= high;
  } else {
    low *= unit;
    high *= unit;
  }
  return {static_cast<Integer>(low), static_cast<Integer>(high)};
}
CANNY_HOST_DEVICE inline Thresholds integer_thresholds(double low, double high, bool are_squared) {
  return integer_thresholds_of<std::int32_t>(low, high, are_squared, 1);
}
/// Likewise for magnitudes of deep samples.
CANNY_HOST_DEVICE inline DeepThresholds deep_thresholds(double low, double high, bool are_squared) {
  return integer_thresholds_of<std::int64_t>(low, high, are_squared, kDeepUnit);
}

/// Fills `*plan`, or returns which member of `params` is out of range.
Status make_plan(const Params& params, PixelFormat input, PixelFormat output, Plan* plan);

/// Makes plans. Reuses the last one until the parameters or formats change.
class Planner {
 public:
  /// Like make_plan(). The plan is valid until the next call.
  Status plan(const Params& params, PixelFormat input, PixelFormat output, const Plan** plan);

 private:
  std::optional<Params> params_;  // of the plan, once it is made
  Plan plan_;
};

}  // namespace canny
