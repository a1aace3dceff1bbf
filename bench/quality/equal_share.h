// SPDX-License-Identifier: LGPL-2.1-or-later
// The share of pixels that two images have in common.
#pragma once

#include <opencv2/core.hpp>

namespace quality {

/// The number of equal pixels over the number of pixels, 0..1. Both images have one byte for each
/// pixel and the same size, of at least one pixel.
double equal_share(const cv::Mat& one, const cv::Mat& other);

}  // namespace quality
