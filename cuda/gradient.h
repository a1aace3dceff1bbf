// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradients of a tile of blurred pixels in shared memory, for the portable front ends.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/constants.h"
#include "canny/operator.h"

namespace canny::cuda {

// The word of a gradient holds what suppression needs: the magnitude, at most 2 * 1020^2 < 2^21;
// whether the neighbor after it may be as large; and the offset in the tile of the neighbors across
// the edge.
inline constexpr int kTieShift = 21, kAcrossShift = 22;
inline constexpr std::uint32_t kMagnitudeMask = (1u << kTieShift) - 1;

/// Returns the word of a gradient in a tile whose rows are `kPitch` words apart. |gx| and |gy| are
/// at most 1020, so |gy| << 15 stays below 2^25 and |gx| << 16 below 2^26.
template <Norm kNorm, int kPitch>
__device__ std::uint32_t gradient_word(int gx, int gy) {
  constexpr std::uint32_t kTie = 1u << kTieShift;
  constexpr std::uint32_t kHorizontal = 1u << kAcrossShift | kTie;
  constexpr std::uint32_t kVertical = std::uint32_t{kPitch} << kAcrossShift | kTie;
  constexpr std::uint32_t kFalling = std::uint32_t{kPitch + 1} << kAcrossShift;
  constexpr std::uint32_t kRising = std::uint32_t{kPitch - 1} << kAcrossShift;
  const int steepness = abs(gy) << kTangentShift, flat = kTangent * abs(gx);
  std::uint32_t direction = (gx ^ gy) < 0 ? kRising : kFalling;
  direction = steepness > flat + (abs(gx) << (kTangentShift + 1)) ? kVertical : direction;
  direction = steepness < flat ? kHorizontal : direction;
  const int magnitude = kNorm == Norm::kL2 ? gx * gx + gy * gy : abs(gx) + abs(gy);
  return static_cast<std::uint32_t>(magnitude) | direction;
}

/// Writes the words of a column of gradients, kPitch words apart; each thread takes a column. The
/// first gradient is in row `y`. `pixel` points at the upper left pixel that it reads; rows of
/// pixels are kBlurredPitch bytes apart. Outside the image the magnitude is 0. The difference and
/// the smoothed sum of a row are used for Op::kSize rows of gradients.
template <class Op, Norm kNorm, int kBlurredPitch, int kHeight, int kPitch>
__device__ void gradient_column(const std::uint8_t* pixel, bool column_is_inside, int y, int height,
                                std::uint32_t* gradient) {
  static_assert(largest_magnitude<Op>(kNorm) <= static_cast<int>(kMagnitudeMask));
  static_assert(kPitch + 1 < 1 << (32 - kAcrossShift), "a neighbor is at most that far away");
  constexpr int kSize = Op::kSize;
  int differences[kSize] = {}, sums[kSize] = {};
#pragma unroll
  for (int i = 0; i < kHeight + kSize - 1; ++i) {
    int difference = 0, sum = 0;
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      const int value = pixel[i * kBlurredPitch + j];
      difference += Op::difference(j) * value;
      sum += Op::smooth(j) * value;
    }
    differences[i % kSize] = difference;
    sums[i % kSize] = sum;
    if (i + 1 < kSize) continue;
    int gx = 0, gy = 0;
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      gx += Op::smooth(j) * differences[(i + 1 + j) % kSize];
      gy += Op::difference(j) * sums[(i + 1 + j) % kSize];
    }
    const int row = i + 1 - kSize;
    const bool inside = column_is_inside && y + row >= 0 && y + row < height;
    const std::uint32_t word = gradient_word<kNorm, kPitch>(gx, gy);
    gradient[row * kPitch] = inside ? word : 0;
  }
}

}  // namespace canny::cuda
