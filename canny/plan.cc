// SPDX-License-Identifier: LGPL-2.1-or-later
// Gaussian taps in fixed point, and bounds and thresholds as integers.
#include "canny/plan.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "canny/frame.h"
#include "canny/operator.h"
#include "canny/settings.h"
#include "canny/try.h"

namespace canny {
namespace {

static_assert(FLT_EVAL_METHOD != 2,
              "doubles are rounded twice; on 32-bit x86, compile with -msse2 -mfpmath=sse");

// Whether the value is valid, else why it is not.
template <class Value>
Status check(const Setting& setting, Value value) {
  const std::string member = setting.member_name;
  if constexpr (std::is_enum_v<Value>) {
    if (name(value) != nullptr) return {};
    return {StatusCode::kInvalidParams, member + " " + std::to_string(static_cast<int>(value)) +
                                            " is not one of " + names<Value>()};
  } else {
    if (value >= setting.minimum && value <= setting.maximum) return {};  // false for NaN
    return {StatusCode::kInvalidParams, member + " " + std::to_string(value) + " is outside " +
                                            std::to_string(static_cast<int>(setting.minimum)) +
                                            ".." +
                                            std::to_string(static_cast<Value>(setting.maximum))};
  }
}
Status check(const Setting&, bool) { return {}; }

Status check(const Params& params) {
  for (const Setting& setting : kSettings) {
    CANNY_TRY(
        std::visit([&](auto member) { return check(setting, params.*member); }, setting.member));
  }
  return {};
}

// Rounds weights to 1/256 from the outside in and carries each rounding error to the next weight,
// so that the sum is exact and no error exceeds half a unit. std::rint() rounds halves to even: see
// RoundingToNearest.
Taps gaussian_taps(double sigma) {
  Taps taps;
  if (sigma == 0.0) return taps;
  taps.count = static_cast<int>(std::rint(6.0 * sigma + 1.0)) | 1;

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
    const double rounded = std::rint(exact);
    error = exact - rounded;
    taps.weight[i] = taps.weight[taps.count - 1 - i] = static_cast<std::uint16_t>(rounded);
    outer += static_cast<int>(rounded);
  }
  taps.weight[taps.radius()] = static_cast<std::uint16_t>(256 - 2 * outer);
  return taps;
}

constexpr int kLargestSample = 255, kLargestDeepSample = 65535;

// The bounds for samples up to `largest`.
Bounds bounds_of(const OperatorWeights& weights, Norm norm, int largest) {
  // The largest |gx| and |gy|, or response of a compass operator.
  const std::int32_t gradient = largest * operator_gain(weights);
  const std::int64_t a = gradient;
  if (!has_norm(weights.form)) return {gradient, a};
  return {gradient, norm == Norm::kL2 ? 2 * a * a : 2 * a};
}

// The largest magnitude of 8-bit samples as a length. Lengths of deep samples are below that of a
// step of 256, which falls in the same histograms.
int largest_length(const Plan& plan) {
  const std::int64_t magnitude = bounds_of(plan.weights, plan.norm, kLargestSample).magnitude;
  return static_cast<int>(plan.is_squared() ? std::sqrt(magnitude) : magnitude);
}

// Sets thresholds that are constants, which count before the operator's division.
void set_thresholds(const Params& params, Plan* plan) {
  FrameThresholds& constant = plan->constant;
  std::tie(constant.low, constant.high) = std::minmax(params.low_threshold, params.high_threshold);
  const double divisor = 1 << plan->weights.shift;
  const double low = constant.low / divisor, high = constant.high / divisor;
  if (plan->is_deep)
    constant.deep_thresholds = deep_thresholds(low, high, plan->is_squared());
  else
    constant.thresholds = integer_thresholds(low, high, plan->is_squared());
}

AutoThreshold auto_threshold_of(const Params& params, int largest_length) {
  AutoThreshold automatic;
  automatic.mode = params.threshold_mode;
  const Ratios usual = usual_ratios(params.threshold_mode);
  automatic.high_ratio = params.high_ratio > 0 ? params.high_ratio : usual.high;
  automatic.low_ratio = params.low_ratio > 0 ? params.low_ratio : usual.low;
  while (largest_length >> automatic.bin_shift >= kBins) ++automatic.bin_shift;
  return automatic;
}

// Adapts a plan for an edge map to another view.
void set_view(const Params& params, Plan* plan) {
  const View view = params.view;
  plan->view = view;
  if (view == View::kOverlay) plan->edge_color = params.edge_color;
  if (view == View::kSuppressed) plan->is_thin = true;
  if (view == View::kLuma) plan->blur = {};
  if (shows_luma(view)) plan->channels = 1;
  if (!needs_thresholds(view)) {
    plan->constant.thresholds = {};
    plan->constant.deep_thresholds = {};
    plan->auto_threshold = {};
  }
  if (shows_edges(view)) return;
  plan->min_length = 0;
  const unsigned shown =
      params.hysteresis_passes == 0 ? kMaxHysteresisPasses : params.hysteresis_passes;
  plan->passes = view == View::kPasses ? shown : 0;
  if (is_output(plan->output)) plan->palette = make_palette(view, plan->output);
}

// Converts to the type of any member.
struct Anything {
  template <class T>
  operator T() const;
};
template <std::size_t... kMembers>
constexpr auto has_members(std::index_sequence<kMembers...>)
    -> decltype(Params{(static_cast<void>(kMembers), Anything())...}, true) {
  return true;
}
constexpr bool has_members(...) { return false; }
static_assert(has_members(std::make_index_sequence<std::size(kSettings)>()) &&
                  !has_members(std::make_index_sequence<std::size(kSettings) + 1>()),
              "kSettings has a row for each member of Params");

template <std::size_t... kRows>
bool are_equal(const Params& a, const Params& b, std::index_sequence<kRows...>) {
  return ((a.*kMember<kSettings, kRows> == b.*kMember<kSettings, kRows>)&&...);
}
bool operator==(const Params& a, const Params& b) {
  return are_equal(a, b, std::make_index_sequence<std::size(kSettings)>());
}

}  // namespace

bool operator==(const Taps& a, const Taps& b) {
  return a.count == b.count && std::equal(a.weight, a.weight + a.count, b.weight);
}

Status make_plan(const Params& params, PixelFormat input, PixelFormat output, Plan* plan) {
  CANNY_TRY(check(params));
  *plan = {};
  plan->measures_stages = params.measure_stages;
  plan->input = input;
  plan->output = output;
  plan->is_deep = params.luma_depth == LumaDepth::kFull && is_deep(input);
  plan->channels = params.color_mode == ColorMode::kLargestChannel && has_colors(input) ? 3 : 1;
  plan->blur = gaussian_taps(params.sigma);
  plan->op = params.gradient_operator;
  plan->weights = operator_weights(params.gradient_operator);
  plan->norm = params.norm;
  plan->bounds =
      bounds_of(plan->weights, params.norm, plan->is_deep ? kLargestDeepSample : kLargestSample);
  plan->is_thin = params.thin_edges;
  if (params.threshold_mode == ThresholdMode::kAbsolute)
    set_thresholds(params, plan);
  else
    plan->auto_threshold = auto_threshold_of(params, largest_length(*plan));
  plan->passes = params.hysteresis_passes;
  plan->min_length = params.min_length;
  if (params.view != View::kEdges) set_view(params, plan);
  return {};
}

Status Planner::plan(const Params& params, PixelFormat input, PixelFormat output,
                     const Plan** plan) {
  const bool is_same =
      params_.has_value() && *params_ == params && input == plan_.input && output == plan_.output;
  if (!is_same) {
    params_.reset();
    CANNY_TRY(make_plan(params, input, output, &plan_));
    params_ = params;
  }
  *plan = &plan_;
  return {};
}

}  // namespace canny
