// SPDX-License-Identifier: LGPL-2.1-or-later
/// Places of edges between pixels.
#include <cmath>

#include "reference.h"

namespace reference {

Offset offset(const canny::Params& params, const Response& response, int x, int y) {
  if (!params.thin_edges) return {};
  const bool is_squared = params.norm == canny::Norm::kL2 && has_norm(params.gradient_operator);
  const Magnitudes& all = response.magnitude;
  const auto length = [&](int column, int row) {
    const bool inside = column >= 0 && column < all.width && row >= 0 && row < all.height;
    const double m = inside ? double(all.row(row)[column]) : 0;
    return is_squared ? std::sqrt(m) : m;
  };
  const Offset step =
      step_of(sector(response.direction.gx.row(y)[x], response.direction.gy.row(y)[x]));
  const double before = length(x - step.x, y - step.y);
  const double here = length(x, y);
  const double after = length(x + step.x, y + step.y);
  const double denominator = 2 * (before - 2 * here + after);
  const double d = denominator == 0 ? 0 : 256 * ((before - after) / denominator);
  const int rounded = int(std::nearbyint(d));  // halves to even
  return {step.x * rounded, step.y * rounded};
}

}  // namespace reference
