// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts equal pixels.
#include "equal_share.h"

namespace quality {

double equal_share(const cv::Mat& one, const cv::Mat& other) {
  return double(cv::countNonZero(one == other)) / double(one.total());
}

}  // namespace quality
