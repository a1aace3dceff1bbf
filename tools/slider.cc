// SPDX-License-Identifier: LGPL-2.1-or-later
/// Maps values to positions by a power that puts a usual value at a fixed place.
#include "tools/slider.h"

#include <algorithm>
#include <cmath>

namespace tuner {

namespace {

constexpr double kUsualPosition = 0.4;

/// The share of the range up to a usual value: the default or, if this is the minimum of a large
/// range, its root.
double usual_share(const Property& property) {
  const double range = property.maximum - property.minimum;
  const double initial = property.initial - property.minimum;
  if (initial > 0) return initial / range;
  return range > 1000 ? std::sqrt(range) / range : kUsualPosition;
}

double exponent(const Property& property) {
  const double share = usual_share(property);
  return share < kUsualPosition ? std::log(share) / std::log(kUsualPosition) : 1.0;
}

double rounded(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
  // Division by an integer gives the double that is nearest to the decimal number.
  return unit < 1 ? std::round(value / unit) / std::round(1 / unit)
                  : std::round(value / unit) * unit;
}

}  // namespace

double slider_position(const Property& property, double value) {
  const double share = (value - property.minimum) / (property.maximum - property.minimum);
  return std::pow(std::clamp(share, 0.0, 1.0), 1 / exponent(property));
}

double slider_value(const Property& property, double position) {
  const double range = property.maximum - property.minimum;
  const double share = std::pow(std::clamp(position, 0.0, 1.0), exponent(property));
  const double value = property.minimum + share * range;
  const double near = property.is_whole ? std::round(value) : rounded(value);
  return std::clamp(near, property.minimum, property.maximum);
}

}  // namespace tuner
