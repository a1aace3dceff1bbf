// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the thresholds of a frame on the CPU.
#include "canny/auto_threshold.h"
#include "cpu/backend.h"

namespace canny::cpu {
namespace {

// A quantile of a sample is probably that of the frame for a share that differs by less.
constexpr double kSampleError = 0.05;

// Whether measure() leaves the luma of a frame, not its blurred channels.
bool has_luma_image(const Plan& plan) { return plan.auto_threshold.mode == ThresholdMode::kMedian; }

}  // namespace

Histogram CpuBackend::count(const FrontSink& sink, const Plan& plan, const ConstFrame& input,
                            const SampleImage* blurred) {
  start_fronts(plan);
  for (Front& front : fronts_) front.clear_counts(plan);
  run_front(sink, plan, input, blurred);
  Histogram histogram;
  for (const Front& front : fronts_) front.add_counts(plan, &histogram);
  return histogram;
}

// Counts only bins around the quantile of a sample. If the frame's own is not among them, counts
// all.
FrameThresholds CpuBackend::measure_quantile(const Plan& plan, const ConstFrame& input) {
  const std::uint64_t all = pixels(), sampled = pixels(kRowsPerSample);
  const auto measure = [&](const Histogram& histogram, double more, std::uint64_t pixels) {
    Plan other = plan;
    other.auto_threshold.high_ratio += more;
    return measure_thresholds(other, histogram, pixels);
  };
  const auto bin = [&](const FrameThresholds& measured) {
    return static_cast<int>(measured.high) >> plan.auto_threshold.bin_shift;
  };
  const auto count_in = [&](const BinRange& range) {
    return measure(count(CountSink{nullptr, false, range}, plan, input, &image_), 0, all);
  };
  const Histogram sample = count(CountSink{&image_, true}, plan, input);
  const BinRange range = {bin(measure(sample, -kSampleError, sampled)),
                          bin(measure(sample, kSampleError, sampled)) + 1};
  const FrameThresholds measured = count_in(range);
  return range.has(bin(measured)) ? measured : count_in({});
}

// The number of pixels that count in every `step`-th row, from the top row on.
std::uint64_t CpuBackend::pixels(int step) const {
  if (region_.is_set()) return region_.pixels(step);
  return static_cast<std::uint64_t>(candidate_.width) * ((candidate_.height - 1) / step + 1);
}

void CpuBackend::measure(const Plan& plan, const ConstFrame& input) {
  if (!plan.has_measured_thresholds()) return;
  const int channels = has_luma_image(plan) ? 1 : plan.channels;
  image_.set_size(candidate_.words_per_row(), candidate_.height, channels, plan.is_deep ? 2 : 1);
  if (plan.auto_threshold.mode == ThresholdMode::kQuantile) {
    measured_ = measure_quantile(plan, input);
    return;
  }
  const Histogram histogram = has_luma_image(plan) ? count(LumaSink{&image_}, plan, input)
                                                   : count(CountSink{&image_}, plan, input);
  measured_ = measure_thresholds(plan, histogram, pixels());
}

// The pixels that make the bits of a frame after measure().
ConstFrame CpuBackend::source(const Plan& plan, const ConstFrame& input) const {
  if (!has_luma_image(plan) || plan.channels > 1) return input;
  const PixelFormat format = plan.is_deep ? PixelFormat::kGray16Le : PixelFormat::kGray8;
  return {image_.row(0, 0), image_.stride(), input.width, input.height, format, Memory::kHost};
}

// The blurred rows that measure() leaves instead, or null.
const SampleImage* CpuBackend::blurred_image(const Plan& plan) const {
  return plan.has_measured_thresholds() && !has_luma_image(plan) ? &image_ : nullptr;
}

}  // namespace canny::cpu
