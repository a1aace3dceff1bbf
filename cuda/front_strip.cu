// SPDX-License-Identifier: LGPL-2.1-or-later
// The fastest front end, for compute capability 9.0 and up. A warp walks down a strip of 64 columns
// and turns 16 rows at a time into words of both planes, while the next 16 rows are copied to
// shared memory. Both directions of the Gaussian blur are products with banded matrices of taps on
// the tensor cores. The Sobel operator handles two pixels per instruction. Suppression runs only
// where a magnitude exceeds the low threshold.
#include <algorithm>

#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front.h"
#include "cuda/front_strip/blur.h"
#include "cuda/front_strip/luma.h"
#include "cuda/front_strip/suppress.h"
#include "cuda/geometry.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace strip {
namespace {

// A warp computes the words of kStrip columns and `rows` rows. It begins 2 rows above the first,
// since suppression depends on them.
template <int kBytes, bool kAligned, int kReach, bool kBlur, Norm kNorm>
__global__ void __launch_bounds__(kWarp)
    __maxnreg__(kReach == 8 ? kStripRegisters : kWideStripRegisters)
        front_strip_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int rows,
                           __grid_constant__ const StripArguments arguments, TilePlane candidate,
                           TilePlane strong) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900  // never launched on older devices
  using R = Reach<kReach>;
  constexpr int kFirst = kBlur ? R::kWindow - 1 : 0;  // first step with all rows of a window
  __shared__ StripMemory<kBytes, kReach, kAligned> memory;
  const int width = candidate.width, height = candidate.height, x = blockIdx.x * kStrip;
  const Source<kBytes, kReach, kAligned> source{data, stride, width, height, x};
  const Strip strip{x, width, height, x == 0 || source.reaches_end()};
  const int first = blockIdx.y * rows, last = min(first + rows, height);

  wait_for_previous_kernel();
  start_next_kernel();
  const StripThresholds thresholds = strip_thresholds<kNorm>(arguments.thresholds.get());
  int luma_y = first - kApron - (kBlur ? kReach : 0);
  const bool has_ends = strip.border && (!kAligned || width * kBytes % memory.raw.kUnit != 0);
  const auto copy_step = [&](int from) {
    copy_rows(source, from, &memory.raw);
    if (has_ends) copy_ends(source, from, &memory.raw);
  };
  copy_step(luma_y);
  TapMatrices<kReach> taps;
  if constexpr (kBlur) taps = tap_matrices<kReach>(arguments);
  Carried carried = {};
  keep_last_rows(memory.blurred, memory.words);
  for (int step = 0, y = first - kApron; y < last + kApron; ++step) {
    Luma<kReach> luma;
    wait_for_copies();
    __syncwarp();
    if (strip.border) {
      mirror_columns(source, luma_y, &memory.raw);
      __syncwarp();
    }
    load_luma(source, luma_y, arguments, memory.raw, luma);
    __syncwarp();
    luma_y += kStep;
    if (step < kFirst || y + kStep < last + kApron) copy_step(luma_y);
    if constexpr (kBlur) {
      blur(luma, taps, step % (R::kWindow - 1), step >= kFirst, &memory);
    } else {
      copy_luma<kReach>(luma, memory.blurred);
    }
    __syncwarp();
    if (step < kFirst) continue;
    if (strip.border) {
      repeat_columns(strip, memory.blurred);
      __syncwarp();
    }
    if (y < 0 || y + kStep > height) {
      repeat_rows(strip, y, memory.blurred);
      __syncwarp();
    }
    suppress_rows<kNorm>(strip, y, thresholds, &carried, memory.blurred, memory.magnitude,
                         memory.words);
    store_words(strip, y - kApron, first, last, memory.words, candidate, strong);
    keep_last_rows(memory.blurred, memory.words);
    __syncwarp();
    y += kStep;
  }
#endif
}

// ---- launch ----

static_assert(kStripTaps == 2 * Reach<24>::kRadius + 1);

int reach_of(const Taps& taps) { return taps.radius() <= Reach<8>::kRadius ? 8 : 24; }

// Sets a lane's part of the matrices of taps; see multiply_add(). Their columns are ordered so that
// no lane has to move samples: row taps multiply the pixels that a lane loads, and column taps
// multiply the row sums that the previous product leaves in it.
void set_taps(const Taps& taps, int lane, TapTables* tables) {
  const int reach = reach_of(taps), radius = taps.radius();
  // Returns the weight of a sample of the window in the output whose own sample is number `middle`.
  const auto tap = [&](int sample, int middle) -> std::uint32_t {
    const int i = sample - middle + radius;
    return i >= 0 && i <= 2 * radius ? taps.weight[i] : 0;
  };
  for (int product = 0; product < 2; ++product) {
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

const TapTables& tables_of(const Taps& taps, TapCache* cache) {
  if (!(cache->taps == taps)) {
    for (int lane = 0; lane < kWarp; ++lane) set_taps(taps, lane, &cache->tables);
    cache->taps = taps;
  }
  return cache->tables;
}

StripArguments strip_arguments(const Plan& plan, PixelFormat format, const TapTables& tables,
                               const Measured* measured) {
  StripArguments strip = {};
  const PixelLayout& at = layout(format);
  strip.luma_shift = at.shift;
  if (at.bytes >= 3) {
    // A byte that is luma has a weight of 65536, which takes 17 bits. 65535 gives the same result:
    // the product loses at most 255, less than the 2^15 added for rounding.
    const LumaWeights weights = luma_weights(at);
    std::uint32_t weight[4];
    for (int i = 0; i < 4; ++i) weight[i] = std::min(2 * weights.byte[i], 65535);
    strip.luma01 = weight[0] | weight[1] << 16;
    strip.luma23 = weight[2] | weight[3] << 16;
    strip.luma_0 = weight[0] << 16;
    strip.luma12 = weight[1] | weight[2] << 16;
  }
  strip.taps = tables;
  strip.thresholds = threshold_arguments(plan, measured);
  return strip;
}

template <int kBytes, bool kAligned, int kReach, bool kBlur>
auto choose_norm(Norm norm) {
  return norm == Norm::kL2 ? front_strip_kernel<kBytes, kAligned, kReach, kBlur, Norm::kL2>
                           : front_strip_kernel<kBytes, kAligned, kReach, kBlur, Norm::kL1>;
}

template <int kBytes, bool kAligned>
auto choose_reach(const Plan& plan) {
  // A middle tap of 256 does not fit in a byte, but means that there is no blur.
  if (plan.blur.is_identity()) return choose_norm<kBytes, kAligned, 8, false>(plan.norm);
  return reach_of(plan.blur) == 8 ? choose_norm<kBytes, kAligned, 8, true>(plan.norm)
                                  : choose_norm<kBytes, kAligned, 24, true>(plan.norm);
}

template <int kBytes>
auto choose_kernel(const Plan& plan, const ConstFrame& input) {
  constexpr int kAlignment = 16;  // bytes copied at a time
  const bool aligned = reinterpret_cast<std::uintptr_t>(input.data) % kAlignment == 0 &&
                       input.stride_bytes % kAlignment == 0;
  return aligned ? choose_reach<kBytes, true>(plan) : choose_reach<kBytes, false>(plan);
}

// Returns the rows of a tile, which take a whole number of steps. Short tiles compute more rows
// twice. Long tiles leave multiprocessors idle at the end, and few tiles leave them idle
// throughout.
int strip_rows(const ConstFrame& input, int multiprocessors) {
  const std::int64_t rows = std::int64_t{input.height} * blocks(input.width, kStrip);
  const auto rows_of = [&](int tiles) {
    return static_cast<int>(rows / (std::int64_t{tiles} * multiprocessors));
  };
  const int best = std::max(rows_of(kStripTiles), std::min(rows_of(kFewStripTiles), kFewStripRows));
  return std::clamp((best + 2 * kApron) / kStep, 1, kMaxStripSteps) * kStep - 2 * kApron;
}

}  // namespace
}  // namespace strip

Status front_strip(const FrontArguments& arguments, Launcher* launcher) {
  using namespace strip;
  const Plan& plan = arguments.plan;
  const ConstFrame& input = arguments.input;
  const int pixel_bytes = layout(input.format).bytes;
  const auto kernel = pixel_bytes == 1   ? choose_kernel<1>(plan, input)
                      : pixel_bytes == 2 ? choose_kernel<2>(plan, input)
                      : pixel_bytes == 3 ? choose_kernel<3>(plan, input)
                                         : choose_kernel<4>(plan, input);
  const int rows = strip_rows(input, arguments.device.multiprocessors);
  const dim3 grid(blocks(input.width, kStrip), blocks(input.height, rows));
  return launcher->launch(
      "front kernel", kernel, grid, kWarp, 0, input.data, input.stride_bytes, rows,
      strip_arguments(plan, input.format, tables_of(plan.blur, arguments.taps), arguments.measured),
      arguments.candidate, arguments.strong);
}

}  // namespace canny::cuda