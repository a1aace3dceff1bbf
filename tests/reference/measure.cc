// SPDX-License-Identifier: LGPL-2.1-or-later
/// Thresholds that follow from the pixels of a frame.
#include <algorithm>
#include <cmath>

#include "reference.h"

namespace reference {
namespace {

constexpr int kBins = 2048;
using Histogram = std::vector<std::int64_t>;

int shift_of(Operator op, canny::Norm norm) {
  const int a = 255 * gain(op);
  const int largest = !has_norm(op)              ? a
                      : norm == canny::Norm::kL1 ? 2 * a
                                                 : int(std::floor(a * std::sqrt(2.0)));
  int shift = 0;
  while (largest >> shift >= kBins) shift++;
  return shift;
}

/// The largest integer whose square is at most m.
std::int64_t root(std::int64_t m) {
  auto result = std::int64_t(std::sqrt(double(m)));
  while (result * result > m) result--;
  while ((result + 1) * (result + 1) <= m) result++;
  return result;
}

/// high-ratio * N is a product of doubles. Without such a bin, the last one.
int quantile(const Histogram& bins, double ratio, std::size_t pixels) {
  const double most = ratio * double(pixels);
  std::int64_t count = 0;
  for (int bin = 0; bin < kBins; bin++) {
    count += bins[bin];
    if (double(count) > most) return bin;
  }
  return kBins - 1;
}

/// The first bin with the largest variance between the classes up to it and above it, or -1.
int otsu(const Histogram& bins) {
  std::int64_t n = 0;
  std::int64_t s = 0;
  for (int bin = 0; bin < kBins; bin++) {
    n += bins[bin];
    s += bin * bins[bin];
  }
  int best = -1;
  double largest = 0;
  std::int64_t n0 = 0;
  std::int64_t s0 = 0;
  for (int t = 0; t + 1 < kBins; t++) {
    n0 += bins[t];
    s0 += t * bins[t];
    const std::int64_t n1 = n - n0;
    if (n0 == 0 || n1 == 0) continue;
    const double d = double(s0) / double(n0) - double(s - s0) / double(n1);
    const double variance = (double(n0) * double(n1)) * (d * d);
    if (best >= 0 && variance <= largest) continue;
    largest = variance;
    best = t;
  }
  return best;
}

/// Of no samples 0.
int median(const std::vector<std::uint8_t>& luma) {
  std::vector<std::size_t> counts(256);
  for (const std::uint8_t v : luma) counts[v]++;
  int v = 0;
  for (std::size_t count = counts[0]; 2 * count < luma.size(); count += counts[v]) v++;
  return v;
}

/// The samples whose pixels are inside.
template <class Sample>
std::vector<Sample> samples_of(const Plane<Sample>& plane, const Bytes* inside) {
  std::vector<Sample> result;
  for (std::size_t i = 0; i < plane.samples.size(); i++)
    if (inside == nullptr || inside->samples[i]) result.push_back(plane.samples[i]);
  return result;
}

double high_threshold(ThresholdMode mode, double ratio, const Bytes& luma, const Response& response,
                      const Magnitudes& g, int shift, const Bytes* inside) {
  if (mode == ThresholdMode::kMedian) return ratio * median(samples_of(luma, inside));
  const std::vector<std::int64_t> counted = samples_of(g, inside);
  if (mode == ThresholdMode::kRelative) {
    std::int64_t largest = 0;
    for (const std::int64_t length : counted) largest = std::max(largest, length);
    return ratio * double(largest);
  }
  Histogram bins(kBins);
  if (mode == ThresholdMode::kQuantile) {
    for (const std::int64_t length : counted) bins[length >> shift]++;
    return quantile(bins, ratio, counted.size()) << shift;
  }
  // Every pixel that suppression keeps is a candidate for a low threshold of -1.
  const Bytes kept = suppress(response.direction, response.magnitude, {-1, -1}).candidate;
  for (std::size_t i = 0; i < g.samples.size(); i++)
    if ((inside == nullptr || inside->samples[i]) && kept.samples[i] && g.samples[i] > 0)
      bins[g.samples[i] >> shift]++;
  const int t = otsu(bins);
  return t < 0 ? 32767 : ratio * (t << shift);
}

}  // namespace

Magnitudes lengths(const Response& response, canny::Norm norm, Operator op) {
  Magnitudes result = response.magnitude;
  const bool is_squared = norm == canny::Norm::kL2 && has_norm(op);
  for (std::int64_t& m : result.samples) m = (is_squared ? root(m) : m) / response.unit;
  return result;
}

Thresholds measure(ThresholdMode mode, double high_ratio, double low_ratio, const Bytes& luma,
                   const Response& response, canny::Norm norm, Operator op, const Bytes* inside,
                   Limits* limits) {
  const Magnitudes g = lengths(response, norm, op);
  const double high =
      high_threshold(mode, high_ratio, luma, response, g, shift_of(op, norm), inside);
  const double low = low_ratio * high;
  if (limits != nullptr) *limits = {low, high};
  // Lengths are those of the operator after its division, so that of kSobel7 does not count again.
  return thresholds(low, high, norm, has_norm(op) ? Operator::kSobel : op, response.unit);
}

}  // namespace reference
