// SPDX-License-Identifier: LGPL-2.1-or-later
// The fastest front end, for compute capability 8.0 and up. A warp walks down a strip of 64 columns
// and turns 16 rows at a time into words of both planes, while the next 16 rows are copied to
// shared memory. Both directions of the Gaussian blur are products with banded matrices of taps on
// the tensor cores. Gradients of two pixels are computed at a time. Suppression runs only where a
// magnitude exceeds the low threshold.
#include <algorithm>

#include "cuda/front/strip/kernel.h"
#include "cuda/front/strip/sobel.h"

namespace canny::cuda {
namespace strip {

static_assert(kWideStripTaps == 2 * Reach<kWideReach>::kRadius + 1);
static_assert(kMostProducts == Reach<kWideReach>::kProducts);
static_assert(kStripTaps == 2 * Reach<24>::kRadius + 1);
static_assert(kColorTaps == 2 * Reach<8>::kRadius + 1);

StripArguments strip_arguments(const FrontArguments& arguments, const ColorWeights& weights,
                               void* stored) {
  const Plan& plan = arguments.plan;
  StripArguments strip = {};
  strip.luma = luma_words(layout(arguments.input.format), weights);
  strip.side = plan.weights.smooth[0];
  strip.middle = plan.weights.smooth[1];
  strip.thresholds = ThresholdArguments::of(plan, arguments.measured);
  strip.is_busy = arguments.device.is_busy ? 1 : 0;
  strip.stored = stored;
  strip.pitch = arguments.buffers.pitch;
  return strip;
}

// Short tiles compute more rows twice. Long tiles leave multiprocessors idle at the end, and few
// tiles leave them idle throughout, unless other frames use them.
int strip_rows(const ConstFrame& input, int apron, const FrontDevice& device, int busy_tiles) {
  const std::int64_t rows =
      std::int64_t{input.height} * blocks(input.width, kStrip) * input.batch.count;
  const auto rows_of = [&](int tiles) {
    return static_cast<int>(rows / (std::int64_t{tiles} * device.multiprocessors));
  };
  const int alone =
      std::max(rows_of(kStripTiles), std::min(rows_of(kFewStripTiles), kFewStripRows));
  const int best = device.is_busy ? std::max(alone, rows_of(busy_tiles)) : alone;
  const int most = device.is_busy ? kMaxBusyStripSteps : kMaxStripSteps;
  const int steps = (best + 2 * apron + kStep / 2) / kStep;
  return std::clamp(steps, 1, most) * kStep - 2 * apron;
}

int rows_of_strips(const FrontArguments& arguments) {
  static_assert(kFewestStripRows == kStep - 2 * kApron);
  static_assert(kMaxStripSteps <= kMaxBusyStripSteps);
  static_assert(kMostStripRows == kMaxBusyStripSteps * kStep - 2 * kApron);
  static_assert(kFewestStripRows <= kRegionStripRows && kRegionStripRows <= kMostStripRows);
  return arguments.region.is_set() ? kRegionStripRows
                                   : strip_rows(arguments.input, kApron, arguments.device);
}

}  // namespace strip

Status front_strip(const FrontArguments& arguments, Launcher* launcher) {
  using namespace strip;
  return arguments.plan.norm == Norm::kL2
             ? launch_strips<SobelMath<Norm::kL2>>(arguments, launcher)
             : launch_strips<SobelMath<Norm::kL1>>(arguments, launcher);
}

}  // namespace canny::cuda
