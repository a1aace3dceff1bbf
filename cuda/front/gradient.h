// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradients of a tile of blurred pixels in shared memory, their suppression and double
// threshold, for the portable front ends.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/constants.h"
#include "canny/operator.h"
#include "cuda/front/direction.h"
#include "cuda/front/separable.h"
#include "cuda/plane.h"
#include "cuda/tuning.h"

namespace canny::cuda {

// The word of a gradient holds what suppression needs: the magnitude, at most 2 * 1020^2 < 2^21;
// whether the neighbor after it may be as large; and the offset in the tile of the neighbors across
// the edge. Gradients of deep samples have words of 64 bits: their magnitude is at most
// 2 * (4 * 65535)^2 < 2^37.
template <class Word>
struct GradientBits {
  static constexpr int kTieShift = sizeof(Word) == 4 ? 21 : 37;
  static constexpr int kAcrossShift = kTieShift + 1;
  static constexpr Word kMagnitudeMask = (Word{1} << kTieShift) - 1;
};

/// The sectors of a direction. For 8-bit samples |gx| and |gy| are at most 1020, so |gy| << 15
/// stays below 2^25 and |gx| << 16 below 2^26.
struct Steepness {
  bool is_horizontal, is_vertical;

  __device__ Steepness(int gx, int gy, std::uint32_t) {
    is_horizontal = cuda::is_horizontal(gx, gy);
    is_vertical = cuda::is_vertical(gx, gy);
  }
  /// For deep samples, |gx| and |gy| are at most 262140. The products stay below 2^32 because the
  /// comparisons are those above divided by 2^15, rounded down and up.
  __device__ Steepness(int gx, int gy, std::uint64_t) {
    const std::uint32_t x = abs(gx), y = abs(gy), flat = kTangent * x;
    is_vertical = y > (flat >> kTangentShift) + 2 * x;
    is_horizontal = y < (flat + (1u << kTangentShift) - 1) >> kTangentShift;
  }
};

/// Returns the word of a gradient in a tile whose rows are `kPitch` words apart.
template <Norm kNorm, int kPitch, class Word>
__device__ Word gradient_word(int gx, int gy) {
  using Bits = GradientBits<Word>;
  constexpr Word kTie = Word{1} << Bits::kTieShift;
  constexpr Word kHorizontal = Word{1} << Bits::kAcrossShift | kTie;
  constexpr Word kVertical = Word{kPitch} << Bits::kAcrossShift | kTie;
  constexpr Word kFalling = Word{kPitch + 1} << Bits::kAcrossShift;
  constexpr Word kRising = Word{kPitch - 1} << Bits::kAcrossShift;
  const Steepness steepness(gx, gy, Word{});
  Word direction = (gx ^ gy) < 0 ? kRising : kFalling;
  direction = steepness.is_vertical ? kVertical : direction;
  direction = steepness.is_horizontal ? kHorizontal : direction;
  return magnitude_of<Word>(gx, gy, kNorm) | direction;
}

/// Writes the words of a column of gradients, kPitch words apart; each thread takes a column. The
/// first gradient is in row `y`. `pixel` points at the upper left pixel that it reads; rows of
/// pixels are kBlurredPitch samples apart. Outside the image the magnitude is 0.
template <class Op, Norm kNorm, int kBlurredPitch, int kHeight, int kPitch, class Sample,
          class Word>
__device__ void gradient_column(const Sample* pixel, bool column_is_inside, int y, int height,
                                Word* gradient) {
  using Bits = GradientBits<Word>;
  constexpr Word kWidest = sizeof(Sample) == 1 ? 1 : 257 * 257;  // squared ratio of largest samples
  static_assert(kWidest * largest_magnitude<Op>(kNorm) <= Bits::kMagnitudeMask);
  static_assert(kPitch + 1 < 1 << (32 - GradientBits<std::uint32_t>::kAcrossShift),
                "a neighbor is at most that far away");
  const auto take = [&](int row, int gx, int gy) {
    const bool inside = column_is_inside && y + row >= 0 && y + row < height;
    const Word word = gradient_word<kNorm, kPitch, Word>(gx, gy);
    gradient[row * kPitch] = inside ? word : 0;
  };
  separable_gradients<Op::kSize, kHeight, kBlurredPitch>(pixel, Op(), take);
}

/// Writes the words of both planes for the block's tile of kWidth x kHeight pixels. `gradient` has
/// one more row or column on each side. A warp computes a word of each plane at a time. A gradient
/// of 0, outside the image, compares a magnitude of 0 with itself.
template <int kWidth, int kHeight, int kThreads, int kRows, int kPitch, class Word, class Limits>
__device__ void suppress(const Word (&gradient)[kRows][kPitch], const Limits& thresholds,
                         const TilePlane& candidate, const TilePlane& strong) {
  using Bits = GradientBits<Word>;
  static_assert(kWidth % kWordBits == 0 && kRows >= kHeight + 2 && kPitch >= kWidth + 2);
  constexpr int kWords = kWidth / kWordBits;
  const auto low = static_cast<Word>(thresholds.low), high = static_cast<Word>(thresholds.high);
  const int lane = threadIdx.x % kWarp;
  for (int row = threadIdx.x / kWarp; row < kHeight; row += kThreads / kWarp) {
    const int y = blockIdx.y * kHeight + row;
    if (y >= candidate.height) return;  // the whole warp
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      const Word* here = &gradient[row + 1][word * kWordBits + lane + 1];
      const Word magnitude = *here & Bits::kMagnitudeMask;
      bool kept = magnitude > low;
      // Comparing magnitudes of 64 bits costs more than the question whether there are any.
      if (sizeof(Word) == sizeof(std::uint32_t) || __any_sync(~0u, kept)) {
        const int across = static_cast<int>(*here >> Bits::kAcrossShift);
        const Word before = here[-across] & Bits::kMagnitudeMask;
        const Word after = here[across] & Bits::kMagnitudeMask;
        const Word tie = *here >> Bits::kTieShift & 1;
        kept = kept && magnitude > before && magnitude + tie > after;
      }
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
