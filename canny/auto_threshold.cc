// SPDX-License-Identifier: LGPL-2.1-or-later
// Derives thresholds from a histogram.
#include "canny/auto_threshold.h"

namespace canny {
namespace {

// The smallest bin such that more than a share `ratio` of the pixels is in it or before it, or the
// last bin.
int quantile(const Histogram& histogram, double ratio, std::uint64_t pixels) {
  const double most = ratio * static_cast<double>(pixels);
  std::uint64_t count = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    count += histogram.bins[bin];
    if (static_cast<double>(count) > most) return bin;
  }
  return kBins - 1;
}

// The smallest bin such that at least half of the pixels are in it or before it.
int median(const Histogram& histogram, std::uint64_t pixels) {
  int bin = 0;
  for (std::uint64_t count = histogram.bins[0]; 2 * count < pixels; count += histogram.bins[bin])
    ++bin;
  return bin;
}

// Samples and their sum.
struct Class {
  std::uint64_t count = 0, sum = 0;

  void add(int bin, std::uint32_t samples) {
    count += samples;
    sum += static_cast<std::uint64_t>(bin) * samples;
  }
};

// The last bin of the lower class, or -1 if there are no two classes.
int otsu(const Histogram& histogram) {
  Class all, lower;
  for (int bin = 0; bin < kBins; ++bin) all.add(bin, histogram.bins[bin]);
  int best = -1;
  double largest = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    lower.add(bin, histogram.bins[bin]);
    const Class upper = {all.count - lower.count, all.sum - lower.sum};
    if (lower.count == 0 || upper.count == 0) continue;
    const double variance =
        variance_between(static_cast<double>(lower.count), static_cast<double>(lower.sum),
                         static_cast<double>(upper.count), static_cast<double>(upper.sum));
    if (best >= 0 && variance <= largest) continue;
    largest = variance;
    best = bin;
  }
  return best;
}

double high_threshold(const Plan& plan, const Histogram& histogram, std::uint64_t pixels) {
  const AutoThreshold& automatic = plan.auto_threshold;
  switch (automatic.mode) {
    case ThresholdMode::kRelative:
      return automatic.high_ratio * histogram.largest;
    case ThresholdMode::kQuantile:
      return quantile(histogram, automatic.high_ratio, pixels) << automatic.bin_shift;
    case ThresholdMode::kOtsu: {
      const int bin = otsu(histogram);
      return bin < 0 ? kNoOtsuThreshold : automatic.high_ratio * (bin << automatic.bin_shift);
    }
    case ThresholdMode::kMedian:
      return automatic.high_ratio * median(histogram, pixels);
    case ThresholdMode::kAbsolute:
      break;
  }
  return 0;
}

}  // namespace

FrameThresholds measure_thresholds(const Plan& plan, const Histogram& histogram,
                                   std::uint64_t pixels) {
  return measured_thresholds(plan.auto_threshold, high_threshold(plan, histogram, pixels),
                             plan.is_squared());
}

}  // namespace canny
