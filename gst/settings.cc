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

GstCudaCannyFrameSettings GstCudaCannySettings::take(bool can_keep_format) {
  if (std::exchange(since_start.has_live_changes, false)) ++since_start.serial;
  GstCudaCannyFrameSettings settings = {params, regions, since_start.serial, stats_interval};
  if (!can_keep_format && canny::shows_input(params.view)) settings.params.view = free_view;
  const bool swaps = params.threshold_mode == canny::ThresholdMode::kAbsolute &&
                     params.low_threshold > params.high_threshold;
  settings.is_first_swap = swaps && !std::exchange(since_start.has_swapped, true);
  return settings;
}

bool GstCudaCannySettings::is_first_late_set(const GParamSpec* pspec) {
  const guint64 bit = guint64{1} << pspec->param_id;
  if (!started || !(pspec->flags & GST_PARAM_MUTABLE_READY)) return false;
  if (since_start.warned & bit) return false;
  since_start.warned |= bit;
  return true;
}
