// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the routes of plans on OpenCL devices with a table, without a device: every route gives
// the same bytes, so no other test fails if a plan takes slower kernels.
#include "opencl/front/route.h"

#include <string>

#include "canny/canny.h"
#include "harness.h"

namespace {

using canny::Params;
using canny::PixelFormat;
using canny::ThresholdMode;

// Sigmas whose blurs fit in tiles of the whole front end, in tiles of a blur, and in none.
constexpr double kFewTaps = 1.4, kManyTaps = 4, kMostTaps = 20;

Params params_of(double sigma, ThresholdMode mode = ThresholdMode::kAbsolute) {
  Params params;
  params.sigma = sigma;
  params.threshold_mode = mode;
  return params;
}

Params with_operator(canny::Operator op) {
  Params params;
  params.gradient_operator = op;
  return params;
}

Params largest_channel(double sigma = kFewTaps) {
  Params params = params_of(sigma);
  params.color_mode = canny::ColorMode::kLargestChannel;
  return params;
}

Params with_view(canny::View view) {
  Params params;
  params.view = view;
  return params;
}

const struct Expected {
  Params params;
  PixelFormat input;
  const char* route;
  const char* generic;  // the route without kernels for most frames
} kExpected[] = {
    {params_of(0), PixelFormat::kRgb, "tile", "blur-tile+generic"},
    {params_of(kFewTaps), PixelFormat::kGray8, "tile", "blur-tile+generic"},
    {params_of(kFewTaps), PixelFormat::kV210, "blur-tile+generic", "blur-tile+generic"},
    {params_of(kManyTaps), PixelFormat::kRgb, "blur-tile+tile", "blur-tile+generic"},
    {params_of(kMostTaps), PixelFormat::kRgb, "blur-multipass+tile", "blur-multipass+generic"},
    {params_of(kFewTaps), PixelFormat::kGray16Le, "blur-tile+generic", "blur-tile+generic"},
    {with_operator(canny::Operator::kScharr), PixelFormat::kRgb, "tile", "blur-tile+generic"},
    {with_operator(canny::Operator::kSobel7), PixelFormat::kRgb, "blur-tile+generic",
     "blur-tile+generic"},
    {with_operator(canny::Operator::kKirsch), PixelFormat::kRgb, "blur-tile+generic",
     "blur-tile+generic"},
    {largest_channel(), PixelFormat::kRgb, "blur-tile+generic", "blur-tile+generic"},
    {largest_channel(kMostTaps), PixelFormat::kRgb, "blur-multipass+generic",
     "blur-multipass+generic"},
    {largest_channel(), PixelFormat::kGray8, "tile", "blur-tile+generic"},
    {params_of(kFewTaps, ThresholdMode::kMedian), PixelFormat::kRgb, "count-luma+blur-tile+generic",
     "count-luma+blur-tile+generic"},
    {params_of(kFewTaps, ThresholdMode::kOtsu), PixelFormat::kRgb,
     "blur-tile+count-responses+generic", "blur-tile+count-responses+generic"},
    {params_of(kMostTaps, ThresholdMode::kQuantile), PixelFormat::kRgb,
     "blur-multipass+count-responses+generic", "blur-multipass+count-responses+generic"},
    {with_view(canny::View::kOverlay), PixelFormat::kRgb, "tile", "blur-tile+generic"},
    {with_view(canny::View::kPasses), PixelFormat::kRgb, "tile", "blur-tile+generic"},
    {with_view(canny::View::kGradient), PixelFormat::kRgb, "blur-tile+view", "blur-tile+view"},
    {with_view(canny::View::kLuma), PixelFormat::kGray8, "blur-tile+view", "blur-tile+view"},
};

}  // namespace

int main() {
  harness::Tally tally;
  for (const Expected& row : kExpected) {
    canny::Plan plan;
    const canny::Status status = make_plan(row.params, row.input, PixelFormat::kGray8, &plan);
    tally.count(status.ok(), status.message());
    const auto expect = [&](const canny::opencl::FrontDevice& device, const std::string& expected) {
      const canny::opencl::FrontRoute route = canny::opencl::route(plan, device);
      tally.count(name(route) == expected, std::string(name(route)) + " instead of " + expected +
                                               " in row " + std::to_string(&row - kExpected));
      const bool is_counted = expected.find("count-") != std::string::npos;
      tally.count(route.derives_on_host == (is_counted && !device.has_doubles),
                  "where the thresholds of " + expected + " are derived");
    };
    expect({}, row.route);
    expect({true, true}, row.generic);
    expect({false, false}, row.route);
  }
  return tally.summary();
}
