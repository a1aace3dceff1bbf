// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of settings. Names, ranges and defaults are those of the element's properties.
#include "settings.h"

#include <climits>
#include <cstddef>
#include <string>

#include "argument.h"

namespace mex {
namespace {

using canny::Backend;
using canny::ColorMode;
using canny::LumaDepth;
using canny::Norm;
using canny::Operator;
using canny::ThresholdMode;

constexpr int kMaxThreads = 1024;  ///< largest Options::threads

template <class T>
struct Choice {
  const char* name;
  T value;
};

template <class T, std::size_t kCount>
T choose(const Argument& argument, const Choice<T> (&choices)[kCount]) {
  std::string needed;
  for (const Choice<T>& choice : choices) {
    if (argument.is(choice.name)) return choice.value;
    needed += (needed.empty() ? "one of \"" : ", \"") + std::string(choice.name) + '"';
  }
  argument.fail(needed);
}

constexpr Choice<Backend> kBackends[] = {
    {"auto", Backend::kAuto}, {"cuda", Backend::kCuda}, {"cpu", Backend::kCpu}};
constexpr Choice<ColorMode> kColorModes[] = {{"luma", ColorMode::kLuma},
                                             {"largest-channel", ColorMode::kLargestChannel}};
constexpr Choice<LumaDepth> kLumaDepths[] = {{"full", LumaDepth::kFull}, {"8", LumaDepth::k8}};
constexpr Choice<Norm> kNorms[] = {{"l2", Norm::kL2}, {"l1", Norm::kL1}};
constexpr Choice<Operator> kOperators[] = {
    {"sobel", Operator::kSobel},     {"sobel-5", Operator::kSobel5},
    {"sobel-7", Operator::kSobel7},  {"scharr", Operator::kScharr},
    {"prewitt", Operator::kPrewitt}, {"kroon", Operator::kKroon},
    {"roberts", Operator::kRoberts}, {"robinson", Operator::kRobinson},
    {"kirsch", Operator::kKirsch}};
constexpr Choice<ThresholdMode> kThresholdModes[] = {{"absolute", ThresholdMode::kAbsolute},
                                                     {"relative", ThresholdMode::kRelative},
                                                     {"quantile", ThresholdMode::kQuantile},
                                                     {"otsu", ThresholdMode::kOtsu},
                                                     {"median", ThresholdMode::kMedian}};

struct Row {
  const char* name;
  void (*set)(const Argument& argument, Settings* settings);
};

constexpr Row kRows[] = {
    {"low-threshold",
     [](const Argument& argument, Settings* settings) {
       settings->params.low_threshold = argument.number(0, canny::kMaxThreshold);
     }},
    {"high-threshold",
     [](const Argument& argument, Settings* settings) {
       settings->params.high_threshold = argument.number(0, canny::kMaxThreshold);
     }},
    {"hysteresis-passes",
     [](const Argument& argument, Settings* settings) {
       settings->params.hysteresis_passes =
           static_cast<unsigned>(argument.integer(0, canny::kMaxHysteresisPasses));
     }},
    {"threshold-mode",
     [](const Argument& argument, Settings* settings) {
       settings->params.threshold_mode = choose(argument, kThresholdModes);
     }},
    {"high-ratio",
     [](const Argument& argument, Settings* settings) {
       settings->params.high_ratio = argument.number(0, canny::kMaxHighRatio);
     }},
    {"low-ratio",
     [](const Argument& argument, Settings* settings) {
       settings->params.low_ratio = argument.number(0, canny::kMaxLowRatio);
     }},
    {"sigma",
     [](const Argument& argument, Settings* settings) {
       settings->params.sigma = argument.number(0, canny::kMaxSigma);
     }},
    {"color-mode",
     [](const Argument& argument, Settings* settings) {
       settings->params.color_mode = choose(argument, kColorModes);
     }},
    {"luma-depth",
     [](const Argument& argument, Settings* settings) {
       settings->params.luma_depth = choose(argument, kLumaDepths);
     }},
    {"operator",
     [](const Argument& argument, Settings* settings) {
       settings->params.gradient_operator = choose(argument, kOperators);
     }},
    {"norm", [](const Argument& argument,
                Settings* settings) { settings->params.norm = choose(argument, kNorms); }},
    {"thin-edges", [](const Argument& argument,
                      Settings* settings) { settings->params.thin_edges = argument.flag(); }},
    {"min-length",
     [](const Argument& argument, Settings* settings) {
       settings->params.min_length =
           static_cast<unsigned>(argument.integer(0, canny::kMaxMinLength));
     }},
    {"backend",
     [](const Argument& argument, Settings* settings) {
       settings->options.backend = choose(argument, kBackends);
     }},
    {"cuda-device-id",
     [](const Argument& argument, Settings* settings) {
       settings->options.cuda_device = static_cast<int>(argument.integer(-1, INT_MAX));
     }},
    {"n-threads",
     [](const Argument& argument, Settings* settings) {
       settings->options.threads = static_cast<unsigned>(argument.integer(0, kMaxThreads));
     }},
};

const Row* row_of(const std::string& name) {
  std::string names;
  for (const Row& row : kRows) {
    if (name == row.name) return &row;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw Error{"name", "there is no setting \"" + name + "\"; the settings are " + names};
}

/// The settings that have places, in their order.
struct Place {
  const char* name;  ///< in Luo and Duraiswami, section 3.2
  const char* setting;
};
constexpr Place kPlaces[] = {
    {"thresL", "low-threshold"}, {"thresH", "high-threshold"}, {"hyster", "hysteresis-passes"}};

}  // namespace

Settings settings_of(int count, const mxArray* const* arguments) {
  Settings settings;
  int next = 0;
  for (const Place& place : kPlaces) {
    if (next == count || mxIsChar(arguments[next])) break;
    const mxArray* array = arguments[next++];
    if (!mxIsEmpty(array)) row_of(place.setting)->set({place.name, array}, &settings);
  }
  for (; next < count; next += 2) {
    if (!mxIsChar(arguments[next])) {
      throw Error{"name", "argument " + std::to_string(next + 2) +
                              " must be the name of a setting, but is a " +
                              describe(arguments[next])};
    }
    const Row* row = row_of(text_of(arguments[next]));
    if (next + 1 == count) {
      throw Error{"name", std::string(row->name) + " needs a value after its name"};
    }
    row->set({row->name, arguments[next + 1]}, &settings);
  }
  return settings;
}

}  // namespace mex
