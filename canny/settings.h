// SPDX-License-Identifier: LGPL-2.1-or-later
/// \file
/// The members of Params and Options as tables, for programs that offer them by name. The element's
/// properties, the arguments of the modules for Python and Octave, and the checks of
/// Detector::detect() follow these tables.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "canny.h"

namespace canny {

/// A member of Object, whose initial value is its default.
template <class Object, class... Types>
struct BasicSetting {
  const char* name;         ///< of the element's property
  const char* title;        ///< for a label
  const char* member_name;  ///< in C++
  std::variant<Types Object::*...> member;
  double minimum, maximum;  ///< of a number, both valid; 0 for other types
  const char* meaning;      ///< a sentence without its period; it states the unit and what 0 means
};

using Setting = BasicSetting<Params, double, unsigned, bool, Norm, Operator, ColorMode, LumaDepth,
                             ThresholdMode, View>;
using Option = BasicSetting<Options, unsigned, int, std::string, Backend>;

/// All members of Params.
inline constexpr Setting kSettings[] = {
    {"low-threshold", "Low threshold", "low_threshold", &Params::low_threshold, 0, kMaxThreshold,
     "Gradient magnitude that every edge pixel exceeds; unless set, a third of the high threshold, "
     "or the operator's default"},
    {"high-threshold", "High threshold", "high_threshold", &Params::high_threshold, 0,
     kMaxThreshold,
     "Gradient magnitude that a pixel of every edge exceeds; unless set, 3 times the low "
     "threshold, or the operator's default"},
    {"threshold-mode", "Threshold mode", "threshold_mode", &Params::threshold_mode, 0, 0,
     "Source of the thresholds: two numbers (absolute), or a measurement in each frame"},
    {"high-ratio", "High ratio", "high_ratio", &Params::high_ratio, 0, kMaxHighRatio,
     "Factor for measured thresholds; 0 = relative 0.2, quantile 0.7, otsu 1, median 1.33"},
    {"low-ratio", "Low ratio", "low_ratio", &Params::low_ratio, 0, kMaxLowRatio,
     "Ratio of the low to the high measured threshold; 0 = relative 0.25, quantile 0.4, otsu and "
     "median 0.5"},
    {"sigma", "Sigma", "sigma", &Params::sigma, 0, kMaxSigma,
     "Standard deviation of the Gaussian blur in pixels; 0 = no blur"},
    {"color-mode", "Color mode", "color_mode", &Params::color_mode, 0, 0,
     "Whether the gradient is that of the luma, or the largest one of red, green and blue"},
    {"luma-depth", "Luma depth", "luma_depth", &Params::luma_depth, 0, 0,
     "Bits that count in input of more than 8 bits: all of them, or the highest 8"},
    {"operator", "Operator", "gradient_operator", &Params::gradient_operator, 0, 0,
     "Operator that computes the gradient; it sets the unit and the defaults of the thresholds"},
    {"norm", "Norm", "norm", &Params::norm, 0, 0,
     "Norm of the gradient: root of the sum of squares (l2) or sum of absolute values (l1)"},
    {"thin-edges", "Thin edges", "thin_edges", &Params::thin_edges, 0, 0,
     "Whether non-maximum suppression thins the edges"},
    {"hysteresis-passes", "Hysteresis passes", "hysteresis_passes", &Params::hysteresis_passes, 0,
     kMaxHysteresisPasses,
     "Passes in which edges grow within tiles of 32x32 pixels; 0 = until nothing changes"},
    {"min-length", "Minimum length", "min_length", &Params::min_length, 0, kMaxMinLength,
     "Connected pixels below which an edge is removed; 0 = keep all edges"},
    {"output", "Output", "view", &Params::view, 0, 0,
     "Contents of the output: edges, the input with them (overlay) or only there (masked), or a "
     "stage"},
    {"edge-color", "Edge color", "edge_color", &Params::edge_color, 0, 0xffffffff,
     "Color of edges in an overlay: 0xAARRGGBB; an alpha of 0xff covers the input"},
    {"measure-stages", "Measure stages", "measure_stages", &Params::measure_stages, 0, 0,
     "Whether the times of the stages and numbers of pixels are measured, which takes time"},
};

/// The members of Options that are no pointers.
inline constexpr Option kOptions[] = {
    {"backend", "Backend", "backend", &Options::backend, 0, 0,
     "Backend that detects the edges; auto = CUDA if a usable device is found, else OpenCL on a "
     "GPU, else the CPU"},
    {"cuda-device-id", "CUDA device id", "cuda_device", &Options::cuda_device, -1, 2147483647,
     "Number of the CUDA device; -1 = the first usable one"},
    {"opencl-device", "OpenCL device", "opencl_device", &Options::opencl_device, 0, 0,
     "Number of the OpenCL device in the order of clinfo -l, or a part of its name; empty = the "
     "first GPU"},
    {"n-threads", "Threads", "threads", &Options::threads, 0, kMaxThreads,
     "Number of threads of the CPU backend, and for contours and components; 0 = one for each "
     "core"},
};

/// The member of a table's row as a constant: params.*kMember<kSettings, 0> is
/// params.low_threshold.
template <const auto& kTable, std::size_t kRow>
inline constexpr auto kMember = std::get<kTable[kRow].member.index()>(kTable[kRow].member);

/// Sets both thresholds to the defaults for the gradient operator: those of kSobel, times the ratio
/// of the operators' largest responses to the same step.
CANNY_API void set_default_thresholds(Params* params) noexcept;

/// Sets a threshold that was not chosen by the one that was: in the ratio of the defaults, at most
/// kMaxThreshold. If none was chosen, both are the defaults for the gradient operator.
inline void complete_thresholds(bool is_low_chosen, bool is_high_chosen, Params* params) noexcept {
  if (!is_low_chosen && !is_high_chosen) set_default_thresholds(params);
  constexpr Params kDefaults;
  constexpr double kRatio = kDefaults.high_threshold / kDefaults.low_threshold;
  if (is_low_chosen && !is_high_chosen) {
    const double high = params->low_threshold * kRatio;
    params->high_threshold = high > kMaxThreshold ? kMaxThreshold : high;
  }
  if (is_high_chosen && !is_low_chosen) params->low_threshold = params->high_threshold / kRatio;
}

/// The enumerator that name() calls `text`, if there is one.
template <class Enum>
std::optional<Enum> find(std::string_view text) {
  for (int i = 0; const char* each = name(static_cast<Enum>(i)); ++i) {
    if (text == each) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// The names of all enumerators, in quotes, with commas in between.
template <class Enum>
std::string names() {
  std::string all;
  for (int i = 0; const char* each = name(static_cast<Enum>(i)); ++i)
    all += (all.empty() ? "\"" : ", \"") + std::string(each) + '"';
  return all;
}

}  // namespace canny
