// SPDX-License-Identifier: LGPL-2.1-or-later
/// The gradient operators.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "reference.h"

namespace reference {
namespace {

/// The sample of the nearest pixel in the image.
template <class Image>
int sample(const Image& image, int x, int y) {
  return image.row(std::clamp(y, 0, image.height - 1))[std::clamp(x, 0, image.width - 1)];
}

/// The weights across the difference and along it, and what the sums are divided by.
struct Weights {
  std::vector<int> smooth, difference;
  int divisor = 1;
};

Weights weights(Operator op) {
  switch (op) {
    case Operator::kSobel5:
      return {{1, 4, 6, 4, 1}, {-1, -2, 0, 2, 1}};
    case Operator::kSobel7:
      return {{1, 6, 15, 20, 15, 6, 1}, {-1, -4, -5, 0, 5, 4, 1}, 16};
    case Operator::kScharr:
      return {{3, 10, 3}, {-1, 0, 1}};
    case Operator::kPrewitt:
      return {{1, 1, 1}, {-1, 0, 1}};
    case Operator::kKroon:
      return {{17, 61, 17}, {-1, 0, 1}};
    default:
      return {{1, 2, 1}, {-1, 0, 1}};
  }
}

/// Halves to even.
int divide(int sum, int divisor) { return int(std::nearbyint(double(sum) / divisor)); }

template <class Image>
Response separable(const Image& image, const Weights& weights, canny::Norm norm) {
  const int size = int(weights.smooth.size());
  const int reach = size / 2;
  Gradient gradient{{image.width, image.height}, {image.width, image.height}};
  for (int y = 0; y < image.height; y++) {
    for (int x = 0; x < image.width; x++) {
      int gx = 0;
      int gy = 0;
      for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
          const int p = sample(image, x + j - reach, y + i - reach);
          gx += weights.smooth[i] * weights.difference[j] * p;
          gy += weights.difference[i] * weights.smooth[j] * p;
        }
      }
      gradient.gx.row(y)[x] = divide(gx, weights.divisor);
      gradient.gy.row(y)[x] = divide(gy, weights.divisor);
    }
  }
  Magnitudes magnitudes = magnitude(gradient, norm);
  return {std::move(gradient), std::move(magnitudes)};
}

/// The magnitude is that of the differences along both diagonals. The direction is that of their
/// sum, as seen along rows and columns.
template <class Image>
Response roberts(const Image& image, canny::Norm norm) {
  Gradient diagonals{{image.width, image.height}, {image.width, image.height}};
  Gradient direction = diagonals;
  for (int y = 0; y < image.height; y++) {
    for (int x = 0; x < image.width; x++) {
      const int d1 = sample(image, x, y) - sample(image, x + 1, y + 1);
      const int d2 = sample(image, x + 1, y) - sample(image, x, y + 1);
      diagonals.gx.row(y)[x] = d1;
      diagonals.gy.row(y)[x] = d2;
      direction.gx.row(y)[x] = d2 - d1;
      direction.gy.row(y)[x] = -(d1 + d2);
    }
  }
  return {std::move(direction), magnitude(diagonals, norm)};
}

/// The eight pixels around a pixel, clockwise from the upper left one, and a mask's weights of
/// them.
constexpr int kAround[8][2] = {{-1, -1}, {0, -1}, {1, -1}, {1, 0},
                               {1, 1},   {0, 1},  {-1, 1}, {-1, 0}};
using Mask = std::array<int, 8>;
constexpr Mask kRobinsonEast = {-1, 0, 1, 2, 1, 0, -1, -2};
constexpr Mask kKirschEast = {-3, -3, 5, 5, 5, -3, -3, -3};

/// The directions of the masks: E, NE, N, NW, W, SW, S, SE.
constexpr int kDirections[8][2] = {{1, 0},  {1, -1}, {0, -1}, {-1, -1},
                                   {-1, 0}, {-1, 1}, {0, 1},  {1, 1}};

template <class Image>
Response compass(const Image& image, const Mask& east) {
  Response result{{{image.width, image.height}, {image.width, image.height}},
                  {image.width, image.height}};
  for (int y = 0; y < image.height; y++) {
    for (int x = 0; x < image.width; x++) {
      int best = 0;
      int largest_sum = 0;
      for (int direction = 0; direction < 8; direction++) {
        int sum = 0;
        for (int i = 0; i < 8; i++) {
          const auto& [dx, dy] = kAround[i];
          sum += east[(i + direction) % 8] * sample(image, x + dx, y + dy);
        }
        if (direction > 0 && sum <= largest_sum) continue;
        largest_sum = sum;
        best = direction;
      }
      result.magnitude.row(y)[x] = largest_sum;
      result.direction.gx.row(y)[x] = kDirections[best][0];
      result.direction.gy.row(y)[x] = kDirections[best][1];
    }
  }
  return result;
}

template <class Image>
Response respond_to(const Image& image, Operator op, canny::Norm norm) {
  if (op == Operator::kRoberts) return roberts(image, norm);
  if (op == Operator::kRobinson) return compass(image, kRobinsonEast);
  if (op == Operator::kKirsch) return compass(image, kKirschEast);
  return separable(image, weights(op), norm);
}

}  // namespace

bool has_norm(Operator op) { return op != Operator::kRobinson && op != Operator::kKirsch; }

int gain(Operator op) {
  const auto sum_of_positive = [](const auto& values) {
    int sum = 0;
    for (const int value : values) sum += std::max(value, 0);
    return sum;
  };
  if (op == Operator::kRoberts) return 1;
  if (op == Operator::kRobinson) return sum_of_positive(kRobinsonEast);
  if (op == Operator::kKirsch) return sum_of_positive(kKirschEast);
  const Weights of = weights(op);
  return sum_of_positive(of.smooth) * sum_of_positive(of.difference) / of.divisor;
}

Response respond(const Bytes& image, Operator op, canny::Norm norm) {
  return respond_to(image, op, norm);
}

Response respond(const Words& image, Operator op, canny::Norm norm) {
  Response response = respond_to(image, op, norm);
  response.unit = 256;
  return response;
}

Response largest(const std::vector<Response>& responses) {
  Response result = responses.front();
  for (const Response& response : responses) {
    for (std::size_t i = 0; i < result.magnitude.samples.size(); i++) {
      if (response.magnitude.samples[i] <= result.magnitude.samples[i]) continue;
      result.magnitude.samples[i] = response.magnitude.samples[i];
      result.direction.gx.samples[i] = response.direction.gx.samples[i];
      result.direction.gy.samples[i] = response.direction.gy.samples[i];
    }
  }
  return result;
}

}  // namespace reference
