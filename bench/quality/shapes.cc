// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws shapes and adds noise.
#include "shapes.h"

#include <cmath>
#include <utility>

#include "random.h"

namespace quality {
namespace {

constexpr int kSide = 256;
constexpr double kMiddle = kSide / 2.0;

using Inside = bool (*)(double x, double y);

bool in_step(double x, double) { return x >= kMiddle + 0.5; }

bool in_slanted_step(double x, double y) { return 3 * (x - kMiddle) + (y - kMiddle) >= 0; }

bool in_disc(double x, double y) { return std::hypot(x - kMiddle, y - kMiddle) <= 80; }

/// Sides of 130 pixels, turned so that they rise by 3 in 4.
bool in_turned_square(double x, double y) {
  const double u = 0.8 * (x - kMiddle) + 0.6 * (y - kMiddle);
  const double v = 0.8 * (y - kMiddle) - 0.6 * (x - kMiddle);
  return std::abs(u) <= 65 && std::abs(v) <= 65;
}

Shape draw(const char* name, Inside inside) {
  const cv::Mat covered = coverage(kSide, inside);
  cv::Mat picture;
  covered.convertTo(picture, CV_8U, double(kBright - kDark) / kWhole, kDark);
  return {name, picture, edge_of(covered, kWhole)};
}

/// Marks one of two neighbors if the edge is between them.
void mark(const cv::Mat& coverage, int whole, cv::Point one, cv::Point other, cv::Mat* edges) {
  const auto excess = [&](cv::Point at) { return 2 * coverage.at<std::uint8_t>(at) - whole; };
  if (excess(one) < excess(other)) std::swap(one, other);
  if (excess(one) < 0 || excess(other) >= 0) return;
  edges->at<std::uint8_t>(excess(one) <= -excess(other) ? one : other) = 255;
}

}  // namespace

std::vector<Shape> shapes() {
  return {draw("step", in_step), draw("slanted step", in_slanted_step), draw("disc", in_disc),
          draw("turned square", in_turned_square)};
}

cv::Mat coverage(int side, const std::function<bool(double, double)>& inside) {
  cv::Mat counts = cv::Mat::zeros(side, side, CV_8UC1);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      for (int i = 0; i < kWhole; ++i)
        counts.at<std::uint8_t>(y, x) +=
            inside(x + (i % kSamples + 0.5) / kSamples, y + (i / kSamples + 0.5) / kSamples);
  return counts;
}

cv::Mat edge_of(const cv::Mat& coverage, int whole) {
  cv::Mat edges = cv::Mat::zeros(coverage.size(), CV_8UC1);
  for (int y = 0; y < coverage.rows; ++y) {
    for (int x = 0; x < coverage.cols; ++x) {
      if (x + 1 < coverage.cols) mark(coverage, whole, {x, y}, {x + 1, y}, &edges);
      if (y + 1 < coverage.rows) mark(coverage, whole, {x, y}, {x, y + 1}, &edges);
    }
  }
  return edges;
}

cv::Mat noisy(const cv::Mat& picture, double deviation, std::uint64_t seed) {
  // The sum of 12 numbers that are uniform in 0..1 has a mean of 6 and a deviation of 1.
  reference::Random random(seed);
  cv::Mat result = picture.clone();
  for (int y = 0; y < result.rows; ++y) {
    for (int x = 0; x < result.cols; ++x) {
      double sum = -6;
      for (int i = 0; i < 12; ++i) sum += random.between(0, 65535) / 65535.0;
      auto& pixel = result.at<std::uint8_t>(y, x);
      pixel = cv::saturate_cast<std::uint8_t>(pixel + deviation * sum);
    }
  }
  return result;
}

double noise_deviation(double signal_to_noise) {
  return signal_to_noise == 0 ? 0 : (kBright - kDark) / std::sqrt(signal_to_noise);
}

}  // namespace quality
