// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradient and the suppression of a strip. The Sobel operator handles two pixels per
// instruction. Suppression runs only where a magnitude exceeds the low threshold.
#pragma once

#include <cuda_fp16.h>

#include "canny/constants.h"
#include "canny/operator.h"
#include "cuda/front_strip/strip.h"

namespace canny::cuda::strip {

// Differences and sums across three columns, for a column (low half) and the one 32 further right.
// The bits of a half hold a sample as an integer, which the half reads as a multiple of 2^-24. Sums
// of such values are exact up to 2048 units.
constexpr float kMiddle = Sobel3::smooth(Sobel3::kReach);
static_assert(Sobel3::kSize == 3 && Sobel3::smooth(0) == 1 && Sobel3::difference(2) == 1);

struct RowGradient {
  __half2 difference, sum;
};

__device__ inline __half2 halves(std::uint32_t word) {
  return *reinterpret_cast<const __half2*>(&word);
}

__device__ inline RowGradient row_gradient(const std::uint32_t* word) {
  const __half2 left = halves(word[-1]), middle = halves(word[0]), right = halves(word[1]);
  return {__hsub2(right, left), __hfma2(middle, __float2half2_rn(kMiddle), __hadd2(left, right))};
}

struct Gradient {
  __half2 x, y;
};

__device__ inline Gradient gradient(const RowGradient& above, const RowGradient& here,
                                    const RowGradient& below) {
  return {__hfma2(here.difference, __float2half2_rn(kMiddle),
                  __hadd2(above.difference, below.difference)),
          __hsub2(below.sum, above.sum)};
}

// Thresholds in the unit of the magnitude.
struct StripThresholds {
  float low, high;
};

// Converts thresholds to the unit of samples, 2^-24. Floats are exact up to the largest magnitude.
// Larger thresholds are clamped to it: no magnitude exceeds them either way.
template <Norm kNorm>
__device__ StripThresholds strip_thresholds(const Thresholds& thresholds) {
  constexpr float kUnit = kNorm == Norm::kL2 ? 0x1p-48f : 0x1p-24f;
  const auto in_unit = [](std::int32_t threshold) {
    return static_cast<float>(min(threshold, largest_magnitude<Sobel3>(kNorm))) * kUnit;
  };
  return {in_unit(thresholds.low), in_unit(thresholds.high)};
}

// At most 2 * 1020^2 < 2^24 units: exact.
template <Norm kNorm>
__device__ float magnitude_of(float x, float y) {
  return kNorm == Norm::kL2 ? x * x + y * y : fabsf(x) + fabsf(y);
}

// Each lane computes a magnitude beside the strip: in column -1 or 64 of one of the 16 rows from
// row y on.
struct Beside {
  __device__ static int row() { return lane() % kStep; }
  __device__ static bool right() { return lane() >= kStep; }
};

template <Norm kNorm>
__device__ float magnitude_beside(const Strip& strip, int y, const BlurredRows& blurred) {
  const bool right = Beside::right();
  const int x = strip.x + (right ? kStrip : -1);
  y += Beside::row();
  const bool outside = x < 0 || x >= strip.width || y < 0 || y >= strip.height;
  const std::uint32_t* word = &blurred[Beside::row()][kBlurredX + (right ? kWarp : -1)];
  const Gradient g = gradient(row_gradient(word), row_gradient(word + kBlurredPitch),
                              row_gradient(word + 2 * kBlurredPitch));
  const float m = right ? magnitude_of<kNorm>(__high2float(g.x), __high2float(g.y))
                        : magnitude_of<kNorm>(__low2float(g.x), __low2float(g.y));
  return outside ? 0 : m;
}

// The gradient of a pixel, and its magnitude.
struct Pixel {
  float x, y, magnitude;
};

// A lane's pixels of a row: in the left and in the right half of the strip.
using PixelPair = Pixel[2];

template <Norm kNorm>
__device__ Pixel pixel_of(const Gradient& g, int half) {
  Pixel pixel;
  pixel.x = half == 0 ? __low2float(g.x) : __high2float(g.x);
  pixel.y = half == 0 ? __low2float(g.y) : __high2float(g.y);
  pixel.magnitude = magnitude_of<kNorm>(pixel.x, pixel.y);
  return pixel;
}

// State that passes from one step to the next.
struct Carried {
  PixelPair last;   // the last row
  float before[2];  // the magnitudes of the row before it
  float beside;     // magnitude_beside()
};

// Returns whether a pixel is a candidate. `here` points at its magnitude. fp32 gives the same
// answer as exact arithmetic for all |x|, |y| <= 1020.
__device__ inline bool is_candidate(const float* here, const Pixel& pixel, float low) {
  constexpr int kDown = sizeof(float) * kMagnitudePitch, kRight = sizeof(float);
  constexpr float kFlat = static_cast<float>(kTangent) / (1 << kTangentShift), kSteep = kFlat + 2;
  const float m = pixel.magnitude;
  const bool vertical = fabsf(pixel.y) > fabsf(pixel.x) * kSteep;
  const bool axial = vertical || fabsf(pixel.y) < fabsf(pixel.x) * kFlat;
  const bool rising = (__float_as_int(pixel.x) ^ __float_as_int(pixel.y)) < 0;
  const int along_axis = vertical ? kDown : kRight;
  const int across = axial ? along_axis : rising ? kDown - kRight : kDown + kRight;
  const auto* bytes = reinterpret_cast<const char*>(here);
  const float before = *reinterpret_cast<const float*>(bytes - across);
  const float after = *reinterpret_cast<const float*>(bytes + across);
  return (axial || m > after) && m >= after && m > before && m > low;
}

// Clears the magnitudes outside the image, in kStripChunk + 2 rows from row y on.
__device__ inline void clear_outside(const Strip& strip, int y, MagnitudeRows& magnitude) {
#pragma unroll 1
  for (int i = 0; i < kStripChunk + 2; ++i) {
    const bool row_is_outside = y + i < 0 || y + i >= strip.height;
    const int columns = strip.width - strip.x;
    if (row_is_outside || lane() >= columns) magnitude[i][1 + lane()] = 0;
    if (row_is_outside || lane() + kWarp >= columns) magnitude[i][1 + lane() + kWarp] = 0;
  }
}

// Writes the words of half a strip for the first kStripChunk of `rows` if any magnitude exceeds the
// low threshold; otherwise they stay 0. Bits of pixels outside the image are undefined.
__device__ inline void suppress_chunk(const StripThresholds& thresholds, int half,
                                      const PixelPair (&rows)[kStripChunk + 1],
                                      const MagnitudeRows& magnitude, uint2 (*words)[2]) {
  float largest = rows[0][half].magnitude;
#pragma unroll
  for (int i = 1; i < kStripChunk; ++i) largest = fmaxf(largest, rows[i][half].magnitude);
  if (!__any_sync(~0u, largest > thresholds.low)) return;
  const float* here = &magnitude[1][1 + lane() + half * kWarp];
#pragma unroll
  for (int i = 0; i < kStripChunk; ++i) {
    const bool kept = is_candidate(here + i * kMagnitudePitch, rows[i][half], thresholds.low);
    const bool strong = kept && rows[i][half].magnitude > thresholds.high;
    const uint2 bits = {__ballot_sync(~0u, kept), __ballot_sync(~0u, strong)};
    if (lane() == 0) words[i][half] = bits;
  }
}

// Turns 16 rows of blurred pixels from row y on into the words of rows y - 2 .. y + 13.
template <Norm kNorm>
__device__ void suppress_rows(const Strip& strip, int y, const StripThresholds& thresholds,
                              Carried* carried, const BlurredRows& blurred,
                              MagnitudeRows& magnitude, StripWords& words) {
  const bool inside = !strip.border && y >= 1 && y + kStep <= strip.height + 1;
  const std::uint32_t* word = &blurred[0][kBlurredX + lane()];
  RowGradient above = row_gradient(word), here = row_gradient(word + kBlurredPitch);
  const float beside = magnitude_beside<kNorm>(strip, y - 1, blurred);
  float* place = &magnitude[0][Beside::right() ? kStrip + 1 : 0];
  if (Beside::row() >= kStep - 2)
    place[(Beside::row() - (kStep - 2)) * kMagnitudePitch] = carried->beside;
  carried->beside = beside;
#pragma unroll 1
  for (int first = 0; first < kStep; first += kStripChunk) {
    Gradient gradients[kStripChunk];
#pragma unroll
    for (int i = 0; i < kStripChunk; ++i) {
      const RowGradient below = row_gradient(word + (2 + first + i) * kBlurredPitch);
      gradients[i] = gradient(above, here, below);
      above = here;
      here = below;
    }
    PixelPair rows[kStripChunk + 1];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      rows[0][half] = carried->last[half];
#pragma unroll
      for (int i = 0; i < kStripChunk; ++i) rows[i + 1][half] = pixel_of<kNorm>(gradients[i], half);
      float* stored = &magnitude[0][1 + lane() + half * kWarp];
      stored[0] = carried->before[half];
#pragma unroll
      for (int i = 0; i <= kStripChunk; ++i)
        stored[(1 + i) * kMagnitudePitch] = rows[i][half].magnitude;
      carried->before[half] = rows[kStripChunk - 1][half].magnitude;
      carried->last[half] = rows[kStripChunk][half];
    }
    const int row = 2 + Beside::row() - first;
    if (row >= 0 && row < kStripChunk + 2) place[row * kMagnitudePitch] = beside;
    if (!inside) clear_outside(strip, y + first - 3, magnitude);
    __syncwarp();
#pragma unroll
    for (int half = 0; half < 2; ++half)
      suppress_chunk(thresholds, half, rows, magnitude, words + first);
    __syncwarp();
  }
}

// Clears the bits beyond the image in a word that begins at column x.
__device__ inline std::uint32_t existing_bits(std::uint32_t word, int x, int width) {
  return width - x < kWordBits ? word & ((1u << (width - x)) - 1) : word;
}

// Stores the words of rows y .. y + 15 as far as they are in [first, last).
__device__ inline void store_words(const Strip& strip, int y, int first, int last,
                                   const StripWords& words, const TilePlane& candidate,
                                   const TilePlane& strong) {
  y += lane();
  if (lane() >= kStep || y < first || y >= last) return;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int x = strip.x + kWordBits * half, w = x / kWordBits;
    if (x >= strip.width) return;
    candidate.word(w, y) = existing_bits(words[lane()][half].x, x, strip.width);
    strong.word(w, y) = existing_bits(words[lane()][half].y, x, strip.width);
  }
}

// Moves the last two rows of a step before the rows of the next one, and clears the words.
__device__ inline void keep_last_rows(BlurredRows& blurred, StripWords& words) {
  constexpr int kQuads = 2 * kBlurredPitch / 4;
  static_assert(kQuads <= kWarp);
  if (lane() < kQuads)
    *reinterpret_cast<uint4*>(blurred[0] + 4 * lane()) =
        *reinterpret_cast<const uint4*>(blurred[kStep] + 4 * lane());
  if (lane() < kStep) *reinterpret_cast<uint4*>(words[lane()]) = {0, 0, 0, 0};
}

}  // namespace canny::cuda::strip
