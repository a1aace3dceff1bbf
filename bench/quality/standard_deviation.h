// SPDX-License-Identifier: LGPL-2.1-or-later
// The standard deviation of an image's pixels, a measure of its contrast.
#pragma once

#include <opencv2/core.hpp>

namespace quality {

/// The root of the mean squared difference to the mean: 0..127.5 for an image of bytes.
double standard_deviation(const cv::Mat& image);

}  // namespace quality
