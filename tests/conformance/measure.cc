// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares the thresholds that the reference derives from pixels with a second derivation, which
/// sorts lengths where the reference counts them, and with results for drawn images.
///
///     measure [--seed N]
///
/// `--seed N` runs one random case again.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "images.h"
#include "random.h"
#include "reference.h"

namespace {

using canny::Norm;
using reference::Bytes;
using reference::Operator;
using reference::Random;
using reference::Response;
using reference::ThresholdMode;
using reference::Thresholds;

constexpr std::uint64_t kCases = 400;

std::string text(Thresholds t) { return std::to_string(t.low) + " and " + std::to_string(t.high); }

void compare(const std::string& title, Thresholds expected, Thresholds got) {
  conformance::check(expected.low == got.low && expected.high == got.high,
                     title + ": expected " + text(expected) + ", got " + text(got));
}

/// Lengths of all pixels, and of those that suppression keeps.
struct Lengths {
  std::vector<std::int64_t> all, kept;
};

bool is_squared(Norm norm, Operator op) {
  return norm == Norm::kL2 && op != Operator::kRobinson && op != Operator::kKirsch;
}

Lengths lengths_of(const Response& response, Norm norm, Operator op) {
  Lengths lengths;
  // A low threshold of 0 leaves out exactly the pixels without a gradient.
  const Bytes kept = reference::suppress(response.direction, response.magnitude, {0, 0}).candidate;
  for (std::size_t i = 0; i < kept.samples.size(); i++) {
    const auto m = static_cast<long double>(response.magnitude.samples[i]);
    const auto length = std::int64_t(is_squared(norm, op) ? std::floor(std::sqrt(m)) : m);
    lengths.all.push_back(length);
    if (kept.samples[i]) lengths.kept.push_back(length);
  }
  std::sort(lengths.all.begin(), lengths.all.end());
  std::sort(lengths.kept.begin(), lengths.kept.end());
  return lengths;
}

/// Bits that lengths lose to fall into 2048 bins, from the responses to a step between 0 and 255.
int shift_of(Norm norm, Operator op) {
  static constexpr int kBits[][2] = {
      // L1 and L2: 2040 and 1442, 24480 and 17309, 20400 and 14424, 8160 and 5769, ...
      {0, 0}, {4, 4}, {4, 3}, {2, 2}, {0, 0}, {5, 5}, {0, 0}, {0, 0}, {1, 1}};
  return kBits[int(op)][norm == Norm::kL2];
}

/// The bin up to which the variance between classes is largest, from sorted bins.
double otsu(const std::vector<std::int64_t>& kept, int shift) {
  double largest = -1;
  double best = -1;
  for (std::int64_t t = 0; t < 2047; t++) {
    const auto above = std::upper_bound(kept.begin(), kept.end(), ((t + 1) << shift) - 1);
    std::int64_t n0 = 0, n1 = 0, s0 = 0, s1 = 0;
    for (auto i = kept.begin(); i != above; ++i) n0++, s0 += *i >> shift;
    for (auto i = above; i != kept.end(); ++i) n1++, s1 += *i >> shift;
    if (n0 == 0 || n1 == 0) continue;
    const double d = double(s0) / double(n0) - double(s1) / double(n1);
    const double variance = (double(n0) * double(n1)) * (d * d);
    if (variance > largest) largest = variance, best = double(t << shift);
  }
  return best;
}

Thresholds expected_thresholds(ThresholdMode mode, double high_ratio, double low_ratio,
                               const Bytes& luma, const Response& response, Norm norm,
                               Operator op) {
  const Lengths lengths = lengths_of(response, norm, op);
  const int shift = shift_of(norm, op);
  const std::size_t pixels = lengths.all.size();
  double high = 0;
  if (mode == ThresholdMode::kRelative) {
    high = high_ratio * double(lengths.all.back());
  } else if (mode == ThresholdMode::kQuantile) {
    const double index = std::floor(high_ratio * double(pixels));
    const bool is_there = index < double(pixels);
    high = is_there ? double(lengths.all[std::size_t(index)] >> shift << shift)
                    : double(2047 << shift);
  } else if (mode == ThresholdMode::kOtsu) {
    const double t = otsu(lengths.kept, shift);
    high = t < 0 ? 32767 : high_ratio * t;
  } else {
    std::vector<std::uint8_t> sorted = luma.samples;
    std::sort(sorted.begin(), sorted.end());
    high = high_ratio * sorted[(pixels + 1) / 2 - 1];
  }
  double low = low_ratio * high;
  if (low > high) std::swap(low, high);
  if (is_squared(norm, op)) {
    low = std::min(low, 32767.0) * std::min(low, 32767.0);
    high = std::min(high, 32767.0) * std::min(high, 32767.0);
  }
  return {std::int64_t(std::floor(low)), std::int64_t(std::floor(high))};
}

Bytes random_image(Random& random) {
  Bytes image(random.between(1, 40), random.between(1, 40));
  const int most = random.between(0, 3) == 0 ? 255 : random.between(0, 255);
  const int step = random.between(1, 64);
  for (std::uint8_t& p : image.samples) p = std::uint8_t(random.between(0, most) / step * step);
  return image;
}

void check_random(std::uint64_t seed) {
  Random random(seed);
  const Bytes image = random_image(random);
  const double high_ratio = random.between(0, 7) == 0 ? 16 : random.between(0, 2000) / 1000.0;
  const double low_ratio = random.between(0, 1000) / 1000.0;
  for (const Operator op : reference::kOperators) {
    for (const Norm norm : {Norm::kL1, Norm::kL2}) {
      const Response response = reference::respond(image, op, norm);
      for (const auto mode : {ThresholdMode::kRelative, ThresholdMode::kQuantile,
                              ThresholdMode::kOtsu, ThresholdMode::kMedian}) {
        compare("mode " + std::to_string(int(mode)) + ", operator " + std::to_string(int(op)) +
                    ", --seed " + std::to_string(seed),
                expected_thresholds(mode, high_ratio, low_ratio, image, response, norm, op),
                reference::measure(mode, high_ratio, low_ratio, image, response, norm, op));
      }
    }
  }
}

/// 8 columns of 10, then 8 of 60: with Sobel, two columns of 16 rows have a length of 200.
void check_drawn() {
  Bytes step(16, 16);
  for (int i = 0; i < 16 * 16; i++) step.samples[i] = i % 16 < 8 ? 10 : 60;
  const Response response = reference::respond(step, Operator::kSobel, Norm::kL1);
  const auto check = [&](const char* title, ThresholdMode mode, double ratio, Thresholds expected) {
    compare(title, expected,
            reference::measure(mode, ratio, 0.5, step, response, Norm::kL1, Operator::kSobel));
  };
  check("drawn, relative", ThresholdMode::kRelative, 0.2, {20, 40});
  check("drawn, quantile of the flat part", ThresholdMode::kQuantile, 0.7, {0, 0});
  check("drawn, quantile of all but the step", ThresholdMode::kQuantile, 224 / 256.0, {100, 200});
  check("drawn, quantile of everything", ThresholdMode::kQuantile, 1, {1023, 2047});
  check("drawn, Otsu with one class", ThresholdMode::kOtsu, 1, {16383, 32767});
  check("drawn, median", ThresholdMode::kMedian, 1.5, {7, 15});
}

}  // namespace

int main(int argc, char** argv) {
  if (conformance::run(argc, argv, {{"thresholds", kCases, check_random}})) check_drawn();
  return conformance::summary();
}
