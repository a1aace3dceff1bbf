// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares plans with the reference: taps, thresholds and bounds. Also tests refusals and changes
// of a plan.
#include "canny/plan.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "harness.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace {

using canny::Params;
using canny::PixelFormat;
using canny::Plan;
using canny::StatusCode;

harness::Tally tally;

void count(bool is_right, const std::string& what) {
  if (is_right)
    tally.pass(canny::Backend::kCpu);
  else
    tally.fail(canny::Backend::kCpu, what);
}

Plan plan_of(const Params& params) {
  Plan plan;
  const canny::Status status = make_plan(params, PixelFormat::kRgb, PixelFormat::kGray8, &plan);
  count(status.ok(), status.message());
  return plan;
}

void test_taps() {
  for (double sigma = 0; sigma <= canny::kMaxSigma; sigma += 0.05) {
    Params params;
    params.sigma = sigma;
    const canny::Taps taps = plan_of(params).blur;
    const std::vector<int> expected = reference::taps(sigma);
    const std::vector<int> actual(taps.weight, taps.weight + taps.count);
    count(actual == expected, "taps of sigma " + std::to_string(sigma));
    count(taps.is_identity() == (expected[expected.size() / 2] == 256), "is_identity()");
  }
}

void test_thresholds() {
  for (const canny::Norm norm : {canny::Norm::kL1, canny::Norm::kL2}) {
    for (const double low : {0.0, 0.99, 50.0, 50.5, std::sqrt(2.0), canny::kMaxThreshold}) {
      for (const double high : {0.0, 1.0, 100.25, 2040.0, canny::kMaxThreshold}) {
        Params params;
        params.low_threshold = low;
        params.high_threshold = high;
        params.norm = norm;
        const canny::Thresholds actual = plan_of(params).thresholds;
        const reference::Thresholds expected = reference::thresholds(params);
        count(actual.low == expected.low && actual.high == expected.high,
              "thresholds of " + std::to_string(low) + ", " + std::to_string(high));
      }
    }
  }
}

// The largest absolute value of the samples.
template <class Sample>
std::int64_t largest(const reference::Plane<Sample>& plane) {
  std::int64_t result = 0;
  for (const Sample sample : plane.samples)
    result = std::max(result, std::abs(std::int64_t{sample}));
  return result;
}

// Extreme pixels reach the bound of the gradient, and nothing exceeds either bound.
void test_bounds() {
  constexpr int kSide = 64;
  reference::Random random(1);
  bool is_reached = false;
  for (int round = 0; round < 20; ++round) {
    reference::Bytes image(kSide, kSide);
    for (std::uint8_t& pixel : image.samples)
      pixel = round < 10 ? 255 * random.between(0, 1) : random.between(0, 255);
    if (round == 0)
      for (int i = 0; i < kSide * kSide; ++i) image.samples[i] = i % kSide < kSide / 2 ? 0 : 255;
    const reference::Gradient gradient = reference::sobel(image);
    for (const canny::Norm norm : {canny::Norm::kL1, canny::Norm::kL2}) {
      Params params;
      params.norm = norm;
      const canny::Bounds bounds = plan_of(params).bounds;
      const std::int64_t steepest = std::max(largest(gradient.gx), largest(gradient.gy));
      is_reached |= steepest == bounds.gradient;
      count(steepest <= bounds.gradient, "bound of the gradient");
      count(largest(reference::magnitude(gradient, norm)) <= bounds.magnitude,
            "bound of the magnitude");
    }
  }
  count(is_reached, "no gradient reaches its bound");
}

void test_refusals() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto refuse = [](const char* member, const Params& params) {
    Plan plan;
    const canny::Status status = make_plan(params, PixelFormat::kRgb, PixelFormat::kGray8, &plan);
    count(status.code() == StatusCode::kInvalidParams &&
              status.message().find(member) != std::string::npos,
          std::string(member) + ": " + status.message());
  };
  for (const double value : {-0.5, canny::kMaxThreshold + 1, kNan}) {
    Params params;
    params.low_threshold = value;
    refuse("low_threshold", params);
    params = {};
    params.high_threshold = value;
    refuse("high_threshold", params);
    params = {};
    params.sigma = value;
    refuse("sigma", params);
  }
  Params params;
  params.hysteresis_passes = canny::kMaxHysteresisPasses + 1;
  refuse("hysteresis_passes", params);
  params = {};
  params.norm = static_cast<canny::Norm>(7);
  refuse("norm", params);
}

bool same(const Plan& a, const Plan& b) {
  return a.input == b.input && a.output == b.output && a.blur == b.blur && a.op == b.op &&
         a.norm == b.norm && a.threshold_source == b.threshold_source &&
         a.bounds.gradient == b.bounds.gradient && a.bounds.magnitude == b.bounds.magnitude &&
         a.thresholds.low == b.thresholds.low && a.thresholds.high == b.thresholds.high &&
         a.passes == b.passes;
}

// Each member changes in turn. The planner's plan always equals a fresh planner's.
void test_planner() {
  canny::Planner planner;
  Params params;
  PixelFormat input = PixelFormat::kRgb, output = PixelFormat::kGray8;
  Plan before;
  const auto step = [&](const char* what, bool is_changed) {
    const Plan* kept = nullptr;
    Plan fresh;
    const bool is_made = planner.plan(params, input, output, &kept).ok() &&
                         make_plan(params, input, output, &fresh).ok();
    count(is_made && same(*kept, fresh) && same(*kept, before) != is_changed,
          std::string("a planner's plan after another ") + what);
    before = fresh;
  };
  step("start", true);
  step("nothing", false);
  params.low_threshold = 10;
  step("low threshold", true);
  params.high_threshold = 200;
  step("high threshold", true);
  params.sigma = 3;
  step("sigma", true);
  params.hysteresis_passes = 4;
  step("number of passes", true);
  params.norm = canny::Norm::kL1;
  step("norm", true);
  input = PixelFormat::kBgrx;
  step("input format", true);
  output = PixelFormat::kRgbx;
  step("output format", true);
  params.sigma = -1;
  const Plan* ignored = nullptr;
  count(!planner.plan(params, input, output, &ignored).ok(), "a plan of an invalid sigma");
  params.sigma = 3;
  step("refusal", false);
}

}  // namespace

int main() {
  test_taps();
  test_thresholds();
  test_bounds();
  test_refusals();
  test_planner();
  return tally.summary();
}
