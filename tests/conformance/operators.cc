// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares the gradient operators of the reference, to the bit: with OpenCV's Canny on its own
/// gradients, or where that has no such gradient, with masks that OpenCV applies and a suppression
/// in terms of whole images.
///
///     operators [--seed N]
///
/// `--seed N` runs one random case again.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "images.h"
#include "random.h"
#include "reference.h"

namespace {

using namespace conformance;
using reference::Bytes;
using reference::Operator;
using reference::Random;

constexpr const char* kNames[] = {"sobel", "sobel-5", "sobel-7",  "scharr", "prewitt",
                                  "kroon", "roberts", "robinson", "kirsch"};
/// The largest |gx| or response of each operator, for a step from 0 to 255. Thresholds of sobel-7
/// are in units of 1/16 of that.
constexpr int kLargest[] = {1020, 12240, 10200, 4080, 765, 24225, 255, 1020, 3825};

constexpr std::uint64_t kCases = 500;

struct Settings {
  double low, high;
  canny::Norm norm;
};

/// Thresholds in proportion to the responses of the operator.
Settings random_settings(Random& random, Operator op) {
  const double unit = kLargest[int(op)] / 1020.0 * (op == Operator::kSobel7 ? 16 : 1);
  const double scale = random.between(0, 3) == 0 ? 1 : unit;
  const double low = random_threshold(random) * scale;
  const double high = random.between(0, 7) == 0 ? low : random_threshold(random) * scale;
  return {low, high, random.between(0, 1) == 0 ? canny::Norm::kL1 : canny::Norm::kL2};
}

/// Sums of a mask, row by row, replicated border.
cv::Mat apply(const cv::Mat& image, const std::vector<int>& mask) {
  const int side = int(std::sqrt(double(mask.size())));
  const cv::Mat kernel(side, side, CV_32S, const_cast<int*>(mask.data()));
  cv::Mat weights;
  cv::Mat sums;
  kernel.convertTo(weights, CV_64F);
  cv::filter2D(image, sums, CV_64F, weights, cv::Point(-1, -1), 0, cv::BORDER_REPLICATE);
  cv::Mat result;
  sums.convertTo(result, CV_32S);
  return result;
}

cv::Mat gradient_canny(const cv::Mat& dx, const cv::Mat& dy, const Settings& settings) {
  cv::Mat x;
  cv::Mat y;
  cv::Mat edges;
  dx.convertTo(x, CV_16S);
  dy.convertTo(y, CV_16S);
  cv::Canny(x, y, edges, settings.low, settings.high, settings.norm == canny::Norm::kL2);
  return edges;
}

cv::Mat aperture_canny(const cv::Mat& image, int aperture, const Settings& settings) {
  cv::Mat edges;
  cv::Canny(image, edges, settings.low, settings.high, aperture, settings.norm == canny::Norm::kL2);
  return edges;
}

/// Across which neighbors a pixel must be a maximum.
enum Sector : std::uint8_t { kHorizontal, kVertical, kRising, kFalling };

/// Suppression, double threshold and hysteresis in terms of whole images. Magnitudes are CV_64F,
/// sectors CV_8U.
cv::Mat edges_of(const cv::Mat& magnitude, const cv::Mat& sector, double low, double high) {
  cv::Mat padded;
  cv::copyMakeBorder(magnitude, padded, 1, 1, 1, 1, cv::BORDER_CONSTANT, cv::Scalar(0));
  const auto beside = [&](int dx, int dy) {
    return padded(cv::Rect(1 + dx, 1 + dy, magnitude.cols, magnitude.rows));
  };
  cv::Mat kept =
      (sector == kHorizontal) & (magnitude > beside(-1, 0)) & (magnitude >= beside(1, 0));
  kept |= (sector == kVertical) & (magnitude > beside(0, -1)) & (magnitude >= beside(0, 1));
  kept |= (sector == kRising) & (magnitude > beside(1, -1)) & (magnitude > beside(-1, 1));
  kept |= (sector == kFalling) & (magnitude > beside(-1, -1)) & (magnitude > beside(1, 1));
  const cv::Mat candidate = kept & (magnitude > low);
  const cv::Mat strong = candidate & (magnitude > high);
  cv::Mat labels;
  const int components = cv::connectedComponents(candidate, labels, 8, CV_32S);
  std::vector<bool> is_edge(components, false);
  for (int y = 0; y < strong.rows; y++)
    for (int x = 0; x < strong.cols; x++)
      if (strong.at<std::uint8_t>(y, x) != 0) is_edge[labels.at<int>(y, x)] = true;
  cv::Mat edges(strong.size(), CV_8U, cv::Scalar(0));
  for (int y = 0; y < edges.rows; y++)
    for (int x = 0; x < edges.cols; x++)
      if (is_edge[labels.at<int>(y, x)]) edges.at<std::uint8_t>(y, x) = 255;
  return edges;
}

double squared_if(bool is_l2, double threshold) {
  return is_l2 ? std::pow(std::min(threshold, 32767.0), 2) : threshold;
}

cv::Mat roberts_canny(const cv::Mat& image, const Settings& settings) {
  cv::Mat d1 = apply(image, {0, 0, 0, 0, 1, 0, 0, 0, -1});
  cv::Mat d2 = apply(image, {0, 0, 0, 0, 0, 1, 0, -1, 0});
  cv::Mat magnitude(d1.size(), CV_64F);
  cv::Mat sector(d1.size(), CV_8U);
  const bool is_l2 = settings.norm == canny::Norm::kL2;
  for (int y = 0; y < d1.rows; y++) {
    for (int x = 0; x < d1.cols; x++) {
      const int a = d1.at<int>(y, x);
      const int b = d2.at<int>(y, x);
      magnitude.at<double>(y, x) = is_l2 ? a * a + b * b : std::abs(a) + std::abs(b);
      // The angle of a vector (b - a, -(a + b)), whose sectors are 45 degrees wide.
      const double ratio = std::abs(double(a + b)) / std::max(std::abs(b - a), 1);
      const double tangent = 13573 / 32768.0;
      const bool is_flat = b == a;
      sector.at<std::uint8_t>(y, x) = !is_flat && ratio < tangent      ? kHorizontal
                                      : is_flat || ratio > tangent + 2 ? kVertical
                                      : (b - a < 0) != (a + b > 0)     ? kRising
                                                                       : kFalling;
    }
  }
  return edges_of(magnitude, sector, squared_if(is_l2, std::min(settings.low, settings.high)),
                  squared_if(is_l2, std::max(settings.low, settings.high)));
}

/// The masks of both compass operators, in the order E, NE, N, NW; the other four
/// masks of robinson are the negatives of these.
const std::array<std::vector<int>, 8> kRobinson = {{{-1, 0, 1, -2, 0, 2, -1, 0, 1},
                                                    {0, 1, 2, -1, 0, 1, -2, -1, 0},
                                                    {1, 2, 1, 0, 0, 0, -1, -2, -1},
                                                    {2, 1, 0, 1, 0, -1, 0, -1, -2},
                                                    {1, 0, -1, 2, 0, -2, 1, 0, -1},
                                                    {0, -1, -2, 1, 0, -1, 2, 1, 0},
                                                    {-1, -2, -1, 0, 0, 0, 1, 2, 1},
                                                    {-2, -1, 0, -1, 0, 1, 0, 1, 2}}};
const std::array<std::vector<int>, 8> kKirsch = {{{-3, -3, 5, -3, 0, 5, -3, -3, 5},
                                                  {-3, 5, 5, -3, 0, 5, -3, -3, -3},
                                                  {5, 5, 5, -3, 0, -3, -3, -3, -3},
                                                  {5, 5, -3, 5, 0, -3, -3, -3, -3},
                                                  {5, -3, -3, 5, 0, -3, 5, -3, -3},
                                                  {-3, -3, -3, 5, 0, -3, 5, 5, -3},
                                                  {-3, -3, -3, -3, 0, -3, 5, 5, 5},
                                                  {-3, -3, -3, -3, 0, 5, -3, 5, 5}}};

cv::Mat compass_canny(const cv::Mat& image, const std::array<std::vector<int>, 8>& masks,
                      const Settings& settings) {
  constexpr Sector kSectors[] = {kHorizontal, kRising, kVertical, kFalling};
  cv::Mat largest = apply(image, masks[0]);
  cv::Mat sector(image.size(), CV_8U, cv::Scalar(kHorizontal));
  for (int i = 1; i < 8; i++) {
    const cv::Mat response = apply(image, masks[i]);
    const cv::Mat is_larger = response > largest;
    response.copyTo(largest, is_larger);
    sector.setTo(cv::Scalar(kSectors[i % 4]), is_larger);
  }
  cv::Mat magnitude;
  largest.convertTo(magnitude, CV_64F);
  return edges_of(magnitude, sector, std::min(settings.low, settings.high),
                  std::max(settings.low, settings.high));
}

cv::Mat opencv_canny(const cv::Mat& image, Operator op, const Settings& settings) {
  switch (op) {
    case Operator::kSobel:
      return aperture_canny(image, 3, settings);
    case Operator::kSobel5:
      return aperture_canny(image, 5, settings);
    case Operator::kSobel7:
      return aperture_canny(image, 7, settings);
    case Operator::kScharr: {
      cv::Mat dx;
      cv::Mat dy;
      cv::Scharr(image, dx, CV_16S, 1, 0, 1, 0, cv::BORDER_REPLICATE);
      cv::Scharr(image, dy, CV_16S, 0, 1, 1, 0, cv::BORDER_REPLICATE);
      return gradient_canny(dx, dy, settings);
    }
    case Operator::kPrewitt:
      return gradient_canny(apply(image, {-1, 0, 1, -1, 0, 1, -1, 0, 1}),
                            apply(image, {-1, -1, -1, 0, 0, 0, 1, 1, 1}), settings);
    case Operator::kKroon:
      return gradient_canny(apply(image, {-17, 0, 17, -61, 0, 61, -17, 0, 17}),
                            apply(image, {-17, -61, -17, 0, 0, 0, 17, 61, 17}), settings);
    case Operator::kRoberts:
      return roberts_canny(image, settings);
    case Operator::kRobinson:
      return compass_canny(image, kRobinson, settings);
    case Operator::kKirsch:
      return compass_canny(image, kKirsch, settings);
  }
  return {};
}

std::string describe(Operator op, const Settings& settings) {
  return std::string(", ") + kNames[int(op)] + ", thresholds " + std::to_string(settings.low) +
         " and " + std::to_string(settings.high) +
         (settings.norm == canny::Norm::kL2 ? ", L2" : ", L1");
}

template <Operator op>
void check_operator(std::uint64_t seed) {
  Random random(seed);
  const Settings settings = random_settings(random, op);
  const Content content = random_content(random);
  const Bytes image = random_image(random, content);
  compare(title_of("operator", seed, content) + describe(op, settings),
          opencv_canny(view(image), op, settings),
          reference_edges(reference::respond(image, op, settings.norm), settings.low, settings.high,
                          settings.norm, op));
}

/// The color with the largest magnitude, as cv::Canny takes it of an image in any order of colors,
/// with and without a blur before it.
void check_channels(std::uint64_t seed) {
  Random random(seed);
  const int index = random.between(0, 2);
  const Operator op = reference::kOperators[index];
  const Settings settings = random_settings(random, op);
  const Content content = random_content(random);
  const double sigma = random.between(0, 1) == 0 ? 0 : fraction(random) * 3;
  const int width = random_side(random);
  const int height = random_side(random);
  const auto samples = random_samples(random, content, width, height, 3);
  const auto format =
      random.between(0, 1) == 0 ? canny::PixelFormat::kRgb : canny::PixelFormat::kBgr;
  std::vector<reference::Response> responses;
  for (const Bytes& color : reference::colors({samples.data(), 3 * width, width, height, format}))
    responses.push_back(reference::respond(reference::blur(color, sigma), op, settings.norm));
  cv::Mat pixels(height, width, CV_8UC3, const_cast<std::uint8_t*>(samples.data()));
  if (sigma > 0) {
    cv::Mat blurred;
    cv::GaussianBlur(pixels, blurred, cv::Size(0, 0), sigma, sigma, cv::BORDER_REFLECT_101);
    pixels = blurred;
  }
  compare(title_of("channels", seed, content) + describe(op, settings),
          aperture_canny(pixels, 3 + 2 * index, settings),
          reference_edges(reference::largest(responses), settings.low, settings.high, settings.norm,
                          op));
}

/// A step from 0 to 255 between two columns has the largest response.
void check_steps() {
  Bytes step(16, 16);
  for (int i = 0; i < 16 * 16; i++) step.samples[i] = i % 16 < 8 ? 0 : 255;
  for (const Operator op : reference::kOperators) {
    const auto response = reference::respond(step, op, canny::Norm::kL1);
    const auto& row = response.magnitude.samples;
    // Both differences of roberts are those of the step.
    const int expected = kLargest[int(op)] * (op == Operator::kRoberts ? 2 : 1);
    const std::int64_t got = *std::max_element(row.begin(), row.end());
    check(got == expected, std::string("step, ") + kNames[int(op)] + ": " + std::to_string(got));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_all = run(argc, argv,
                          {{"sobel", kCases, check_operator<Operator::kSobel>},
                           {"sobel-5", kCases, check_operator<Operator::kSobel5>},
                           {"sobel-7", kCases, check_operator<Operator::kSobel7>},
                           {"scharr", kCases, check_operator<Operator::kScharr>},
                           {"prewitt", kCases, check_operator<Operator::kPrewitt>},
                           {"kroon", kCases, check_operator<Operator::kKroon>},
                           {"roberts", kCases, check_operator<Operator::kRoberts>},
                           {"robinson", kCases, check_operator<Operator::kRobinson>},
                           {"kirsch", kCases, check_operator<Operator::kKirsch>},
                           {"channels", kCases, check_channels}});
  if (is_all) check_steps();
  return summary();
}
