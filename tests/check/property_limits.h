// SPDX-License-Identifier: LGPL-2.1-or-later
/// What a property may hold, as numbers, whatever its type.
#pragma once

#include <gst/gst.h>

namespace check {

struct Limits {
  double minimum, maximum, preset;
};

/// Of a property that is a number, an enum or a boolean.
inline Limits limits(GParamSpec* pspec) {
  if (G_IS_PARAM_SPEC_DOUBLE(pspec)) {
    auto* number = G_PARAM_SPEC_DOUBLE(pspec);
    return {number->minimum, number->maximum, number->default_value};
  }
  if (G_IS_PARAM_SPEC_INT(pspec)) {
    auto* number = G_PARAM_SPEC_INT(pspec);
    return {double(number->minimum), double(number->maximum), double(number->default_value)};
  }
  if (G_IS_PARAM_SPEC_UINT(pspec)) {
    auto* number = G_PARAM_SPEC_UINT(pspec);
    return {double(number->minimum), double(number->maximum), double(number->default_value)};
  }
  if (G_IS_PARAM_SPEC_BOOLEAN(pspec)) {
    return {0, 1, double(G_PARAM_SPEC_BOOLEAN(pspec)->default_value)};
  }
  if (!G_IS_PARAM_SPEC_ENUM(pspec)) g_error("property %s has a type of its own", pspec->name);
  auto* choice = G_PARAM_SPEC_ENUM(pspec);
  return {double(choice->enum_class->minimum), double(choice->enum_class->maximum),
          double(choice->default_value)};
}

}  // namespace check
