// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares the reference on samples of 16 bits with OpenCV, to the bit: the luma with cvtColor,
/// the blur with filters of doubles, and edges with Canny, which takes gradients of 16 bits.
///
///     deep [--seed N]
///
/// `--seed N` runs one random case again.
#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "images.h"
#include "random.h"
#include "reference.h"

namespace {

using namespace conformance;
using reference::Operator;
using reference::Random;
using reference::Words;

constexpr std::uint64_t kCases = 400;

/// Random contents of 8 bits with more bits below them, up to `largest`.
Words random_words(Random& random, Content content, int largest) {
  Words image(random_side(random), random_side(random));
  const auto bytes = random_samples(random, content, image.width, image.height, 1);
  const bool has_low_bits = random.between(0, 3) != 0;
  for (std::size_t i = 0; i < bytes.size(); i++) {
    const int sample = 256 * bytes[i] + (has_low_bits ? random.between(0, 255) : 0);
    image.samples[i] = std::uint16_t(std::int64_t{sample} * largest / 65535);
  }
  return image;
}

void check_luma(std::uint64_t seed) {
  Random random(seed);
  const int width = random_side(random);
  const int height = random_side(random);
  std::vector<std::uint16_t> pixels(std::size_t(width) * height * 4);
  for (std::uint16_t& sample : pixels)
    sample = std::uint16_t(random.between(0, 7) ? random.between(0, 65535) : 65535);
  cv::Mat gray;
  cv::cvtColor(cv::Mat(height, width, CV_16UC4, pixels.data()), gray, cv::COLOR_RGBA2GRAY);
  compare(title_of("luma", seed, Content::kNoise), gray,
          reference::deep_luma({reinterpret_cast<const std::uint8_t*>(pixels.data()), 8 * width,
                                width, height, canny::PixelFormat::kRgbx64Le}));
}

/// Sums of products of integers below 2^53 are exact.
void check_blur(std::uint64_t seed) {
  Random random(seed);
  const Content content = random_content(random);
  const Words image = random_words(random, content, 65535);
  const double sigma = random.between(0, 7) == 0 ? 20 * fraction(random) : 4 * fraction(random);
  const std::vector<int> weights = reference::taps(sigma);
  cv::Mat taps(1, int(weights.size()), CV_64F);
  for (std::size_t i = 0; i < weights.size(); i++) taps.at<double>(0, int(i)) = weights[i];
  cv::Mat sums;
  cv::sepFilter2D(view(image), sums, CV_64F, taps, taps, cv::Point(-1, -1), 32768,
                  cv::BORDER_REFLECT_101);
  cv::Mat expected(sums.size(), CV_16U);
  for (int y = 0; y < sums.rows; y++)
    for (int x = 0; x < sums.cols; x++)
      expected.at<std::uint16_t>(y, x) = std::uint16_t(std::int64_t(sums.at<double>(y, x)) >> 16);
  compare(title_of("blur", seed, content) + ", sigma " + std::to_string(sigma), expected,
          reference::blur(image, sigma));
}

/// Beyond this |gx|, the sectors of OpenCV's Canny overflow: 79109 |gx| must fit 31 bits.
constexpr int kLargestGradient = 27000;

/// An operator whose gradients are small enough for samples up to `largest`.
struct Small {
  Operator op;
  int largest;
  std::vector<double> smooth, difference;
};

/// Thresholds of Canny count steps of the samples, so they are 256 times ours, up to 32767.
void check_canny(std::uint64_t seed) {
  static const std::vector<Small> kSmall = {
      {Operator::kSobel, kLargestGradient / 4, {1, 2, 1}, {-1, 0, 1}},
      {Operator::kSobel5, kLargestGradient / 48, {1, 4, 6, 4, 1}, {-1, -2, 0, 2, 1}},
      {Operator::kScharr, kLargestGradient / 16, {3, 10, 3}, {-1, 0, 1}},
      {Operator::kPrewitt, kLargestGradient / 3, {1, 1, 1}, {-1, 0, 1}},
      {Operator::kKroon, kLargestGradient / 95, {17, 61, 17}, {-1, 0, 1}}};
  Random random(seed);
  const Small small = random.any(kSmall);
  const Content content = random_content(random);
  const Words image = random_words(random, content, small.largest);
  const double low = random.between(0, 20000) / 256.0;
  const double high = random.between(0, 3) ? random.between(0, 32767) / 256.0 : low;
  const auto norm = random.between(0, 1) == 0 ? canny::Norm::kL1 : canny::Norm::kL2;
  const auto gradient = [&](const std::vector<double>& x, const std::vector<double>& y) {
    cv::Mat sums;
    cv::sepFilter2D(view(image), sums, CV_64F, x, y, cv::Point(-1, -1), 0, cv::BORDER_REPLICATE);
    sums.convertTo(sums, CV_16S);
    return sums;
  };
  cv::Mat expected;
  cv::Canny(gradient(small.difference, small.smooth), gradient(small.smooth, small.difference),
            expected, 256 * low, 256 * high, norm == canny::Norm::kL2);
  const reference::Response response = reference::respond(image, small.op, norm);
  compare(title_of("canny", seed, content) + ", operator " + std::to_string(int(small.op)),
          expected, reference_edges(response, low, high, norm, small.op));
}

}  // namespace

int main(int argc, char** argv) {
  run(argc, argv,
      {{"luma", kCases, check_luma}, {"blur", kCases, check_blur}, {"Canny", kCases, check_canny}});
  return summary();
}
