// SPDX-License-Identifier: LGPL-2.1-or-later
// Computes the metrics with OpenCV.
#include "metrics.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

namespace quality {
namespace {

constexpr double kTolerance = 2;  ///< pixels

/// The share of edges near one of `others`, 1 if there are no edges.
double share_near(const cv::Mat& edges, const cv::Mat& others) {
  if (cv::countNonZero(others) == 0) return cv::countNonZero(edges) == 0 ? 1 : 0;
  return found_share(distances(others) < kTolerance, edges);
}

}  // namespace

double equal_share(const cv::Mat& one, const cv::Mat& other) {
  return double(cv::countNonZero(one == other)) / double(one.total());
}

double average_gradient(const cv::Mat& image) {
  if (image.rows < 2 || image.cols < 2) return 0;
  cv::Mat samples, magnitude;
  image.convertTo(samples, CV_64F);
  const cv::Mat here = samples(cv::Rect(0, 0, image.cols - 1, image.rows - 1));
  const cv::Mat dx = samples(cv::Rect(1, 0, here.cols, here.rows)) - here;
  const cv::Mat dy = samples(cv::Rect(0, 1, here.cols, here.rows)) - here;
  cv::sqrt((dx.mul(dx) + dy.mul(dy)) / 2, magnitude);
  return cv::mean(magnitude)[0];
}

double standard_deviation(const cv::Mat& image) {
  cv::Scalar mean, deviation;
  cv::meanStdDev(image, mean, deviation);
  return deviation[0];
}

double found_share(const cv::Mat& found, const cv::Mat& all) {
  const int count = cv::countNonZero(all);
  return count == 0 ? 1 : double(cv::countNonZero((found != 0) & (all != 0))) / count;
}

cv::Mat distances(const cv::Mat& edges) {
  cv::Mat result;
  cv::distanceTransform(edges == 0, result, cv::DIST_L2, cv::DIST_MASK_PRECISE);
  return result;
}

double figure_of_merit(const cv::Mat& found, const cv::Mat& truth) {
  const int found_count = cv::countNonZero(found), true_count = cv::countNonZero(truth);
  if (found_count == 0 || true_count == 0) return found_count == true_count ? 1 : 0;
  cv::Mat d;
  distances(truth).convertTo(d, CV_64F);
  // The usual weight of Abdou and Pratt: an edge that is one pixel off counts 0.9.
  cv::Mat merits = 1 / (1 + d.mul(d) / 9);
  merits.setTo(0, found == 0);
  return cv::sum(merits)[0] / std::max(found_count, true_count);
}

NearEdges near_edges(const cv::Mat& found, const cv::Mat& truth) {
  const double precision = share_near(found, truth), recall = share_near(truth, found);
  const double sum = precision + recall;
  return {precision, recall, sum > 0 ? 2 * precision * recall / sum : 0};
}

}  // namespace quality
