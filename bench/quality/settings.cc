// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists settings.
#include "settings.h"

#include <cctype>
#include <cstdio>

#include "reference.h"

namespace quality {
namespace {

using canny::Norm;
using canny::Operator;
using canny::Params;
using canny::ThresholdMode;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

Setting with_thresholds(std::string name, Params params, double low, double high) {
  params.low_threshold = low;
  params.high_threshold = high;
  return {name + " low-threshold=" + number(low) + " high-threshold=" + number(high), params};
}

Setting blurred(double sigma) {
  Params params;
  params.sigma = sigma;
  return {"sigma=" + number(sigma), params};
}

/// Blurs so much that gradients stay below the default thresholds.
Setting blurred(double sigma, double low, double high) {
  const Setting setting = blurred(sigma);
  return with_thresholds(setting.name, setting.params, low, high);
}

/// The default thresholds, times the gain of the operator over that of `sobel`.
Setting with_operator(const char* name, Operator op) {
  Params params;
  params.gradient_operator = op;
  // Thresholds of sobel-7 count before its division by 16.
  const double gain = reference::gain(op) * (op == Operator::kSobel7 ? 16 : 1);
  const double times = gain / reference::gain(Operator::kSobel);
  return with_thresholds(std::string("operator=") + name, params, times * params.low_threshold,
                         times * params.high_threshold);
}

Setting with_mode(const char* name, ThresholdMode mode) {
  Params params;
  params.threshold_mode = mode;
  return {std::string("threshold-mode=") + name, params};
}

std::vector<Setting> other_settings() {
  Params l1, thick, passes, longer;
  l1.norm = Norm::kL1;
  thick.thin_edges = false;
  passes.hysteresis_passes = 1;
  longer.min_length = 20;
  return {{"norm=l1", l1},
          {"thin-edges=false", thick},
          {"hysteresis-passes=1", passes},
          {"min-length=20", longer}};
}

}  // namespace

std::vector<Setting> rated_settings() {
  std::vector<Setting> settings = {{"default", {}},
                                   blurred(0),
                                   blurred(1),
                                   blurred(2),
                                   blurred(4, 20, 60),
                                   with_operator("sobel-5", Operator::kSobel5),
                                   with_operator("sobel-7", Operator::kSobel7),
                                   with_operator("scharr", Operator::kScharr),
                                   with_operator("prewitt", Operator::kPrewitt),
                                   with_operator("kroon", Operator::kKroon),
                                   with_operator("roberts", Operator::kRoberts),
                                   with_operator("robinson", Operator::kRobinson),
                                   with_operator("kirsch", Operator::kKirsch),
                                   with_mode("relative", ThresholdMode::kRelative),
                                   with_mode("quantile", ThresholdMode::kQuantile),
                                   with_mode("otsu", ThresholdMode::kOtsu),
                                   with_mode("median", ThresholdMode::kMedian)};
  for (const Setting& setting : other_settings()) settings.push_back(setting);
  return settings;
}

std::vector<Setting> opencv_settings() {
  Params without_blur;
  without_blur.sigma = 0;
  without_blur.norm = Norm::kL1;
  return {{"default", {}},
          {"sigma=0 norm=l1", without_blur},
          {"sigma=4", blurred(4, 20, 60).params},
          {"sobel-5", with_operator("sobel-5", Operator::kSobel5).params},
          {"sobel-7", with_operator("sobel-7", Operator::kSobel7).params}};
}

std::string key_of(const std::string& name) {
  std::string key;
  for (const char c : name) key += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return key;
}

}  // namespace quality
