// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures how far the points of contours are from drawn steps.
#include <algorithm>
#include <cmath>
#include <utility>

#include "canny/contours.h"
#include "named_params.h"
#include "random.h"
#include "rate.h"
#include "shapes.h"

namespace quality {
namespace {

constexpr int kSide = 96, kPictures = 60;
constexpr int kMargin = 8;  ///< pixels at the border whose points do not count
constexpr double kMiddle = (kSide - 1) / 2.0;
constexpr double kNoise = 4;  ///< deviation

/// A step at a random angle, up to 10 pixels from the middle.
class Step {
 public:
  explicit Step(std::uint64_t seed) {
    reference::Random random(seed);
    angle_ = random.between(0, 35999) * CV_PI / 18000;
    from_middle_ = random.between(-10000, 10000) / 1000.0;
  }

  /// The distance of a place from the step, with a sign. The centers of pixels are whole numbers.
  double distance(double x, double y) const {
    return (x - kMiddle) * std::cos(angle_) + (y - kMiddle) * std::sin(angle_) - from_middle_;
  }

  /// Pixels have the mean of their samples.
  cv::Mat draw(int height) const {
    const cv::Mat inside =
        coverage(kSide, [&](double x, double y) { return distance(x - 0.5, y - 0.5) > 0; });
    cv::Mat picture;
    inside.convertTo(picture, CV_8U, double(height) / kWhole, 128 - height / 2.0);
    return picture;
  }

 private:
  double angle_, from_middle_;
};

/// The roots of the mean squared distances of pixels and of points with offsets.
struct Distances {
  double pixels, points;
};

Distances measure(const canny::Params& params, int height, double noise, Edges* edges) {
  double pixels = 0, points = 0;
  int count = 0;
  canny::Contours contours;
  contours.set_precision(true);
  for (int i = 0; i < kPictures; ++i) {
    const Step step(i);
    edges->find(params, noisy(step.draw(height), noise, i), &contours);
    for (std::size_t chain = 0; chain < contours.size(); ++chain) {
      for (std::size_t j = 0; j < contours[chain].size; ++j) {
        const canny::Point at = contours[chain].points[j];
        if (std::min(at.x, at.y) < kMargin || std::max(at.x, at.y) >= kSide - kMargin) continue;
        const canny::Position exact = contours[chain].position(j);
        pixels += std::pow(step.distance(at.x, at.y), 2);
        points += std::pow(step.distance(exact.x, exact.y), 2);
        ++count;
      }
    }
  }
  return {std::sqrt(pixels / count), std::sqrt(points / count)};
}

}  // namespace

Table rate_steps(Edges* edges) {
  Table table = {"steps",
                 "Contours: distance from drawn steps",
                 "settings",
                 {{"pixels", "pixels", 3},
                  {"points", "contour-precision", 3},
                  {"points_noise", "with noise", 3}},
                 {}};
  const std::pair<int, const char*> cases[] = {{100, "step 100"},
                                               {100, "step 100, sigma=1"},
                                               {100, "step 100, sigma=2"},
                                               {100, "step 100, norm=l1"},
                                               {40, "step 40, low-threshold=20 high-threshold=60"}};
  for (const auto& [height, name] : cases) {
    const canny::Params params = bench::params_of(name);
    const Distances clean = measure(params, height, 0, edges);
    const Distances noise = measure(params, height, kNoise, edges);
    table.rows.push_back({name, {clean.pixels, clean.points, noise.points}});
  }
  return table;
}

}  // namespace quality
