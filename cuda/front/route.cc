// SPDX-License-Identifier: LGPL-2.1-or-later
// Chooses the kernels of a front end. Host code alone, so that tests need no device.
#include "cuda/front/route.h"

#include "canny/frame.h"
#include "canny/route_names.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// Whether kernels that compute two gradients at a time can.
bool has_pairs(const Plan& plan) {
  const bool is_3x3 = plan.weights.form == OperatorForm::kSeparable && plan.weights.reach == 1;
  return is_3x3 && plan.channels == 1 && !plan.is_deep;
}

FrontEnd choose_end(const Plan& plan, const FrontDevice& device) {
  if (!needs_thresholds(plan.view))
    return plan.view == View::kGradient && has_pairs(plan) ? FrontEnd::kPairsView : FrontEnd::kView;
  if (device.is_generic_only) return FrontEnd::kGeneric;
  const bool is_thin_luma = plan.is_thin && plan.channels == 1;
  const bool is_sobel = is_thin_luma && plan.op == Operator::kSobel;
  const bool fits_tile = is_sobel && plan.blur.count <= kTileTaps;
  if (plan.is_deep) return fits_tile ? FrontEnd::kDeepTile : FrontEnd::kGeneric;
  if (device.has_strips && is_thin_luma && has_pairs(plan) && plan.blur.count <= kWideStripTaps) {
    if (plan.auto_threshold.mode == ThresholdMode::kOtsu) return FrontEnd::kMaxima;
    return is_sobel ? FrontEnd::kStrip : FrontEnd::kWeightedStrip;
  }
  return fits_tile && !plan.has_measured_thresholds() ? FrontEnd::kTile : FrontEnd::kGeneric;
}

FrontCounter choose_counter(const Plan& plan, FrontEnd end) {
  switch (plan.auto_threshold.mode) {
    case ThresholdMode::kAbsolute:
      return FrontCounter::kNone;
    case ThresholdMode::kMedian:
      return FrontCounter::kLuma;
    case ThresholdMode::kOtsu:
      return end == FrontEnd::kMaxima ? FrontCounter::kNone : FrontCounter::kResponses;
    case ThresholdMode::kRelative:
    case ThresholdMode::kQuantile:
      break;
  }
  return has_pairs(plan) ? FrontCounter::kPairs : FrontCounter::kResponses;
}

// Whether the last kernel takes pixels that are not blurred.
bool blurs(FrontEnd end, const Plan& plan) {
  return plan.blur.count <= kStripTaps &&
         (end == FrontEnd::kStrip || end == FrontEnd::kWeightedStrip || end == FrontEnd::kTile ||
          end == FrontEnd::kDeepTile);
}

FrontSource choose_blur(const Plan& plan, const FrontDevice& device) {
  if (!device.has_strips || plan.is_deep || plan.blur.count > kWideStripTaps)
    return FrontSource::kBlurMultipass;
  if (plan.blur.count > kStripTaps) return FrontSource::kBlurWideStrip;
  const PixelLayout& pixels = layout(plan.input);
  const bool is_readable = plan.channels == 3
                               ? pixels.green_bits == 0 && !needs_deep_luma(plan.input)
                               : !needs_luma(plan.input);
  if (!is_readable) return FrontSource::kBlurMultipass;
  const bool are_packed = pixels.planes == 1 && pixels.bytes >= 3;
  return plan.channels == 3 && are_packed && plan.blur.count <= kColorTaps
             ? FrontSource::kBlurColors
             : FrontSource::kBlurStrip;
}

FrontSource choose_source(const Plan& plan, const FrontDevice& device, const FrontRoute& route) {
  const bool counts_gradients =
      route.counter == FrontCounter::kPairs || route.counter == FrontCounter::kResponses;
  if (counts_gradients || !blurs(route.end, plan)) return choose_blur(plan, device);
  const bool has_counted_luma =
      route.counter == FrontCounter::kLuma && plan.input != PixelFormat::kGray8;
  return has_counted_luma || needs_luma(plan.input) ? FrontSource::kLuma : FrontSource::kFrame;
}

}  // namespace

FrontRoute route(const Plan& plan, const FrontDevice& device) {
  FrontRoute route;
  route.end = choose_end(plan, device);
  route.counter = choose_counter(plan, route.end);
  route.source = choose_source(plan, device, route);
  route.has_row_sums = route.source == FrontSource::kBlurMultipass && !plan.blur.is_identity();
  return route;
}

const char* name(const FrontRoute& route) {
  static const RouteNames names(
      {"", "luma", "blur-strip", "blur-colors", "blur-wide-strip", "blur-multipass"},
      {"", "count-luma", "count-pairs", "count-responses"},
      {"strip", "weighted-strip", "maxima", "tile", "generic", "deep-tile", "view", "pairs-view"});
  return names.name(route.source, route.counter, route.end);
}

bool needs_luma(PixelFormat format) {
  const PixelLayout& pixels = layout(format);
  return pixels.planes > 1 || pixels.green_bits > 0 || needs_deep_luma(format);
}

bool needs_deep_luma(PixelFormat format) {
  return is_deep(format) && (layout(format).bytes != 2 || layout(format).has_floats());
}

}  // namespace canny::cuda
