// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares plans with the reference: taps, thresholds and channels. Also tests changes of
// a plan.
#include "canny/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "cases.h"
#include "harness.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace {

using canny::ColorMode;
using canny::kMaxThreshold;
using canny::Norm;
using canny::Operator;
using canny::Params;
using canny::PixelFormat;
using canny::Plan;
using canny::ThresholdMode;
using canny::View;
using cases::describe_operator;
using cases::for_operators;

harness::Tally tally;

Plan plan_of(const Params& params, PixelFormat input = PixelFormat::kRgb,
             PixelFormat output = PixelFormat::kGray8) {
  Plan plan;
  const canny::Status status = make_plan(params, input, output, &plan);
  tally.count(status.ok(), status.message());
  return plan;
}

void test_taps() {
  for (double sigma = 0; sigma <= canny::kMaxSigma; sigma += 0.05) {
    Params params;
    params.sigma = sigma;
    const canny::Taps taps = plan_of(params).blur;
    const std::vector<int> expected = reference::taps(sigma);
    const std::vector<int> actual(taps.weight, taps.weight + taps.count);
    tally.count(actual == expected, "taps of sigma " + std::to_string(sigma));
    tally.count(taps.is_identity() == (expected[expected.size() / 2] == 256), "is_identity()");
  }
}

void test_thresholds_of(const Params& params) {
  const Plan plan = plan_of(params);
  const reference::Thresholds expected = reference::thresholds(params);
  const auto [low, high] = std::minmax(params.low_threshold, params.high_threshold);
  const canny::FrameThresholds& constant = plan.constant;
  tally.count(!plan.has_measured_thresholds() && constant.thresholds.low == expected.low &&
                  constant.thresholds.high == expected.high && constant.low == low &&
                  constant.high == high,
              "thresholds of " + std::to_string(params.low_threshold) + ", " +
                  std::to_string(params.high_threshold) + ", " + describe_operator(params));
  const Plan deep = plan_of(params, PixelFormat::kGray10Le);
  const reference::Thresholds of_deep = reference::thresholds(params, 256);
  const auto& [unused, deep_thresholds, deep_low, deep_high] = deep.constant;
  tally.count(deep_thresholds.low == of_deep.low && deep_thresholds.high == of_deep.high &&
                  deep_low == low && deep_high == high,
              "deep thresholds of " + std::to_string(params.low_threshold) + ", " +
                  std::to_string(params.high_threshold) + ", " + describe_operator(params));
}

void test_thresholds() {
  for_operators([](Params params) {
    for (const double low : {0.0, 0.99, 50.0, 50.5, std::sqrt(2.0), 32767.5, kMaxThreshold}) {
      for (const double high : {0.0, 1.0, 100.25, 2040.0, 48450.0, kMaxThreshold}) {
        params.low_threshold = low;
        params.high_threshold = high;
        test_thresholds_of(params);
      }
    }
  });
}

// What docs/reference/properties.md gives as the usual ratios.
struct Usual {
  ThresholdMode mode;
  double high, low;
};
constexpr Usual kUsual[] = {{ThresholdMode::kRelative, 0.2, 0.25},
                            {ThresholdMode::kQuantile, 0.7, 0.4},
                            {ThresholdMode::kOtsu, 1.0, 0.5},
                            {ThresholdMode::kMedian, 1.33, 0.5}};

// The smallest shift that brings the operator's largest length below 2048.
int bin_shift(const Params& params) {
  const int a = 255 * reference::gain(params.gradient_operator);
  const bool has_norm = reference::has_norm(params.gradient_operator);
  const double lengths = !has_norm ? 1 : params.norm == Norm::kL1 ? 2 : std::sqrt(2.0);
  return std::max(0, static_cast<int>(std::log2(std::floor(a * lengths))) - 10);
}

void test_measures() {
  for_operators([](Params params) {
    for (const Usual& usual : kUsual) {
      params.threshold_mode = usual.mode;
      for (const double high : {0.0, 0.001, 1.0, canny::kMaxHighRatio}) {
        for (const double low : {0.0, 0.001, canny::kMaxLowRatio}) {
          params.high_ratio = high;
          params.low_ratio = low;
          const Plan plan = plan_of(params);
          const canny::AutoThreshold& automatic = plan.auto_threshold;
          const Plan deep = plan_of(params, PixelFormat::kGray12Le);
          tally.count(plan.has_measured_thresholds() && automatic.mode == usual.mode &&
                          automatic.high_ratio == (high > 0 ? high : usual.high) &&
                          automatic.low_ratio == (low > 0 ? low : usual.low) &&
                          automatic.bin_shift == bin_shift(params) &&
                          deep.auto_threshold.bin_shift == bin_shift(params),
                      "thresholds of mode " + std::to_string(static_cast<int>(usual.mode)) +
                          " with " + std::to_string(high) + ", " + std::to_string(low) + ", " +
                          describe_operator(params));
        }
      }
    }
  });
}

// Red, green and blue count where the format has them.
void test_channels() {
  for (int i = 0; i <= static_cast<int>(cases::kLastInput); ++i) {
    const auto format = static_cast<PixelFormat>(i);
    harness::GuardedFrame frame(3, 2, format, 0, 0, false);
    frame.paint(std::vector<std::uint8_t>(6, 99), 1);
    const bool has_colors = !reference::colors(frame.const_frame()).empty();
    Params params;
    for (const ColorMode mode : {ColorMode::kLuma, ColorMode::kLargestChannel}) {
      params.color_mode = mode;
      const int expected = has_colors && mode == ColorMode::kLargestChannel ? 3 : 1;
      tally.count(plan_of(params, format).channels == expected,
                  "channels of format " + std::to_string(i));
    }
  }
}

Plan plan_of(View view, PixelFormat output = PixelFormat::kGray8) {
  Params params;
  params.view = view;
  params.threshold_mode = ThresholdMode::kOtsu;
  params.color_mode = ColorMode::kLargestChannel;
  params.thin_edges = false;
  params.min_length = 7;
  params.edge_color = 0x12345678;
  return plan_of(params, PixelFormat::kRgb, output);
}

// Which stages a view leaves out.
void test_stages_of_views() {
  struct Expected {
    View view;
    int channels;
    bool has_blur, is_thin, measures;
    unsigned passes, min_length;
  };
  constexpr Expected kExpected[] = {
      {View::kEdges, 3, true, false, true, 0, 7},
      {View::kOverlay, 3, true, false, true, 0, 7},
      {View::kMasked, 3, true, false, true, 0, 7},
      {View::kGradient, 3, true, false, false, 0, 0},
      {View::kSuppressed, 3, true, true, false, 0, 0},
      {View::kDirection, 3, true, false, false, 0, 0},
      {View::kClasses, 3, true, false, true, 0, 0},
      {View::kPasses, 3, true, false, true, 64, 0},
      {View::kLuma, 1, false, false, false, 0, 0},
      {View::kBlurred, 1, true, false, false, 0, 0},
  };
  for (const Expected& expected : kExpected) {
    const Plan plan = plan_of(expected.view);
    const bool measures = plan.auto_threshold.mode == ThresholdMode::kOtsu;
    const std::uint32_t color = expected.view == View::kOverlay ? 0x12345678 : 0;
    tally.count(plan.view == expected.view && plan.channels == expected.channels &&
                    plan.blur.is_identity() != expected.has_blur &&
                    plan.is_thin == expected.is_thin && measures == expected.measures &&
                    plan.passes == expected.passes && plan.min_length == expected.min_length &&
                    plan.edge_color == color,
                "stages of view " + std::to_string(static_cast<int>(expected.view)));
  }
}

// The bytes of pixels that show values, the first one lowest.
void test_palettes() {
  struct Expected {
    View view;
    PixelFormat format;
    int value;
    std::uint32_t pixel;
  };
  constexpr Expected kExpected[] = {
      {View::kGradient, PixelFormat::kGray8, 0x5a, 0x5a},
      {View::kGradient, PixelFormat::kRgb, 0x5a, 0x5a5a5a},
      {View::kLuma, PixelFormat::kXbgr, 0x5a, 0x5a5a5aff},
      {View::kClasses, PixelFormat::kYuy2, 128, 0x8080},
      {View::kClasses, PixelFormat::kUyvy, 255, 0xff80},
      {View::kBlurred, PixelFormat::kAyuv, 1, 0x808001ff},
      {View::kBlurred, PixelFormat::kVuya, 1, 0xff018080},
      {View::kGradient, PixelFormat::kRgb16, 0x87, 0x8430},
      {View::kGradient, PixelFormat::kRgb15, 255, 0x7fff},
      {View::kDirection, PixelFormat::kGray8, 192, 192},
      {View::kDirection, PixelFormat::kRgb, 64, 0x0000ff},
      {View::kDirection, PixelFormat::kBgr, 64, 0xff0000},
      {View::kDirection, PixelFormat::kRgbx, 128, 0xff00ff00},
      {View::kDirection, PixelFormat::kRgbPlanes, 192, 0xff0000},
      {View::kDirection, PixelFormat::kBgr16, 255, 0x07ff},
      {View::kDirection, PixelFormat::kRgb, 0, 0},
      {View::kPasses, PixelFormat::kGray8, 0, 0},
      {View::kPasses, PixelFormat::kGray8, 1, 239},
      {View::kPasses, PixelFormat::kYuy2, 13, 0x802f},
      {View::kPasses, PixelFormat::kGray8, 14, 32},
      {View::kPasses, PixelFormat::kGray8, 64, 32},
      {View::kPasses, PixelFormat::kGray8, 255, 255},
      {View::kPasses, PixelFormat::kRgb, 255, 0xffffff},
      {View::kPasses, PixelFormat::kGray16Le, 1, 0xefef},
      {View::kGradient, PixelFormat::kGray16Le, 0x5a, 0x5a5a},
      {View::kPasses, PixelFormat::kRgb, 1, 0x0000ff},
      {View::kPasses, PixelFormat::kRgb, 2, 0x00ff00},
      {View::kPasses, PixelFormat::kRgb, 3, 0xff0000},
      {View::kPasses, PixelFormat::kRgb, 4, 0x00ffff},
      {View::kPasses, PixelFormat::kRgb, 5, 0xff00ff},
      {View::kPasses, PixelFormat::kRgb, 6, 0xffff00},
      {View::kPasses, PixelFormat::kRgb, 7, 0x0080ff},
      {View::kPasses, PixelFormat::kRgb, 8, 0xff0080},
      {View::kPasses, PixelFormat::kRgb, 9, 0xff8000},
      {View::kPasses, PixelFormat::kRgb, 10, 0x00ff80},
      {View::kPasses, PixelFormat::kRgb, 11, 0x8000ff},
      {View::kPasses, PixelFormat::kRgb, 12, 0x80ff00},
      {View::kPasses, PixelFormat::kRgb, 13, 0x000080},
      {View::kPasses, PixelFormat::kRgb, 14, 0x008000},
      {View::kPasses, PixelFormat::kRgb, 15, 0x800000},
      {View::kPasses, PixelFormat::kRgb, 16, 0x808080},
      {View::kPasses, PixelFormat::kRgb, 64, 0x808080},
  };
  for (const Expected& expected : kExpected) {
    const std::uint32_t pixel =
        plan_of(expected.view, expected.format).palette.pixel[expected.value];
    tally.count(pixel == expected.pixel, "value " + std::to_string(expected.value) + " of view " +
                                             std::to_string(static_cast<int>(expected.view)) +
                                             " in format " +
                                             std::to_string(static_cast<int>(expected.format)));
  }
}

// The bits of floats for bytes.
void test_floats_of_palettes() {
  struct Expected {
    PixelFormat format;
    std::uint32_t of_0, of_1, of_128, of_255;
  };
  constexpr Expected kExpected[] = {
      {PixelFormat::kGrayF32, 0, 0x3b808081, 0x3f008081, 0x3f800000},
      {PixelFormat::kRgbF16, 0, 0x1c04, 0x3804, 0x3c00},
      {PixelFormat::kRgbPlanesBf16, 0, 0x3b81, 0x3f01, 0x3f80},
  };
  for (const Expected& expected : kExpected) {
    const canny::Palette palette = plan_of(View::kDirection, expected.format).palette;
    tally.count(palette.sample[0] == expected.of_0 && palette.sample[1] == expected.of_1 &&
                    palette.sample[128] == expected.of_128 &&
                    palette.sample[255] == expected.of_255,
                "floats of format " + std::to_string(static_cast<int>(expected.format)));
  }
}

// All numbers of a plan. If a member is added to Plan but not here, this does not compile.
std::vector<double> numbers(const Plan& plan) {
  const auto& [input, output, is_deep, channels, blur, op, weights, norm, bounds, is_thin, constant,
               measure, passes, min_length, view, edge_color, palette, measures_stages] = plan;
  const auto& [thresholds, deep_thresholds, low, high] = constant;
  const auto& [gradient, magnitude] = bounds;
  const auto& [low_limit, high_limit] = thresholds;
  const auto& [deep_low, deep_high] = deep_thresholds;
  const auto& [mode, high_ratio, low_ratio, shift] = measure;
  const auto& [form, reach, smooth, difference, east, divisor_shift] = weights;
  std::vector<double> all;
  const auto add = [&](auto... values) { (all.push_back(static_cast<double>(values)), ...); };
  add(input, output, channels, op, norm, gradient, magnitude, is_thin, low_limit, high_limit, low,
      high, mode, high_ratio, low_ratio, shift, passes, min_length, form, reach, divisor_shift,
      view, edge_color, measures_stages, is_deep, deep_low, deep_high);
  all.insert(all.end(), std::begin(smooth), std::end(smooth));
  all.insert(all.end(), std::begin(difference), std::end(difference));
  all.insert(all.end(), std::begin(east), std::end(east));
  all.insert(all.end(), blur.weight, blur.weight + blur.count);
  all.insert(all.end(), std::begin(palette.pixel), std::end(palette.pixel));
  all.insert(all.end(), std::begin(palette.sample), std::end(palette.sample));
  return all;
}

bool same(const Plan& a, const Plan& b) { return numbers(a) == numbers(b); }

// What a plan is made of, and changes of it, one after the other.
struct Inputs {
  Params params;
  PixelFormat input = PixelFormat::kRgb, output = PixelFormat::kGray8;
};
struct Change {
  const char* what;
  bool has_effect;
  void (*make)(Inputs* i);
};
constexpr Change kChanges[] = {
    {"start", true, [](Inputs*) {}},
    {"nothing", false, [](Inputs*) {}},
    {"low threshold", true, [](Inputs* i) { i->params.low_threshold = 10; }},
    {"high threshold", true, [](Inputs* i) { i->params.high_threshold = 200; }},
    {"sigma", true, [](Inputs* i) { i->params.sigma = 3; }},
    {"number of passes", true, [](Inputs* i) { i->params.hysteresis_passes = 4; }},
    {"measuring", true, [](Inputs* i) { i->params.measure_stages = true; }},
    {"no measuring", true, [](Inputs* i) { i->params.measure_stages = false; }},
    {"norm", true, [](Inputs* i) { i->params.norm = Norm::kL1; }},
    {"operator", true, [](Inputs* i) { i->params.gradient_operator = Operator::kScharr; }},
    {"thinness", true, [](Inputs* i) { i->params.thin_edges = false; }},
    {"color mode", true, [](Inputs* i) { i->params.color_mode = ColorMode::kLargestChannel; }},
    {"ratio without effect", false, [](Inputs* i) { i->params.high_ratio = 0.5; }},
    {"mode", true, [](Inputs* i) { i->params.threshold_mode = ThresholdMode::kRelative; }},
    {"high ratio", true, [](Inputs* i) { i->params.high_ratio = 0.25; }},
    {"low ratio", true, [](Inputs* i) { i->params.low_ratio = 0.5; }},
    {"threshold without effect", false, [](Inputs* i) { i->params.low_threshold = 11; }},
    {"minimum length", true, [](Inputs* i) { i->params.min_length = 5; }},
    {"color without effect", false, [](Inputs* i) { i->params.edge_color = 0x80010203; }},
    {"view", true, [](Inputs* i) { i->params.view = View::kOverlay; }},
    {"color", true, [](Inputs* i) { i->params.edge_color = 0x80010204; }},
    {"view of values", true, [](Inputs* i) { i->params.view = View::kPasses; }},
    {"input format", true, [](Inputs* i) { i->input = PixelFormat::kBgrx; }},
    {"output format", true, [](Inputs* i) { i->output = PixelFormat::kRgbx; }},
    {"depth without effect", false, [](Inputs* i) { i->params.luma_depth = canny::LumaDepth::k8; }},
    {"deep input format", true, [](Inputs* i) { i->input = PixelFormat::kGray16Le; }},
    {"depth", true, [](Inputs* i) { i->params.luma_depth = canny::LumaDepth::kFull; }},
};

// The planner's plan always equals a fresh planner's, also after one that it refused.
void test_planner() {
  canny::Planner planner;
  Inputs inputs;
  Plan before;
  const auto check = [&](const char* what, bool has_effect) {
    const Plan* kept = nullptr;
    Plan fresh;
    const auto& [params, input, output] = inputs;
    const bool is_made = planner.plan(params, input, output, &kept).ok() &&
                         make_plan(params, input, output, &fresh).ok();
    tally.count(is_made && same(*kept, fresh) && same(*kept, before) != has_effect,
                std::string("a planner's plan after another ") + what);
    before = fresh;
  };
  for (const Change& change : kChanges) {
    change.make(&inputs);
    check(change.what, change.has_effect);
  }
  Params invalid = inputs.params;
  invalid.sigma = -1;
  const Plan* ignored = nullptr;
  tally.count(!planner.plan(invalid, inputs.input, inputs.output, &ignored).ok(),
              "a plan of an invalid sigma");
  check("refusal", false);
}

}  // namespace

int main() {
  test_taps();
  test_thresholds();
  test_measures();
  test_channels();
  test_stages_of_views();
  test_palettes();
  test_floats_of_palettes();
  test_planner();
  return tally.summary();
}
