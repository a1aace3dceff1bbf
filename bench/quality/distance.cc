// SPDX-License-Identifier: LGPL-2.1-or-later
// Computes distances to edges with OpenCV.
#include "distance.h"

#include <opencv2/imgproc.hpp>

namespace quality {

cv::Mat distances(const cv::Mat& edges) {
  cv::Mat result;
  cv::distanceTransform(edges == 0, result, cv::DIST_L2, cv::DIST_MASK_PRECISE);
  return result;
}

}  // namespace quality
