// SPDX-License-Identifier: LGPL-2.1-or-later
// Chooses the kernels of a front end. Host code alone, so that tests need no device.
#include "opencl/front/route.h"

#include "canny/route_names.h"
#include "canny/view.h"

namespace canny::opencl {
namespace {

FrontEnd choose_end(const Plan& plan, const FrontDevice& device) {
  if (!needs_thresholds(plan.view)) return FrontEnd::kView;
  const OperatorWeights& weights = plan.weights;
  const bool is_3x3 = weights.form == OperatorForm::kSeparable && weights.reach == 1;
  const bool fits_tile =
      is_3x3 && plan.channels == 1 && !plan.is_deep && !plan.has_measured_thresholds();
  return fits_tile && !device.is_generic_only ? FrontEnd::kTile : FrontEnd::kGeneric;
}

FrontCounter choose_counter(const Plan& plan, FrontEnd end) {
  if (end != FrontEnd::kGeneric || !plan.has_measured_thresholds()) return FrontCounter::kNone;
  return plan.auto_threshold.mode == ThresholdMode::kMedian ? FrontCounter::kLuma
                                                            : FrontCounter::kResponses;
}

FrontSource choose_source(const Plan& plan, FrontEnd end) {
  const int radius = plan.blur.radius();
  if (end == FrontEnd::kTile && radius <= kMaxTileRadius) return FrontSource::kFrame;
  return radius <= kMaxBlurTileRadius ? FrontSource::kBlurTile : FrontSource::kBlurMultipass;
}

}  // namespace

FrontRoute route(const Plan& plan, const FrontDevice& device) {
  FrontRoute route;
  route.end = choose_end(plan, device);
  route.counter = choose_counter(plan, route.end);
  route.source = choose_source(plan, route.end);
  route.derives_on_host = route.counter != FrontCounter::kNone && !device.has_doubles;
  return route;
}

const char* name(const FrontRoute& route) {
  static const RouteNames names({"", "blur-tile", "blur-multipass"},
                                {"", "count-luma", "count-responses"}, {"tile", "generic", "view"});
  return names.name(route.source, route.counter, route.end);
}

}  // namespace canny::opencl
