// SPDX-License-Identifier: LGPL-2.1-or-later
// Pratt's figure of merit of an edge map.
//
// W. K. Pratt, "Digital Image Processing" (Wiley, 1978); I. E. Abdou and W. K. Pratt, "Quantitative
// design and evaluation of enhancement/thresholding edge detectors" (Proceedings of the IEEE 67(5),
// 1979).
#pragma once

#include <opencv2/core.hpp>

namespace quality {

/// The sum of 1 / (1 + d^2 / 9) over the edges of `found`, with d the distance to the nearest edge
/// of `truth`, over the number of edges of the map that has more: 0..1. It is 1 if the maps are
/// equal, also without any edge, and 0 if one map alone has no edge.
double figure_of_merit(const cv::Mat& found, const cv::Mat& truth);

}  // namespace quality
