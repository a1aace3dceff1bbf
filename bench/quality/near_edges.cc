// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts edges that are near those of another map.
#include "near_edges.h"

#include "distance.h"

namespace quality {
namespace {

/// The share of edges near one of `others`, 1 if there are no edges.
double share_near(const cv::Mat& edges, const cv::Mat& others) {
  const int count = cv::countNonZero(edges);
  if (count == 0) return 1;
  if (cv::countNonZero(others) == 0) return 0;
  const cv::Mat near = distances(others) < kTolerance;
  return double(cv::countNonZero(near & (edges != 0))) / count;
}

}  // namespace

NearEdges near_edges(const cv::Mat& found, const cv::Mat& truth) {
  const double precision = share_near(found, truth), recall = share_near(truth, found);
  const double sum = precision + recall;
  return {precision, recall, sum > 0 ? 2 * precision * recall / sum : 0};
}

}  // namespace quality
