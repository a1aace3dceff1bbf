// SPDX-License-Identifier: LGPL-2.1-or-later
/// Which properties have no effect because of the value of another one.
#pragma once

#include <gst/gst.h>

#include <string>

#include "tools/property.h"

namespace tuner {

/// The property `name` has no effect while `other` has one of `values`, which spaces separate.
struct Unused {
  const char* name;
  const char* other;
  const char* values;
};

inline constexpr const char* kWithoutThresholds = "gradient suppressed direction luma blurred";
inline constexpr const char* kWithoutEdges =
    "gradient suppressed direction classes passes luma blurred";

inline constexpr Unused kUnused[] = {
    {"low-threshold", "threshold-mode", "relative quantile otsu median"},
    {"low-threshold", "output", kWithoutThresholds},
    {"high-threshold", "threshold-mode", "relative quantile otsu median"},
    {"high-threshold", "output", kWithoutThresholds},
    {"threshold-mode", "output", kWithoutThresholds},
    {"high-ratio", "threshold-mode", "absolute"},
    {"high-ratio", "output", kWithoutThresholds},
    {"low-ratio", "threshold-mode", "absolute"},
    {"low-ratio", "output", kWithoutThresholds},
    {"sigma", "output", "luma"},
    {"color-mode", "output", "luma blurred"},
    {"operator", "output", "luma blurred"},
    {"norm", "operator", "robinson kirsch"},
    {"norm", "output", "luma blurred"},
    {"thin-edges", "output", kWithoutThresholds},
    {"hysteresis-passes", "output", "gradient suppressed direction classes luma blurred"},
    {"min-length", "output", kWithoutEdges},
    {"edge-color", "output",
     "edges masked gradient suppressed direction classes passes luma blurred"},
    {"roi-mode", "output", kWithoutThresholds},
    {"roi-type", "output", kWithoutThresholds},
    {"roi-type", "roi-mode", "none"},
    {"roi-min-confidence", "output", kWithoutThresholds},
    {"roi-min-confidence", "roi-mode", "none"},
    {"roi-margin", "output", kWithoutThresholds},
    {"roi-margin", "roi-mode", "none"},
    {"roi", "output", kWithoutThresholds},
    {"cuda-device-id", "backend", "cpu opencl"},
    {"opencl-device", "backend", "cpu cuda"},
    {"n-threads", "backend", "cuda opencl"},
    {"contours", "output", kWithoutEdges},
    {"contour-precision", "output", kWithoutEdges},
    {"components", "output", kWithoutEdges},
};

/// Whether the row holds for the element's settings.
bool is_in_force(GstElement* element, const Unused& row);

/// Whether the property has an effect with the element's settings.
bool has_effect(GstElement* element, const Property& property);

}  // namespace tuner
