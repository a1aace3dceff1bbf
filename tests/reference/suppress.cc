// SPDX-License-Identifier: LGPL-2.1-or-later
/// Non-maximum suppression and the double threshold.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reference.h"

namespace reference {
namespace {

/// Whether the pixel's magnitude is a maximum across the edge.
bool is_maximum(const Gradient& gradient, const Magnitudes& magnitude, int x, int y) {
  const auto m = [&](int column, int row) {
    const bool inside =
        column >= 0 && column < magnitude.width && row >= 0 && row < magnitude.height;
    return inside ? magnitude.row(row)[column] : std::int64_t{0};
  };
  const Offset step = step_of(sector(gradient.gx.row(y)[x], gradient.gy.row(y)[x]));
  const std::int64_t here = m(x, y), after = m(x + step.x, y + step.y);
  const bool is_diagonal = step.x != 0 && step.y != 0;
  return here > m(x - step.x, y - step.y) && (is_diagonal ? here > after : here >= after);
}

}  // namespace

Sector sector(int gx, int gy) {
  const std::int64_t ax = std::abs(gx);
  const std::int64_t ay = std::int64_t{std::abs(gy)} << 15;
  const std::int64_t t =
      13573 * ax;  // 13573 = tan(22.5 degrees) 2^15, and tan(67.5) = tan(22.5) + 2
  if (ay < t) return Sector::kHorizontal;
  if (ay > t + (ax << 16)) return Sector::kVertical;
  return (gx ^ gy) < 0 ? Sector::kRising : Sector::kFalling;
}

Offset step_of(Sector sector) {
  constexpr Offset kSteps[] = {{1, 0}, {1, 1}, {0, 1}, {1, -1}};  // by Sector
  return kSteps[int(sector)];
}

Thresholds thresholds(const canny::Params& params, int unit) {
  return thresholds(params.low_threshold, params.high_threshold, params.norm,
                    params.gradient_operator, unit);
}

Thresholds thresholds(double first, double second, canny::Norm norm, Operator op, int unit) {
  double low = std::min(first, second);
  double high = std::max(first, second);
  if (op == Operator::kSobel7) {
    low /= 16;
    high /= 16;
  }
  const bool is_squared = norm == canny::Norm::kL2 && has_norm(op);
  if (is_squared) {
    low = std::min(low, 32767.0);
    high = std::min(high, 32767.0);
  }
  low *= unit;
  high *= unit;
  if (is_squared) {
    if (low > 0) low *= low;
    if (high > 0) high *= high;
  }
  return {std::int64_t(std::floor(low)), std::int64_t(std::floor(high))};
}

Candidates suppress(const Gradient& gradient, const Magnitudes& magnitude, Thresholds thresholds,
                    bool is_thin) {
  const int width = magnitude.width;
  const int height = magnitude.height;
  Candidates result{{width, height}, {width, height}};
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      const std::int64_t m = magnitude.row(y)[x];
      if (m <= thresholds.low || (is_thin && !is_maximum(gradient, magnitude, x, y))) continue;
      result.candidate.row(y)[x] = 1;
      result.strong.row(y)[x] = m > thresholds.high;
    }
  }
  return result;
}

}  // namespace reference
