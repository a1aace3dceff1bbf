// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts edges that are in two maps.
#include "found_share.h"

namespace quality {

double found_share(const cv::Mat& found, const cv::Mat& all) {
  const int count = cv::countNonZero(all);
  if (count == 0) return 1;
  return double(cv::countNonZero((found != 0) & (all != 0))) / count;
}

}  // namespace quality
