// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes all decisions about a frame before any work on it: validates Params, and derives integers
// from them and from the formats.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/operator.h"

namespace canny {

inline constexpr int kMaxTaps = 121;  ///< 6 * kMaxSigma + 1
inline constexpr int kMaxRadius = kMaxTaps / 2;

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
  std::int32_t gradient = 0;   ///< largest |gx| and |gy|
  std::int32_t magnitude = 0;  ///< in the unit of the thresholds
};

/// Integers in the unit of the magnitude, which is squared with Norm::kL2. low <= high.
struct Thresholds {
  std::int32_t low = 0;   ///< a candidate's magnitude exceeds this
  std::int32_t high = 0;  ///< a strong pixel's magnitude exceeds this
};

/// Where suppression gets its thresholds.
enum class ThresholdSource {
  kConstant,  ///< Plan::thresholds
  kMeasured,  ///< numbers that an earlier stage of the frame derived from its pixels
};

/// The decisions that backends execute. Equal Params give equal plans.
struct Plan {
  PixelFormat input = PixelFormat::kGray8;
  PixelFormat output = PixelFormat::kGray8;
  Taps blur;
  Operator op = Operator::kSobel3;
  Norm norm = Norm::kL2;
  Bounds bounds;
  ThresholdSource threshold_source = ThresholdSource::kConstant;
  Thresholds thresholds;  ///< for ThresholdSource::kConstant
  unsigned passes = 0;    ///< of hysteresis, 0 = until stable
};

/// Fills `*plan`, or returns which member of `params` is out of range.
Status make_plan(const Params& params, PixelFormat input, PixelFormat output, Plan* plan);

/// Makes plans. Reuses the last one until the parameters or formats change.
class Planner {
 public:
  /// Like make_plan(). The plan is valid until the next call.
  Status plan(const Params& params, PixelFormat input, PixelFormat output, const Plan** plan);

 private:
  Params params_;
  Plan plan_;
  bool is_made_ = false;
};

}  // namespace canny
