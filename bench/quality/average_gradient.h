// SPDX-License-Identifier: LGPL-2.1-or-later
// The average gradient of an image, a measure of its sharpness.
#pragma once

#include <opencv2/core.hpp>

namespace quality {

/// The mean of sqrt((dx^2 + dy^2) / 2) over the pixels that have a neighbor to the right and one
/// below, with dx and dy the differences to these: 0..255 for an image of bytes. 0 for an image of
/// one row or one column.
double average_gradient(const cv::Mat& image);

}  // namespace quality
