// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares views of the stages, and the removal of short edges, with what OpenCV makes of the same
/// images and with literal results.
///
///     views [--seed N]
///
/// `--seed N` runs one random case again.
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "images.h"
#include "random.h"
#include "reference.h"

namespace {

using namespace conformance;
using canny::Norm;
using canny::View;
using reference::Bytes;
using reference::Candidates;
using reference::Operator;
using reference::Random;

constexpr std::uint64_t kCases = 300;

/// A random image, and what the reference makes of it.
struct Case {
  Content content;
  Bytes image;
  Norm norm;
  reference::Response response;
  Candidates candidates;
};

Case random_case(Random& random) {
  Case c;
  c.content = random_content(random);
  c.image = random_image(random, c.content);
  c.norm = random.between(0, 1) == 0 ? Norm::kL1 : Norm::kL2;
  c.response = reference::respond(c.image, Operator::kSobel, c.norm);
  c.candidates =
      reference::suppress(c.response.direction, c.response.magnitude,
                          reference::thresholds(random_threshold(random), random_threshold(random),
                                                c.norm, Operator::kSobel));
  return c;
}

Bytes view_of(View view, const Case& c, unsigned passes = 0) {
  return reference::view(view, c.response, c.candidates, c.norm, Operator::kSobel, passes);
}

struct Gradients {
  cv::Mat dx, dy, length;  // CV_64F
};

Gradients gradients(const Case& c) {
  Gradients g;
  cv::Sobel(view(c.image), g.dx, CV_64F, 1, 0, 3, 1, 0, cv::BORDER_REPLICATE);
  cv::Sobel(view(c.image), g.dy, CV_64F, 0, 1, 3, 1, 0, cv::BORDER_REPLICATE);
  if (c.norm == Norm::kL1)
    g.length = cv::abs(g.dx) + cv::abs(g.dy);
  else
    cv::magnitude(g.dx, g.dy, g.length);
  return g;
}

/// Applies f(dx, dy, length) to each pixel.
template <class F>
cv::Mat map(const Gradients& g, F f) {
  cv::Mat result(g.dx.size(), CV_8U);
  for (int y = 0; y < result.rows; y++)
    for (int x = 0; x < result.cols; x++)
      result.at<std::uint8_t>(y, x) =
          f(g.dx.at<double>(y, x), g.dy.at<double>(y, x), g.length.at<double>(y, x));
  return result;
}

void check_gradient(std::uint64_t seed, const Case& c) {
  const Gradients g = gradients(c);
  compare(title_of("gradient", seed, c.content),
          map(g,
              [](double, double, double length) {
                return std::uint8_t(std::min(255.0, std::floor(std::floor(length + 1e-9) / 4)));
              }),
          view_of(View::kGradient, c));
  // Canny without a threshold keeps every maximum.
  cv::Mat kept;
  cv::Canny(view(c.image), kept, 0, 0, 3, c.norm == Norm::kL2);
  Bytes suppressed = view_of(View::kGradient, c);
  for (int y = 0; y < suppressed.height; y++)
    for (int x = 0; x < suppressed.width; x++)
      if (kept.at<std::uint8_t>(y, x) == 0) suppressed.row(y)[x] = 0;
  compare(title_of("suppressed", seed, c.content), view(suppressed), view_of(View::kSuppressed, c));
}

/// Sobel's gradients of 8-bit pixels are never so close to a sector's border that the tangent's
/// fifteen bits matter.
void check_direction(std::uint64_t seed, const Case& c) {
  const double tangent = std::sqrt(2.0) - 1;
  compare(title_of("direction", seed, c.content),
          map(gradients(c),
              [&](double dx, double dy, double) -> std::uint8_t {
                if (dx == 0 && dy == 0) return 0;
                if (std::abs(dy) < tangent * std::abs(dx)) return 64;
                if (std::abs(dx) < tangent * std::abs(dy)) return 192;
                return dx * dy > 0 ? 128 : 255;
              }),
          view_of(View::kDirection, c));
}

/// Every value in turn: the pixels of pass k are those of k passes and not of k - 1.
void check_classes(std::uint64_t seed, const Case& c) {
  const Bytes classes = view_of(View::kClasses, c);
  const Bytes& strong = c.candidates.strong;
  Bytes candidates = c.candidates.candidate, certain = strong;
  for (std::size_t i = 0; i < candidates.samples.size(); i++) {
    candidates.samples[i] = classes.samples[i] >= 128;
    certain.samples[i] = classes.samples[i] == 255;
  }
  compare(title_of("candidates", seed, c.content), view(c.candidates.candidate), candidates);
  compare(title_of("strong", seed, c.content), view(strong), certain);

  const unsigned passes = 1 + seed % 5;
  const Bytes shown = view_of(View::kPasses, c, passes);
  for (unsigned pass = 0; pass <= passes; pass++) {
    const Bytes edges = pass == 0 ? strong : reference::hysteresis(c.candidates, pass);
    Bytes found = shown;
    for (std::uint8_t& pixel : found.samples) pixel = pixel >= 255 - 16 * int(pass);
    compare(title_of("pass", seed, c.content) + ", " + std::to_string(pass), view(edges), found);
  }
}

void check_short(std::uint64_t seed, const Case& c, Random& random) {
  Bytes edges = reference::hysteresis(c.candidates);
  const int least = random.between(0, 3) == 0 ? random.between(0, 200) : random.between(0, 12);
  cv::Mat labels, stats, centers;
  cv::connectedComponentsWithStats(view(edges), labels, stats, centers, 8, CV_32S);
  cv::Mat expected(labels.size(), CV_8U, cv::Scalar(0));
  for (int y = 0; y < labels.rows; y++)
    for (int x = 0; x < labels.cols; x++)
      expected.at<std::uint8_t>(y, x) =
          labels.at<int>(y, x) != 0 &&
          stats.at<int>(labels.at<int>(y, x), cv::CC_STAT_AREA) >= least;
  reference::remove_short(unsigned(least), &edges);
  compare(title_of("short edges", seed, c.content) + ", " + std::to_string(least), expected, edges);
}

void check_case(std::uint64_t seed) {
  Random random(seed);
  const Case c = random_case(random);
  check_gradient(seed, c);
  check_direction(seed, c);
  check_classes(seed, c);
  check_short(seed, c, random);
}

/// A step from 0 to 255 has the height 255 with every operator, one of 100 a height of 100.
void check_steps() {
  for (const int height : {255, 100}) {
    Bytes step(16, 16);
    for (int i = 0; i < 16 * 16; i++) step.samples[i] = std::uint8_t(i % 16 < 8 ? 0 : height);
    for (const Operator op : reference::kOperators) {
      // The differences of roberts are both those of the step, which its L2 norm counts as 1.4.
      const int expected = op == Operator::kRoberts ? std::min(255, height * 1414 / 1000) : height;
      const reference::Response response = reference::respond(step, op, Norm::kL2);
      const Bytes shown = reference::view(View::kGradient, response, {}, Norm::kL2, op, 0);
      const int got = *std::max_element(shown.samples.begin(), shown.samples.end());
      check(got == expected, "step of " + std::to_string(height) + ", operator " +
                                 std::to_string(int(op)) + ": " + std::to_string(got));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (run(argc, argv, {{"views", kCases, check_case}})) check_steps();
  return summary();
}
