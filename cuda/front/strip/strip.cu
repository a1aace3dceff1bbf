// SPDX-License-Identifier: LGPL-2.1-or-later
// The fastest front end, for compute capability 8.0 and up. A warp walks down a strip of 64 columns
// and turns 16 rows at a time into words of both planes, while the next 16 rows are copied to
// shared memory. Both directions of the Gaussian blur are products with banded matrices of taps on
// the tensor cores. Gradients of two pixels are computed at a time. Suppression runs only where a
// magnitude exceeds the low threshold.
#include <algorithm>

#include "cuda/check.h"
#include "cuda/front/strip/kernel.h"
#include "cuda/front/strip/sobel.h"

namespace canny::cuda {
namespace strip {

static_assert(kWideStripTaps == 2 * Reach<kWideReach>::kRadius + 1);
static_assert(kMostProducts == Reach<kWideReach>::kProducts);
static_assert(kStripTaps == 2 * Reach<24>::kRadius + 1);
static_assert(kColorTaps == 2 * Reach<8>::kRadius + 1);

namespace {

// Sets a lane's part of the matrices of taps; see multiply_add(). Their columns are ordered so that
// no lane has to move samples: row taps multiply the pixels that a lane loads, and column taps
// multiply the row sums that the previous product leaves in it.
void set_taps(const Taps& taps, int lane, TapTables<kMostProducts>* tables) {
  const int radius = taps.radius();
  const int reach = radius <= Reach<8>::kRadius    ? 8
                    : radius <= Reach<24>::kRadius ? 24
                                                   : kWideReach;
  // Returns the weight of a sample of the window in the output whose own sample is number `middle`.
  const auto tap = [&](int sample, int middle) -> std::uint32_t {
    const int i = sample - middle + radius;
    return i >= 0 && i <= 2 * radius ? taps.weight[i] : 0;
  };
  for (int product = 0; product < kMostProducts; ++product) {
    std::uint32_t row_taps[4] = {}, column_taps[4] = {};
    for (int i = 0; i < 16; ++i) {
      const int word = i / 4, byte = i % 4, half = word / 2;
      const int output = lane / 4 + 8 * (word % 2);
      const int column = 32 * product + 16 * half + 4 * (lane % 4) + byte;
      const int row = 32 * product + 16 * half + 2 * (lane % 4) + (byte < 2 ? byte : byte + 6);
      row_taps[word] |= tap(column, output + reach - kApron) << 8 * byte;
      column_taps[word] |= tap(row, output + reach) << 8 * byte;
    }
    tables->rows[product][lane] = {row_taps[0], row_taps[1], row_taps[2], row_taps[3]};
    tables->columns[product][lane] = {column_taps[0], column_taps[1], column_taps[2],
                                      column_taps[3]};
  }
}

}  // namespace

const TapTables<kMostProducts>& tables_of(const FrontArguments& arguments) {
  const Taps& taps = *arguments.blur;
  TapCache* cache = arguments.taps;
  // Kernels that do not blur read no taps.
  if (!taps.is_identity() && !(cache->taps == taps)) {
    for (int lane = 0; lane < kWarp; ++lane) set_taps(taps, lane, &cache->tables);
    cache->taps = taps;
  }
  return cache->tables;
}

StripArguments strip_arguments(const FrontArguments& arguments, const ColorWeights& weights,
                               void* stored) {
  const Plan& plan = arguments.plan;
  StripArguments strip = {};
  strip.luma = luma_words(layout(arguments.input.format), weights);
  strip.side = plan.weights.smooth[0];
  strip.middle = plan.weights.smooth[1];
  strip.thresholds = threshold_arguments(plan, arguments.measured);
  strip.is_busy = arguments.device.is_busy ? 1 : 0;
  strip.stored = stored;
  strip.pitch = arguments.buffers.pitch;
  return strip;
}

// Short tiles compute more rows twice. Long tiles leave multiprocessors idle at the end, and few
// tiles leave them idle throughout, unless other frames use them.
int strip_rows(const ConstFrame& input, int apron, const FrontDevice& device) {
  const std::int64_t rows =
      std::int64_t{input.height} * blocks(input.width, kStrip) * input.batch.count;
  const auto rows_of = [&](int tiles) {
    return static_cast<int>(rows / (std::int64_t{tiles} * device.multiprocessors));
  };
  const int alone =
      std::max(rows_of(kStripTiles), std::min(rows_of(kFewStripTiles), kFewStripRows));
  const int best = device.is_busy ? std::max(alone, rows_of(kBusyStripTiles)) : alone;
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
