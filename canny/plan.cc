// SPDX-License-Identifier: LGPL-2.1-or-later
// Gaussian taps in fixed point, and bounds and thresholds as integers.
#include "canny/plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "canny/frame.h"
#include "canny/operator.h"

namespace canny {
namespace {

Status check_range(const char* name, double value, double max) {
  if (value >= 0.0 && value <= max) return {};  // false for NaN
  return {StatusCode::kInvalidParams, std::string(name) + " " + std::to_string(value) +
                                          " is outside 0.." + std::to_string(max)};
}

Status check(const Params& params) {
  if (Status s = check_range("low_threshold", params.low_threshold, kMaxThreshold); !s.ok())
    return s;
  if (Status s = check_range("high_threshold", params.high_threshold, kMaxThreshold); !s.ok())
    return s;
  if (Status s = check_range("sigma", params.sigma, kMaxSigma); !s.ok()) return s;
  if (params.hysteresis_passes > kMaxHysteresisPasses) {
    return {StatusCode::kInvalidParams,
            "hysteresis_passes " + std::to_string(params.hysteresis_passes) + " is outside 0.." +
                std::to_string(kMaxHysteresisPasses)};
  }
  if (params.norm != Norm::kL1 && params.norm != Norm::kL2)
    return {StatusCode::kInvalidParams, "norm is neither kL1 nor kL2"};
  return {};
}

// Rounds halves to even, whatever the thread's rounding mode.
double round_half_even(double x) {
  const double below = std::floor(x), part = x - below;
  if (part != 0.5) return part < 0.5 ? below : below + 1.0;
  return std::fmod(below, 2.0) == 0.0 ? below : below + 1.0;
}

// Rounds weights to 1/256 from the outside in and carries each rounding error to the next weight,
// so that the sum is exact and no error exceeds half a unit.
Taps gaussian_taps(double sigma) {
  Taps taps;
  if (sigma == 0.0) return taps;
  taps.count = static_cast<int>(round_half_even(6.0 * sigma + 1.0)) | 1;

  std::array<double, kMaxTaps> gaussian;
  double sum = 0.0;
  for (int i = 0; i < taps.count; ++i) {
    const double x = i - taps.radius();
    gaussian[i] = std::exp(-x * x / (2.0 * sigma * sigma));
    sum += gaussian[i];
  }
  double error = 0.0;
  int outer = 0;
  for (int i = 0; i < taps.radius(); ++i) {
    const double exact = 256.0 * gaussian[i] / sum + error;
    const double rounded = round_half_even(exact);
    error = exact - rounded;
    taps.weight[i] = taps.weight[taps.count - 1 - i] = static_cast<std::uint16_t>(rounded);
    outer += static_cast<int>(rounded);
  }
  taps.weight[taps.radius()] = static_cast<std::uint16_t>(256 - 2 * outer);
  return taps;
}

// Magnitudes are integers, so "above t" is "above floor(t)". 32767^2 fits 31 bits.
std::int32_t integer_threshold(double threshold, Norm norm) {
  const double t = norm == Norm::kL2 ? threshold * threshold : threshold;
  return static_cast<std::int32_t>(std::floor(t));
}

// If a member is added to Params but not to these lists, this does not compile.
bool operator==(const Params& a, const Params& b) {
  const auto& [low, high, sigma, passes, norm] = a;
  const auto& [other_low, other_high, other_sigma, other_passes, other_norm] = b;
  return low == other_low && high == other_high && sigma == other_sigma && passes == other_passes &&
         norm == other_norm;
}

}  // namespace

bool operator==(const Taps& a, const Taps& b) {
  return a.count == b.count && std::equal(a.weight, a.weight + a.count, b.weight);
}

Status make_plan(const Params& params, PixelFormat input, PixelFormat output, Plan* plan) {
  if (Status s = check(params); !s.ok()) return s;
  const auto [low, high] = std::minmax(params.low_threshold, params.high_threshold);
  plan->input = input;
  plan->output = output;
  plan->blur = gaussian_taps(params.sigma);
  plan->op = Operator::kSobel3;
  plan->norm = params.norm;
  plan->bounds = {Sobel3::kLargest, largest_magnitude<Sobel3>(params.norm)};
  plan->threshold_source = ThresholdSource::kConstant;
  plan->thresholds = {integer_threshold(low, params.norm), integer_threshold(high, params.norm)};
  plan->passes = params.hysteresis_passes;
  return {};
}

Status Planner::plan(const Params& params, PixelFormat input, PixelFormat output,
                     const Plan** plan) {
  const bool is_same =
      is_made_ && params == params_ && input == plan_.input && output == plan_.output;
  if (!is_same) {
    is_made_ = false;
    if (Status s = make_plan(params, input, output, &plan_); !s.ok()) return s;
    params_ = params;
    is_made_ = true;
  }
  *plan = &plan_;
  return {};
}

}  // namespace canny
