// SPDX-License-Identifier: LGPL-2.1-or-later
/// Non-maximum suppression and the double threshold.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reference.h"

namespace reference {
namespace {

/// Whether the pixel's magnitude is a maximum across the edge. gx and gy are at most 1020, so the
/// largest integer here is (13573 + 65536) * 1020 < 2^27.
bool is_maximum(const Gradient& gradient, const Plane<std::int32_t>& magnitude, int x, int y) {
  const auto m = [&](int column, int row) {
    const bool inside =
        column >= 0 && column < magnitude.width && row >= 0 && row < magnitude.height;
    return inside ? magnitude.row(row)[column] : 0;
  };
  const int gx = gradient.gx.row(y)[x];
  const int gy = gradient.gy.row(y)[x];
  const int ax = std::abs(gx);
  const int ay = std::abs(gy) << 15;
  const int t = 13573 * ax;  // 13573 = tan(22.5 degrees) 2^15, and tan(67.5) = tan(22.5) + 2
  if (ay < t) return m(x, y) > m(x - 1, y) && m(x, y) >= m(x + 1, y);
  if (ay > t + (ax << 16)) return m(x, y) > m(x, y - 1) && m(x, y) >= m(x, y + 1);
  const int s = (gx ^ gy) < 0 ? -1 : 1;
  return m(x, y) > m(x - s, y - 1) && m(x, y) > m(x + s, y + 1);
}

}  // namespace

Thresholds thresholds(const canny::Params& params) {
  double low = std::min(params.low_threshold, params.high_threshold);
  double high = std::max(params.low_threshold, params.high_threshold);
  if (params.norm == canny::Norm::kL2) {
    low = std::min(low, 32767.0);
    high = std::min(high, 32767.0);
    if (low > 0) low *= low;
    if (high > 0) high *= high;
  }
  return {int(std::floor(low)), int(std::floor(high))};
}

Candidates suppress(const Gradient& gradient, const Plane<std::int32_t>& magnitude,
                    Thresholds thresholds) {
  const int width = magnitude.width;
  const int height = magnitude.height;
  Candidates result{{width, height}, {width, height}};
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      const int m = magnitude.row(y)[x];
      if (m <= thresholds.low || !is_maximum(gradient, magnitude, x, y)) continue;
      result.candidate.row(y)[x] = 1;
      result.strong.row(y)[x] = m > thresholds.high;
    }
  }
  return result;
}

}  // namespace reference
