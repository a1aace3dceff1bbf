// SPDX-License-Identifier: LGPL-2.1-or-later
/// The Sobel operator, and the magnitude of its gradient.
#include <algorithm>
#include <cstdlib>

#include "reference.h"

namespace reference {
namespace {

/// aaa|abcd|ddd
int replicate(int i, int size) { return std::clamp(i, 0, size - 1); }

template <class Sample>
Gradient sobel_of(const Plane<Sample>& image) {
  const int width = image.width;
  const int height = image.height;
  Gradient gradient{{width, height}, {width, height}};
  for (int y = 0; y < height; y++) {
    const Sample* above = image.row(replicate(y - 1, height));
    const Sample* here = image.row(y);
    const Sample* below = image.row(replicate(y + 1, height));
    for (int x = 0; x < width; x++) {
      const int l = replicate(x - 1, width);
      const int r = replicate(x + 1, width);
      gradient.gx.row(y)[x] =
          (above[r] + 2 * here[r] + below[r]) - (above[l] + 2 * here[l] + below[l]);
      gradient.gy.row(y)[x] =
          (below[l] + 2 * below[x] + below[r]) - (above[l] + 2 * above[x] + above[r]);
    }
  }
  return gradient;
}

}  // namespace

Gradient sobel(const Bytes& image) { return sobel_of(image); }
Gradient sobel(const Words& image) { return sobel_of(image); }

Magnitudes magnitude(const Gradient& gradient, canny::Norm norm) {
  Magnitudes result(gradient.gx.width, gradient.gx.height);
  for (std::size_t i = 0; i < result.samples.size(); i++) {
    const std::int64_t gx = gradient.gx.samples[i];
    const std::int64_t gy = gradient.gy.samples[i];
    result.samples[i] = norm == canny::Norm::kL2 ? gx * gx + gy * gy : std::abs(gx) + std::abs(gy);
  }
  return result;
}

}  // namespace reference
