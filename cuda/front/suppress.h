// SPDX-License-Identifier: LGPL-2.1-or-later
// Non-maximum suppression and double threshold in a tile of gradients in shared memory, for the
// portable front ends.
#pragma once

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/front/gradient.h"
#include "cuda/plane.h"
#include "cuda/tuning.h"

namespace canny::cuda {

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
