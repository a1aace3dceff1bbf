// SPDX-License-Identifier: LGPL-2.1-or-later
/// What the settings mean together, and for a frame.
#include <utility>

#include "canny/settings.h"
#include "properties.h"

std::array<const char*, 2> GstCudaCannySettings::follow(std::string_view name) {
  static constexpr char kLow[] = "low-threshold", kHigh[] = "high-threshold";
  low_is_set |= name == kLow;
  high_is_set |= name == kHigh;
  const double low = params.low_threshold, high = params.high_threshold;
  canny::complete_thresholds(low_is_set, high_is_set, &params);
  return {params.low_threshold != low ? kLow : nullptr,
          params.high_threshold != high ? kHigh : nullptr};
}

GstCudaCannyFlatness gst_cuda_canny_flatness(const canny::Params& params,
                                             const canny::Result& result) {
  constexpr double kNoOtsuThreshold = 32767;
  if (!canny::needs_thresholds(params.view)) return GstCudaCannyFlatness::kNone;
  switch (params.threshold_mode) {
    case canny::ThresholdMode::kOtsu:
      return result.high_threshold == kNoOtsuThreshold ? GstCudaCannyFlatness::kNoThreshold
                                                       : GstCudaCannyFlatness::kNone;
    case canny::ThresholdMode::kQuantile:
    case canny::ThresholdMode::kMedian:
      return result.high_threshold == 0 ? GstCudaCannyFlatness::kZero : GstCudaCannyFlatness::kNone;
    default:
      return GstCudaCannyFlatness::kNone;
  }
}

void GstCudaCannySettings::start() {
  started = true;
  warned = 0;
  serial = 0;
  has_live_changes = false;
  has_swapped = false;
  has_told_flat = false;
  has_told_full = false;
}

GstCudaCannyFrameSettings GstCudaCannySettings::take(bool can_keep_format) {
  if (std::exchange(has_live_changes, false)) ++serial;
  GstCudaCannyFrameSettings settings = {params, regions, serial, stats_interval};
  if (!can_keep_format && canny::shows_input(params.view)) settings.params.view = free_view;
  const bool swaps = params.threshold_mode == canny::ThresholdMode::kAbsolute &&
                     params.low_threshold > params.high_threshold;
  settings.is_first_swap = swaps && !has_swapped;
  has_swapped |= swaps;
  return settings;
}

bool GstCudaCannySettings::is_first_late_set(const GParamSpec* pspec) {
  const guint64 bit = guint64{1} << pspec->param_id;
  if (!started || !(pspec->flags & GST_PARAM_MUTABLE_READY)) return false;
  if (warned & bit) return false;
  warned |= bit;
  return true;
}
