// SPDX-License-Identifier: LGPL-2.1-or-later
// Precision, recall and F-measure of an edge map, with a tolerance.
//
// Both shares are those of the test of Canny in Khronos' conformance tests of OpenVX
// (test_conformance/test_canny.c), which demands 0.95 of each.
#pragma once

#include <opencv2/core.hpp>

namespace quality {

/// Edges are near each other if their Euclidean distance is less than this, in pixels: one pixel in
/// each direction, also diagonally.
inline constexpr double kTolerance = 2;

struct NearEdges {
  double precision;  ///< the share of edges of `found` near one of `truth`, 1 if it has none
  double recall;     ///< the share of edges of `truth` near one of `found`, 1 if it has none
  double f_measure;  ///< the harmonic mean of both, 0 if both are 0
};

/// Compares two maps of the same size; an edge is a pixel that is not 0.
NearEdges near_edges(const cv::Mat& found, const cv::Mat& truth);

}  // namespace quality
