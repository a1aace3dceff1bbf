// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of settings. Names, ranges and defaults are those of the element's properties.
#include "settings.h"

#include <climits>
#include <string>

#include "argument.h"

namespace mex {
namespace {

/// The enumerator that the argument names.
template <class Enum>
Enum choose(const Argument& argument) {
  std::string needed;
  for (int i = 0; const char* name = canny::name(static_cast<Enum>(i)); ++i) {
    if (argument.is(name)) return static_cast<Enum>(i);
    needed += (needed.empty() ? "one of \"" : ", \"") + std::string(name) + '"';
  }
  argument.fail(needed);
}

struct Row {
  const char* name;
  void (*set)(const Argument& argument, Settings* settings);
};

constexpr Row kRows[] = {
    {"low-threshold",
     [](const Argument& argument, Settings* settings) {
       settings->params.low_threshold = argument.number(0, canny::kMaxThreshold);
       settings->has_low = true;
     }},
    {"high-threshold",
     [](const Argument& argument, Settings* settings) {
       settings->params.high_threshold = argument.number(0, canny::kMaxThreshold);
       settings->has_high = true;
     }},
    {"hysteresis-passes",
     [](const Argument& argument, Settings* settings) {
       settings->params.hysteresis_passes =
           static_cast<unsigned>(argument.integer(0, canny::kMaxHysteresisPasses));
     }},
    {"threshold-mode",
     [](const Argument& argument, Settings* settings) {
       settings->params.threshold_mode = choose<canny::ThresholdMode>(argument);
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
       settings->params.color_mode = choose<canny::ColorMode>(argument);
     }},
    {"luma-depth",
     [](const Argument& argument, Settings* settings) {
       settings->params.luma_depth = choose<canny::LumaDepth>(argument);
     }},
    {"operator",
     [](const Argument& argument, Settings* settings) {
       settings->params.gradient_operator = choose<canny::Operator>(argument);
     }},
    {"norm", [](const Argument& argument,
                Settings* settings) { settings->params.norm = choose<canny::Norm>(argument); }},
    {"thin-edges", [](const Argument& argument,
                      Settings* settings) { settings->params.thin_edges = argument.flag(); }},
    {"min-length",
     [](const Argument& argument, Settings* settings) {
       settings->params.min_length =
           static_cast<unsigned>(argument.integer(0, canny::kMaxMinLength));
     }},
    {"backend",
     [](const Argument& argument, Settings* settings) {
       settings->options.backend = choose<canny::Backend>(argument);
     }},
    {"cuda-device-id",
     [](const Argument& argument, Settings* settings) {
       settings->options.cuda_device = static_cast<int>(argument.integer(-1, INT_MAX));
     }},
    {"opencl-device",
     [](const Argument& argument, Settings* settings) {
       settings->options.opencl_device = argument.text();
     }},
    {"n-threads",
     [](const Argument& argument, Settings* settings) {
       settings->options.threads = static_cast<unsigned>(argument.integer(0, canny::kMaxThreads));
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

/// A threshold that was not set follows the one that was.
void follow(Settings* settings) {
  canny::Params& params = settings->params;
  if (settings->has_low && !settings->has_high)
    params.high_threshold = canny::high_threshold_for(params.low_threshold);
  if (settings->has_high && !settings->has_low)
    params.low_threshold = canny::low_threshold_for(params.high_threshold);
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
  follow(&settings);
  return settings;
}

}  // namespace mex
