// SPDX-License-Identifier: LGPL-2.1-or-later
/// The positions of a slider for numbers of any range.
#pragma once

#include "tools/property.h"

namespace tuner {

/// The position of a value, from 0 (minimum) to 1 (maximum). Where the usual values are a small
/// part of the range, they get the larger part of the slider.
double slider_position(const Property& property, double value);

/// The value at a position, rounded to three digits or to an integer.
double slider_value(const Property& property, double position);

}  // namespace tuner
