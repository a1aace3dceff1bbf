// SPDX-License-Identifier: LGPL-2.1-or-later
// Computes the standard deviation of an image.
#include "standard_deviation.h"

namespace quality {

double standard_deviation(const cv::Mat& image) {
  cv::Scalar mean, deviation;
  cv::meanStdDev(image, mean, deviation);
  return deviation[0];
}

}  // namespace quality
