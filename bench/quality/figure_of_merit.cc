// SPDX-License-Identifier: LGPL-2.1-or-later
// Computes Pratt's figure of merit.
#include "figure_of_merit.h"

#include <algorithm>
#include <cstdint>

#include "distance.h"

namespace quality {
namespace {

/// The usual weight of squared distances, that of Abdou and Pratt: an edge that is one pixel off
/// counts 0.9.
constexpr double kAlpha = 1.0 / 9;

}  // namespace

double figure_of_merit(const cv::Mat& found, const cv::Mat& truth) {
  const int found_count = cv::countNonZero(found), true_count = cv::countNonZero(truth);
  if (found_count == 0 || true_count == 0) return found_count == true_count ? 1 : 0;
  const cv::Mat distance = distances(truth);
  double sum = 0;
  for (int y = 0; y < found.rows; ++y) {
    for (int x = 0; x < found.cols; ++x) {
      if (found.at<std::uint8_t>(y, x) == 0) continue;
      const double d = distance.at<float>(y, x);
      sum += 1 / (1 + kAlpha * d * d);
    }
  }
  return sum / std::max(found_count, true_count);
}

}  // namespace quality
