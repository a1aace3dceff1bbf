// SPDX-License-Identifier: LGPL-2.1-or-later
// Averages the gradients of an image.
#include "average_gradient.h"

#include <cmath>
#include <cstdint>

namespace quality {

double average_gradient(const cv::Mat& image) {
  if (image.rows < 2 || image.cols < 2) return 0;
  double sum = 0;
  for (int y = 0; y + 1 < image.rows; ++y) {
    const auto* row = image.ptr<std::uint8_t>(y);
    const auto* below = image.ptr<std::uint8_t>(y + 1);
    for (int x = 0; x + 1 < image.cols; ++x) {
      const int dx = row[x + 1] - row[x], dy = below[x] - row[x];
      sum += std::sqrt((dx * dx + dy * dy) / 2.0);
    }
  }
  return sum / (double(image.rows - 1) * (image.cols - 1));
}

}  // namespace quality
