// SPDX-License-Identifier: LGPL-2.1-or-later
// Fills in what kernels are told.
#include "opencl/front/memory.h"

#include <algorithm>

#include "canny/constants.h"
#include "canny/frame.h"
#include "canny/transfer.h"

namespace canny::opencl {
namespace {

constexpr int kHistogramWords = kBins + 2;

}  // namespace

Source source_of(PixelFormat format, int channels, const Image& image, int width, int height) {
  const PixelLayout& pixel = layout(format);
  const PixelLayout at = channels > 1 ? in_order_of_channels(pixel) : pixel;
  const auto type = static_cast<cl_int>(at.type);
  Source source = {{},       {},      width,         height,   channels,         at.planes,
                   at.bytes, at.bits, at.green_bits, at.group, at.is_big_endian, {at.r, at.g, at.b},
                   type,     0};
  std::copy_n(image.offset, 3, source.offset);
  std::copy_n(image.stride, 3, source.stride);
  return source;
}

Weights weights_of(const Plan& plan) {
  const OperatorWeights& from = plan.weights;
  Weights weights = {};
  weights.form = static_cast<cl_int>(from.form);
  weights.reach = from.reach;
  weights.shift = from.shift;
  weights.is_l2 = plan.norm == Norm::kL2;
  std::copy_n(from.smooth, kMaxOperatorSize, weights.smooth);
  std::copy_n(from.difference, kMaxOperatorSize, weights.difference);
  std::copy_n(from.east, 8, weights.east);
  return weights;
}

std::string options_of_front(bool is_deep) {
  return "-cl-std=CL1.2" + define("IS_DEEP", is_deep) +
         define("kFloat32", static_cast<int>(SampleType::kFloat32)) +
         define("kFloat16", static_cast<int>(SampleType::kFloat16)) + define("kLumaRed", kLumaRed) +
         define("kLumaGreen", kLumaGreen) + define("kLumaBlue", kLumaBlue) +
         define("kLumaHalf", kLumaHalf) + define("kLumaShift", kLumaShift) +
         define("kTangent", kTangent) + define("kTangentShift", kTangentShift);
}

Limits limits_of(const Plan& plan, const Measured& measured) {
  const bool has_measured = plan.has_measured_thresholds();
  const Thresholds& shallow = has_measured ? measured.thresholds : plan.thresholds;
  const DeepThresholds& deep = has_measured ? measured.deep_thresholds : plan.deep_thresholds;
  if (plan.is_deep) return {deep.low, deep.high};
  return {shallow.low, shallow.high};
}

Status FrontMemory::open(const Queue& of_device) {
  queue = &of_device;
  CANNY_TRY(histogram.reserve(*queue, kHistogramWords * sizeof(cl_uint)));
  return derived.reserve(*queue, sizeof(DeviceMeasured));
}

Status FrontMemory::set_size(int new_width, int new_height) {
  width = height = 0;
  for (Buffer* buffer : {&samples, &sums, &candidate, &strong}) buffer->release();
  const std::size_t plane = word_row_bytes(new_width) * new_height;
  CANNY_TRY(candidate.reserve(*queue, plane));
  CANNY_TRY(strong.reserve(*queue, plane));
  width = new_width;
  height = new_height;
  return {};
}

Status FrontMemory::clear_histogram() { return histogram.fill(*queue, 0, histogram.capacity()); }

Status FrontMemory::measure(const Plan& plan, bool has_region) {
  cl_uint words[kHistogramWords];
  CANNY_TRY(histogram.read(*queue, words, sizeof words));
  Histogram counts;
  std::copy_n(words, kBins, counts.bins);
  counts.largest = words[kBins];
  measured = measure_thresholds(plan, counts, has_region ? words[kBins + 1] : pixels());
  is_derived = false;
  return {};
}

}  // namespace canny::opencl
