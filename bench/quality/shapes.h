// SPDX-License-Identifier: LGPL-2.1-or-later
// Drawn shapes whose edges are known, with noise.
#pragma once

#include <cstdint>
#include <functional>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace quality {

inline constexpr int kDark = 64;     ///< of pixels outside the shape
inline constexpr int kBright = 192;  ///< of pixels inside
inline constexpr int kSamples = 8;   ///< along each side of a pixel
inline constexpr int kWhole = kSamples * kSamples;

/// A bright shape on a dark background.
struct Shape {
  std::string name;
  cv::Mat picture;  ///< a byte for each pixel, between dark and bright by its share of the shape
  cv::Mat truth;    ///< 255 where the edge is, 0 elsewhere
};

/// A vertical step with one pixel of half brightness between, as Abdou and Pratt (1979) draw it; a
/// slanted step; a disc; and a turned square.
std::vector<Shape> shapes();

/// How many of the samples of each pixel of a square lie inside a shape: 0..kWhole. `inside` takes
/// the place of a sample, in pixels from the upper left corner.
cv::Mat coverage(int side, const std::function<bool(double, double)>& inside);

/// The edge of a shape that covers the given parts of each pixel, 0..`whole`. Of two neighbors in
/// a row or a column, one covered by half or more and the other by less, the one nearer to half
/// is an edge; among equals it is the first one, that is the more covered one.
cv::Mat edge_of(const cv::Mat& coverage, int whole);

/// Adds noise that is nearly Gaussian, the same on every machine: the sum of 12 uniform random
/// numbers. Rounds and cuts to 0..255.
cv::Mat noisy(const cv::Mat& picture, double deviation, std::uint64_t seed);

/// The deviation of noise with this signal-to-noise ratio, the squared height of the step over the
/// variance of the noise; 0 stands for no noise.
double noise_deviation(double signal_to_noise);

}  // namespace quality
