// SPDX-License-Identifier: LGPL-2.1-or-later
/// Which properties have no effect because of the value of another one.
#pragma once

#include <gst/gst.h>

#include <string>

#include "tools/property.h"

namespace tuner {

/// The properties `names` have no effect while `other` has one of `values`. Spaces separate both.
struct Unused {
  const char* names;
  const char* other;
  const char* values;
};

inline constexpr Unused kUnused[] = {
    {"low-threshold high-threshold", "threshold-mode", "relative quantile otsu median"},
    {"high-ratio low-ratio", "threshold-mode", "absolute"},
    {"norm", "operator", "robinson kirsch"},
    {"sigma", "output", "luma"},
    {"color-mode operator norm", "output", "luma blurred"},
    {"low-threshold high-threshold threshold-mode high-ratio low-ratio thin-edges "
     "roi-mode roi-type roi-min-confidence roi-margin roi",
     "output", "gradient suppressed direction luma blurred"},
    {"hysteresis-passes", "output", "gradient suppressed direction classes luma blurred"},
    {"min-length contours contour-precision components", "output",
     "gradient suppressed direction classes passes luma blurred"},
    {"edge-color", "output",
     "edges masked gradient suppressed direction classes passes luma blurred"},
    {"roi-type roi-min-confidence roi-margin", "roi-mode", "none"},
    {"cuda-device-id", "backend", "cpu opencl"},
    {"opencl-device", "backend", "cpu cuda"},
};

/// Whether the row names the property.
bool is_of(const Unused& row, const Property& property);

/// Whether the row holds for the element's settings.
bool is_in_force(GstElement* element, const Unused& row);

/// Whether the property has an effect with the element's settings.
bool has_effect(GstElement* element, const Property& property);

}  // namespace tuner
