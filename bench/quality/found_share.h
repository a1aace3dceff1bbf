// SPDX-License-Identifier: LGPL-2.1-or-later
// The share of a map's edges that another map has as well.
#pragma once

#include <opencv2/core.hpp>

namespace quality {

/// The number of pixels that are edges in both maps over the number of edges in `all`: 0..1, and 1
/// if `all` has none. An edge is a pixel that is not 0; both maps have the same size.
double found_share(const cv::Mat& found, const cv::Mat& all);

}  // namespace quality
