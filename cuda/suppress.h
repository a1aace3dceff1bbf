// SPDX-License-Identifier: LGPL-2.1-or-later
// Non-maximum suppression and thresholds in a tile of gradients in shared memory, for the portable
// front ends.
#pragma once

#include "canny/canny.h"
#include "canny/constants.h"
#include "cuda/plane.h"
#include "cuda/tuning.h"

namespace canny::cuda {

// What suppression needs of a gradient, in a word: the magnitude, at most 2 * 1020^2 < 2^21;
// whether a neighbour after it may be as large; and how far apart in the tile the neighbours across
// the edge are.
inline constexpr int kTieShift = 21, kAcrossShift = 22;
inline constexpr std::uint32_t kMagnitudeMask = (1u << kTieShift) - 1;

/// The word of a gradient in a tile whose rows are `kPitch` words apart. |gx| and |gy| are at most
/// 1020, so that |gy| << 15 stays below 2^25 and |gx| << 16 below 2^26.
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

/// The words of both planes of the block's tile of kWidth x kHeight pixels, of which `gradient` has
/// a row and a column more on each side. A warp makes a word of each plane at a time. A word of 0,
/// outside the image, compares a magnitude of 0 with itself.
template <int kWidth, int kHeight, int kThreads, int kRows, int kPitch>
__device__ void suppress(const std::uint32_t (&gradient)[kRows][kPitch], std::uint32_t low,
                         std::uint32_t high, const TilePlane& candidate, const TilePlane& strong) {
  static_assert(kWidth % kWordBits == 0 && kRows >= kHeight + 2 && kPitch >= kWidth + 2);
  constexpr int kWords = kWidth / kWordBits;
  const int lane = threadIdx.x % kWarp;
  for (int row = threadIdx.x / kWarp; row < kHeight; row += kThreads / kWarp) {
    const int y = blockIdx.y * kHeight + row;
    if (y >= candidate.height) return;  // the whole warp
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      const std::uint32_t* here = &gradient[row + 1][word * kWordBits + lane + 1];
      const int across = static_cast<int>(*here >> kAcrossShift);
      const std::uint32_t magnitude = *here & kMagnitudeMask;
      const std::uint32_t before = here[-across] & kMagnitudeMask;
      const std::uint32_t after = here[across] & kMagnitudeMask;
      const std::uint32_t tie = *here >> kTieShift & 1;
      const bool kept = magnitude > low && magnitude > before && magnitude + tie > after;
      const std::uint32_t candidate_word = __ballot_sync(~0u, kept);
      const std::uint32_t strong_word = __ballot_sync(~0u, kept && magnitude > high);
      const int w = blockIdx.x * kWords + word;
      if (lane == 0 && w < candidate.columns()) {
        candidate.word(w, y) = candidate_word;
        strong.word(w, y) = strong_word;
      }
    }
  }
}

}  // namespace canny::cuda
