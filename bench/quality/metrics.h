// SPDX-License-Identifier: LGPL-2.1-or-later
// Metrics of images and of edge maps: a byte for each pixel, and an edge where it is not 0. Maps
// that are compared have the same size.
#pragma once

#include <opencv2/core.hpp>

namespace quality {

/// The share of pixels that two images, of at least one pixel, have in common: 0..1.
double equal_share(const cv::Mat& one, const cv::Mat& other);

/// The mean of sqrt((dx^2 + dy^2) / 2) over the pixels that have a neighbor to the right and one
/// below, with dx and dy the differences to these: 0..255, a measure of sharpness. 0 for an image
/// of one row or one column.
double average_gradient(const cv::Mat& image);

/// The root of the mean squared difference to the mean: 0..127.5, a measure of contrast.
double standard_deviation(const cv::Mat& image);

/// The share of the edges in `all` that are edges in `found` as well: 0..1, and 1 if `all` has
/// none.
double found_share(const cv::Mat& found, const cv::Mat& all);

/// The Euclidean distance of each pixel to the nearest edge, in pixels, as floats. There must be an
/// edge.
cv::Mat distances(const cv::Mat& edges);

/// Pratt's figure of merit: the sum of 1 / (1 + d^2 / 9) over the edges of `found`, with d the
/// distance to the nearest edge of `truth`, over the number of edges of the map that has more:
/// 0..1. It is 1 if the maps are equal, also without any edge, and 0 if one map alone has no edge.
///
/// W. K. Pratt, "Digital Image Processing" (Wiley, 1978); I. E. Abdou and W. K. Pratt,
/// "Quantitative design and evaluation of enhancement/thresholding edge detectors" (Proceedings of
/// the IEEE 67(5), 1979).
double figure_of_merit(const cv::Mat& found, const cv::Mat& truth);

/// Edges are near each other if their distance is less than 2 pixels: one pixel in each direction,
/// also diagonally. Both shares are those of the test of Canny in Khronos' conformance tests of
/// OpenVX (test_conformance/test_canny.c), which demands 0.95 of each.
struct NearEdges {
  double precision;  ///< the share of edges of `found` near one of `truth`, 1 if it has none
  double recall;     ///< the share of edges of `truth` near one of `found`, 1 if it has none
  double f_measure;  ///< the harmonic mean of both, 0 if both are 0
};
NearEdges near_edges(const cv::Mat& found, const cv::Mat& truth);

}  // namespace quality
