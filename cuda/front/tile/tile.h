// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end for at most 9 taps, in one kernel. A block turns the pixels of a tile and its apron
// into words of both planes, and intermediate results stay in shared memory. Tile is the arithmetic
// of a type of samples, which loads and blurs several per instruction.
#pragma once

#include <cstdint>

#include "canny/plan.h"
#include "cuda/front/front.h"
#include "cuda/front/gradient.h"
#include "cuda/front/images/images.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/region.h"
#include "cuda/tuning.h"

namespace canny::cuda::tile {

inline constexpr int kRadius = kTileTaps / 2;
static_assert(kRadius == kGroup, "a group's sums read the groups beside it");

using Op = Sobel3;
static_assert(Op::kReach == 1, "repeat_borders() repeats one pixel");

/// The images of a tile of kWidth x kHeight samples: their origins relative to the tile's, and
/// their sizes, in samples.
template <class SampleType, int kTileWidth, int kTileHeight>
struct Shape {
  using Sample = SampleType;
  static constexpr int kWidth = kTileWidth, kHeight = kTileHeight;
  static constexpr int kBlurredX = kGroup, kBlurredY = 1 + Op::kReach;  // apron
  static constexpr int kLumaX = kBlurredX + kRadius, kLumaY = kBlurredY + kRadius;
  static constexpr int kBlurredWidth = kWidth + 2 * kBlurredX;
  static constexpr int kBlurredHeight = kHeight + 2 * kBlurredY;
  static constexpr int kBlurredGroups = kBlurredWidth / kGroup;
  static constexpr int kLumaWidth = kWidth + 2 * kLumaX;
  static constexpr int kLumaHeight = kHeight + 2 * kLumaY;
  static constexpr int kGradientWidth = kWidth + 2, kGradientHeight = kHeight + 2;
  static_assert(kWidth % kWordBits == 0);
};

// ---- the steps after the blur ----

/// Repeats the border pixels once around the image, for the Sobel operator.
template <class Tile>
__device__ void repeat_borders(int width, int height, typename Tile::Sample* blurred) {
  constexpr int kWidth = Tile::kBlurredWidth, kHeight = Tile::kBlurredHeight;
  const int left = blockIdx.x * Tile::kWidth - Tile::kBlurredX;
  const int top = blockIdx.y * Tile::kHeight - Tile::kBlurredY;
  if (left >= 0 && left + kWidth <= width && top >= 0 && top + kHeight <= height) return;
  for (int i = threadIdx.x; i < kHeight * kWidth; i += Tile::kThreads) {
    const int x = left + i % kWidth, y = top + i / kWidth;
    const int nearest_x = min(max(x, 0), width - 1), nearest_y = min(max(y, 0), height - 1);
    const int distance = max(abs(x - nearest_x), abs(y - nearest_y));
    if (distance == 1) blurred[i] = blurred[(nearest_y - top) * kWidth + nearest_x - left];
  }
}

/// Threads take columns, cut into Tile::kGradientParts parts. Rows of pixels are kPixelPitch
/// samples apart; `pixels` points at the first one that the tile's first gradient reads.
template <class Tile, Norm kNorm, int kPixelPitch, class Word, int kRows, int kPitch>
__device__ void gradients(const typename Tile::Sample* pixels, int width, int height,
                          Word (&gradient)[kRows][kPitch]) {
  constexpr int kWidth = Tile::kGradientWidth, kParts = Tile::kGradientParts;
  constexpr int kPart = kRows / kParts;
  static_assert(kRows == Tile::kGradientHeight && kRows % kParts == 0);
  const auto take = [&](int column, int first) {
    const int x = blockIdx.x * Tile::kWidth + column - 1;
    const int y = blockIdx.y * Tile::kHeight + first - 1;
    gradient_column<Op, kNorm, kPixelPitch, kPart, kPitch>(pixels + first * kPixelPitch + column,
                                                           x >= 0 && x < width, y, height,
                                                           &gradient[first][column]);
  };
  if constexpr (kParts == 1) {
    static_assert(kWidth <= Tile::kThreads);
    if (threadIdx.x < kWidth) take(threadIdx.x, 0);
  } else {
    for (int i = threadIdx.x; i < kParts * kWidth; i += Tile::kThreads)
      take(i % kWidth, i / kWidth * kPart);
  }
}

// ---- the kernel ----

/// Luma and, later, the blurred image share Tile::Samples; row sums and, later, gradients share
/// Tile::Words.
template <class Tile, bool kBlur, Norm kNorm>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    front_tile_kernel(const std::uint8_t* data, std::ptrdiff_t stride, Pictures pictures,
                      bool aligned, __grid_constant__ const typename Tile::Arguments arguments,
                      __grid_constant__ const typename Tile::Thresholds thresholds,
                      TilePlane candidate, TilePlane strong,
                      __grid_constant__ const RegionPlane region) {
  using Sample = typename Tile::Sample;
  __shared__ typename Tile::Samples samples;
  __shared__ typename Tile::Words words;
  wait_and_start_next();
  const int width = candidate.width, height = candidate.height;
  const int x = blockIdx.x * Tile::kWidth, y = blockIdx.y * Tile::kHeight;
  if (is_outside(region, x, y, Tile::kWidth, Tile::kHeight))
    return clear_words(candidate, strong, x, y, Tile::kWidth, Tile::kHeight);
  const auto limits = Tile::limits(thresholds);
  data += pictures.offset();
  constexpr int kX = Tile::kBlurredX - Tile::kBlurredY;  // of the first gradient's pixels
  if constexpr (kBlur) {
    const auto mirrored = [](int i, int size) { return reflect(i, size); };
    Tile::load_luma(data, stride, aligned, width, height, arguments, mirrored, &samples);
    __syncthreads();
    Tile::blur_rows(samples, arguments, &words);
    __syncthreads();
    Tile::blur_columns(words, arguments, &samples);
    __syncthreads();
    auto* blurred = reinterpret_cast<Sample*>(samples.blurred);
    repeat_borders<Tile>(width, height, blurred);
    __syncthreads();
    gradients<Tile, kNorm, Tile::kBlurredWidth>(blurred + kX, width, height, words.gradient);
  } else {
    const auto nearest = [](int i, int size) { return min(max(i, 0), size - 1); };
    Tile::load_luma(data, stride, aligned, width, height, arguments, nearest, &samples);
    __syncthreads();
    constexpr int kPitch = Tile::kLumaWidth, kFirst = kRadius * kPitch + kRadius + kX;
    const auto* luma = reinterpret_cast<const Sample*>(samples.luma);
    gradients<Tile, kNorm, kPitch>(luma + kFirst, width, height, words.gradient);
  }
  __syncthreads();
  suppress<Tile::kWidth, Tile::kHeight, Tile::kThreads>(words.gradient, limits, candidate, strong);
}

// ---- host ----

/// The taps, shifted by 0 .. 3 samples, over the 12 samples that 4 neighboring row sums read.
using RowTaps = std::uint32_t[kGroup][3];

/// Tap number `tap` of kTileTaps.
inline void set_row_taps(int tap, int weight, RowTaps& row_taps) {
  for (int pixel = 0; pixel < kGroup; ++pixel) set_byte(tap + pixel, weight, row_taps[pixel]);
}

/// Queues the kernel, which reads rows that begin at multiples of a Tile::LumaWord by words.
template <class Tile>
Status launch_tiles(const char* name, const FrontArguments& arguments,
                    const typename Tile::Thresholds& thresholds, Launcher* launcher) {
  const ConstFrame& input = arguments.input;
  const bool is_l2 = arguments.plan.norm == Norm::kL2;
  // A middle tap of 256 does not fit in a byte, but means that there is no blur.
  const bool blur = !arguments.blur->is_identity();
  const auto kernel = is_l2  ? blur ? front_tile_kernel<Tile, true, Norm::kL2>
                                    : front_tile_kernel<Tile, false, Norm::kL2>
                       : blur ? front_tile_kernel<Tile, true, Norm::kL1>
                             : front_tile_kernel<Tile, false, Norm::kL1>;
  const dim3 grid(blocks(input.width, Tile::kWidth), blocks(input.height, Tile::kHeight));
  return launcher->launch(name, kernel, grid, Tile::kThreads, 0, input.data, input.stride_bytes,
                          pictures_of(input), is_aligned(input, sizeof(typename Tile::LumaWord)),
                          Tile::arguments_of(*arguments.blur, input.format), thresholds,
                          arguments.candidate, arguments.strong, arguments.region);
}

}  // namespace canny::cuda::tile
