// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the routes of plans on CUDA devices with a table, without a device: every route gives
// the same bytes, so no other test fails if a plan takes slower kernels.
#include "cuda/front/route.h"

#include <cstddef>
#include <string>

#include "harness.h"

namespace {

using canny::ColorMode;
using canny::LumaDepth;
using canny::Operator;
using canny::Params;
using canny::PixelFormat;
using canny::ThresholdMode;
using canny::View;
using canny::cuda::FrontDevice;
using canny::cuda::FrontRoute;

harness::Tally tally;

// Sigmas of up to 9, 13, 45 and 77 taps, and of more.
constexpr double kFewTaps = 1.4, kMoreTaps = 2, kManyTaps = 7, kWideTaps = 12.6, kMostTaps = 13;

Params with_sigma(double sigma) {
  Params params;
  params.sigma = sigma;
  return params;
}

Params with_mode(ThresholdMode mode, double sigma = kFewTaps) {
  Params params = with_sigma(sigma);
  params.threshold_mode = mode;
  return params;
}

Params with_operator(Operator op, ThresholdMode mode = ThresholdMode::kAbsolute) {
  Params params = with_mode(mode);
  params.gradient_operator = op;
  return params;
}

Params thick(ThresholdMode mode = ThresholdMode::kAbsolute) {
  Params params = with_mode(mode);
  params.thin_edges = false;
  return params;
}

Params largest_channel(double sigma = kFewTaps, ThresholdMode mode = ThresholdMode::kAbsolute) {
  Params params = with_mode(mode, sigma);
  params.color_mode = ColorMode::kLargestChannel;
  return params;
}

Params with_view(View view, Operator op = Operator::kSobel) {
  Params params = with_operator(op);
  params.view = view;
  return params;
}

Params with_8_bits(Params params = {}) {
  params.luma_depth = LumaDepth::k8;
  return params;
}

struct Expected {
  Params params;
  PixelFormat input;
  const char* strips;    // the route on compute capability 8.0 and up
  const char* portable;  // and before
};

constexpr auto kRgb = PixelFormat::kRgb, kGray8 = PixelFormat::kGray8,
               kPlanes = PixelFormat::kRgbPlanes, kWord = PixelFormat::kRgb16,
               kDeep = PixelFormat::kGray16Le, kDeepColors = PixelFormat::kRgbx64Le;

const Expected kLuma[] = {
    {{}, kRgb, "strip", "tile"},
    {{}, kGray8, "strip", "tile"},
    {{}, PixelFormat::kBgrx, "strip", "tile"},
    {{}, kPlanes, "luma+strip", "luma+tile"},
    {{}, kWord, "luma+strip", "luma+tile"},
    {with_sigma(0), kRgb, "strip", "tile"},
    {with_sigma(kMoreTaps), kRgb, "strip", "blur-multipass+generic"},
    {with_sigma(kManyTaps), kRgb, "strip", "blur-multipass+generic"},
    {with_sigma(kManyTaps), kPlanes, "luma+strip", "blur-multipass+generic"},
    {with_sigma(kWideTaps), kRgb, "blur-wide-strip+strip", "blur-multipass+generic"},
    {with_sigma(kMostTaps), kRgb, "blur-multipass+generic", "blur-multipass+generic"},
    {with_view(View::kOverlay), kRgb, "strip", "tile"},
    {with_view(View::kClasses), kRgb, "strip", "tile"},
};

const Expected kOperators[] = {
    {with_operator(Operator::kScharr), kRgb, "weighted-strip", "blur-multipass+generic"},
    {with_operator(Operator::kPrewitt), kPlanes, "luma+weighted-strip", "blur-multipass+generic"},
    {with_operator(Operator::kKroon), kGray8, "weighted-strip", "blur-multipass+generic"},
    {with_operator(Operator::kSobel5), kRgb, "blur-strip+generic", "blur-multipass+generic"},
    {with_operator(Operator::kSobel7), kPlanes, "blur-multipass+generic", "blur-multipass+generic"},
    {with_operator(Operator::kRoberts), kRgb, "blur-strip+generic", "blur-multipass+generic"},
    {with_operator(Operator::kKirsch), kRgb, "blur-strip+generic", "blur-multipass+generic"},
    {thick(), kRgb, "blur-strip+generic", "blur-multipass+generic"},
};

const Expected kThresholds[] = {
    {with_mode(ThresholdMode::kRelative), kRgb, "blur-strip+count-pairs+strip",
     "blur-multipass+count-pairs+generic"},
    {with_mode(ThresholdMode::kQuantile), kPlanes, "blur-multipass+count-pairs+strip",
     "blur-multipass+count-pairs+generic"},
    {with_mode(ThresholdMode::kQuantile, kWideTaps), kPlanes, "blur-wide-strip+count-pairs+strip",
     "blur-multipass+count-pairs+generic"},
    {with_mode(ThresholdMode::kQuantile, kMostTaps), kRgb, "blur-multipass+count-pairs+generic",
     "blur-multipass+count-pairs+generic"},
    {with_mode(ThresholdMode::kOtsu), kRgb, "blur-strip+maxima",
     "blur-multipass+count-responses+generic"},
    {with_mode(ThresholdMode::kMedian), kRgb, "count-luma+strip",
     "count-luma+blur-multipass+generic"},
    {with_mode(ThresholdMode::kMedian), kGray8, "count-luma+strip",
     "count-luma+blur-multipass+generic"},
    {with_operator(Operator::kScharr, ThresholdMode::kQuantile), kRgb,
     "blur-strip+count-pairs+weighted-strip", "blur-multipass+count-pairs+generic"},
    {with_operator(Operator::kKroon, ThresholdMode::kOtsu), kRgb, "blur-strip+maxima",
     "blur-multipass+count-responses+generic"},
    {with_operator(Operator::kSobel5, ThresholdMode::kQuantile), kRgb,
     "blur-strip+count-responses+generic", "blur-multipass+count-responses+generic"},
    {with_operator(Operator::kKirsch, ThresholdMode::kMedian), kRgb,
     "count-luma+blur-strip+generic", "count-luma+blur-multipass+generic"},
    {thick(ThresholdMode::kRelative), kRgb, "blur-strip+count-pairs+generic",
     "blur-multipass+count-pairs+generic"},
    {thick(ThresholdMode::kOtsu), kRgb, "blur-strip+count-responses+generic",
     "blur-multipass+count-responses+generic"},
};

const Expected kColors[] = {
    {largest_channel(), kRgb, "blur-colors+generic", "blur-multipass+generic"},
    {largest_channel(kMoreTaps), kRgb, "blur-colors+generic", "blur-multipass+generic"},
    {largest_channel(kManyTaps), kRgb, "blur-strip+generic", "blur-multipass+generic"},
    {largest_channel(kWideTaps), kWord, "blur-wide-strip+generic", "blur-multipass+generic"},
    {largest_channel(), kPlanes, "blur-strip+generic", "blur-multipass+generic"},
    {largest_channel(), kWord, "blur-multipass+generic", "blur-multipass+generic"},
    {largest_channel(), kGray8, "strip", "tile"},
    {largest_channel(kFewTaps, ThresholdMode::kQuantile), kRgb,
     "blur-colors+count-responses+generic", "blur-multipass+count-responses+generic"},
};

// Deep samples take the same kernels on all devices.
const Expected kDeepSamples[] = {
    {{}, kDeep, "deep-tile", "deep-tile"},
    {{}, kDeepColors, "luma+deep-tile", "luma+deep-tile"},
    {{}, PixelFormat::kV210, "luma+deep-tile", "luma+deep-tile"},
    {with_sigma(kMoreTaps), kDeep, "blur-multipass+generic", "blur-multipass+generic"},
    {with_mode(ThresholdMode::kMedian), kDeep, "count-luma+deep-tile", "count-luma+deep-tile"},
    {with_mode(ThresholdMode::kOtsu), kDeep, "blur-multipass+count-responses+deep-tile",
     "blur-multipass+count-responses+deep-tile"},
    {with_operator(Operator::kScharr), kDeep, "blur-multipass+generic", "blur-multipass+generic"},
    {largest_channel(), kDeepColors, "blur-multipass+generic", "blur-multipass+generic"},
    {{}, PixelFormat::kGrayF16, "luma+deep-tile", "luma+deep-tile"},
    {{}, PixelFormat::kRgbPlanesF32, "luma+deep-tile", "luma+deep-tile"},
    {with_8_bits(), PixelFormat::kGrayBf16, "luma+strip", "luma+tile"},
    {with_8_bits(largest_channel()), PixelFormat::kRgbPlanesF16, "blur-multipass+generic",
     "blur-multipass+generic"},
    {with_8_bits(), kDeep, "strip", "tile"},
    {with_8_bits(), kDeepColors, "luma+strip", "luma+tile"},
    {with_8_bits(largest_channel()), kDeepColors, "blur-multipass+generic",
     "blur-multipass+generic"},
};

const Expected kViews[] = {
    {with_view(View::kGradient), kRgb, "blur-strip+pairs-view", "blur-multipass+pairs-view"},
    {with_view(View::kGradient, Operator::kSobel7), kRgb, "blur-strip+view", "blur-multipass+view"},
    {with_view(View::kSuppressed), kRgb, "blur-strip+view", "blur-multipass+view"},
    {with_view(View::kDirection), kDeep, "blur-multipass+view", "blur-multipass+view"},
    {with_view(View::kLuma), kRgb, "blur-strip+view", "blur-multipass+view"},
    {with_view(View::kBlurred), kGray8, "blur-strip+view", "blur-multipass+view"},
};

FrontRoute route_of(const Params& params, PixelFormat input, bool has_strips) {
  canny::Plan plan;
  const canny::Status status = make_plan(params, input, PixelFormat::kGray8, &plan);
  tally.count(status.ok(), status.message());
  FrontDevice device;
  device.has_strips = has_strips;
  return route(plan, device);
}

template <std::size_t kCount>
void test_table(const char* table, const Expected (&rows)[kCount]) {
  for (std::size_t i = 0; i < kCount; ++i) {
    const Expected& row = rows[i];
    const auto test = [&](bool has_strips, const std::string& expected) {
      const std::string found = name(route_of(row.params, row.input, has_strips));
      tally.count(found == expected, std::string(table) + ", row " + std::to_string(i) + ": " +
                                         found + " instead of " + expected);
    };
    test(true, row.strips);
    test(false, row.portable);
  }
}

// The memory of a frame, by its route.
void test_memory() {
  struct Memory {
    Params params;
    PixelFormat input;
    bool has_images, has_row_sums;
  };
  const Memory expected[] = {
      {{}, kRgb, false, false},
      {{}, kPlanes, true, false},
      {with_mode(ThresholdMode::kMedian), kGray8, false, false},
      {with_mode(ThresholdMode::kMedian), kRgb, true, false},
      {with_mode(ThresholdMode::kOtsu), kRgb, true, false},
      {with_sigma(kMostTaps), kGray8, true, true},
      {with_operator(Operator::kScharr), kDeep, true, true},
      {with_view(View::kLuma), kPlanes, true, false},
  };
  for (const Memory& memory : expected) {
    const FrontRoute route = route_of(memory.params, memory.input, true);
    tally.count(
        route.has_images() == memory.has_images && route.has_row_sums == memory.has_row_sums,
        std::string("the memory of ") + name(route));
  }
}

}  // namespace

int main() {
  test_table("luma", kLuma);
  test_table("operators", kOperators);
  test_table("thresholds", kThresholds);
  test_table("colors", kColors);
  test_table("deep samples", kDeepSamples);
  test_table("views", kViews);
  test_memory();
  return tally.summary();
}
