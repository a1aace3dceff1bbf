// SPDX-License-Identifier: LGPL-2.1-or-later
// The distance of each pixel to the nearest edge.
#pragma once

#include <opencv2/core.hpp>

namespace quality {

/// The Euclidean distance of each pixel to the nearest edge, in pixels, as floats. An edge is a
/// pixel that is not 0, and there must be one.
cv::Mat distances(const cv::Mat& edges);

}  // namespace quality
