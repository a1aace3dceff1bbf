// SPDX-License-Identifier: LGPL-2.1-or-later
/// The Gaussian blur and its coefficients.
#include <cmath>

#include "reference.h"

namespace reference {
namespace {

/// The nearest integer, with halves to even as in the default rounding mode.
int round_half_even(double value) { return int(std::nearbyint(value)); }

/// dcb|abcd|cba, repeated until `i` is inside 0..size-1.
int reflect_101(int i, int size) {
  if (size == 1) return 0;
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

/// The weighted sums along the rows: at most 256 times the largest sample.
template <class Sum, class Sample>
Plane<Sum> blur_rows(const Plane<Sample>& image, const std::vector<int>& k) {
  const int radius = int(k.size()) / 2;
  const int width = image.width;
  Plane<Sum> sums(width, image.height);
  std::vector<Sample> padded(std::size_t(width) + 2 * std::size_t(radius));
  for (int y = 0; y < image.height; y++) {
    for (int x = -radius; x < width + radius; x++) {
      padded[std::size_t(x + radius)] = image.row(y)[reflect_101(x, width)];
    }
    Sum* sum = sums.row(y);
    for (std::size_t i = 0; i < k.size(); i++) {
      const Sample* sample = padded.data() + i;
      for (int x = 0; x < width; x++) sum[x] = Sum(sum[x] + Sum(k[i] * sample[x]));
    }
  }
  return sums;
}

/// The weighted sums along the columns, rounded from 16 fractional bits to integers.
template <class Sample, class Total, class Sum>
Plane<Sample> blur_columns(const Plane<Sum>& sums, const std::vector<int>& k) {
  const int radius = int(k.size()) / 2;
  Plane<Sample> blurred(sums.width, sums.height);
  std::vector<Total> total;
  for (int y = 0; y < sums.height; y++) {
    total.assign(std::size_t(sums.width), 32768);
    for (int j = 0; j < int(k.size()); j++) {
      const Sum* sum = sums.row(reflect_101(y + j - radius, sums.height));
      const Total weight = k[std::size_t(j)];
      for (int x = 0; x < sums.width; x++) total[std::size_t(x)] += weight * sum[x];
    }
    for (int x = 0; x < sums.width; x++) {
      blurred.row(y)[x] = Sample(total[std::size_t(x)] >> 16);
    }
  }
  return blurred;
}

}  // namespace

std::vector<int> taps(double sigma) {
  if (sigma == 0) return {256};
  const int n = round_half_even(6 * sigma + 1) | 1;
  std::vector<double> c(std::size_t(n), 1.0);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double distance = i - (n - 1) / 2;
    if (distance != 0) c[std::size_t(i)] = std::exp(-distance * distance / (2 * sigma * sigma));
    sum += c[std::size_t(i)];
  }
  std::vector<int> k(std::size_t(n), 0);
  double error = 0;
  int outer = 0;
  for (int i = 0; i < n / 2; i++) {
    const double a = 256 * (c[std::size_t(i)] / sum) + error;
    const int rounded = round_half_even(a);
    error = a - rounded;
    k[std::size_t(i)] = k[std::size_t(n - 1 - i)] = rounded;
    outer += rounded;
  }
  k[std::size_t(n / 2)] = 256 - 2 * outer;
  return k;
}

Bytes blur(const Bytes& image, double sigma) {
  const std::vector<int> k = taps(sigma);
  return blur_columns<std::uint8_t, std::int32_t>(blur_rows<std::uint16_t>(image, k), k);
}

Words blur(const Words& image, double sigma) {
  const std::vector<int> k = taps(sigma);
  return blur_columns<std::uint16_t, std::int64_t>(blur_rows<std::uint32_t>(image, k), k);
}

}  // namespace reference
