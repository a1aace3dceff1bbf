// SPDX-License-Identifier: LGPL-2.1-or-later
// The luma of neighboring pixels of 1 to 4 bytes, or another weighted sum of their colors, from
// words of their bytes.
#pragma once

#include <cstdint>

#include "canny/frame.h"

namespace canny::cuda {

/// The shares of the colors in an image, with kLumaShift fractional bits. Their sum is 1.
struct ColorWeights {
  int r, g, b;
};
inline constexpr ColorWeights kLumaWeights = {kLumaRed, kLumaGreen, kLumaBlue};

/// Those of image i of so many: of one, luma; of three, the color of a channel alone.
inline ColorWeights weights_of_image(const PixelLayout& pixel, int images, int i) {
  constexpr int kOne = 1 << kLumaShift;
  constexpr ColorWeights kColors[] = {{kOne, 0, 0}, {0, kOne, 0}, {0, 0, kOne}};
  return images == 1 ? kLumaWeights : kColors[is_blue_first(pixel) ? 2 - i : i];
}

/// The weights of a pixel's bytes, with 16 fractional bits, in pairs: bytes 0 and 1; 2 and 3 (or
/// nothing); nothing and 0; 1 and 2. The last two serve pixels of 3 bytes, which begin anywhere in
/// a word.
struct LumaWords {
  std::uint32_t of01, of23, of_0, of12;
  int shift;  ///< for pixels of 2 bytes: the lowest bit of the luma
};
LumaWords luma_words(const PixelLayout& pixel, const ColorWeights& weights);

inline constexpr std::uint32_t kHalfLuma = 1u << 15;

/// Returns the luma of a pixel with these bytes, the first one lowest.
template <int kBytes>
__device__ std::uint32_t luma_of_pixel(std::uint32_t bytes, const LumaWords& weights) {
  if constexpr (kBytes <= 2) return bytes >> weights.shift & 255;
  return __dp2a_hi(weights.of23, bytes, __dp2a_lo(weights.of01, bytes, kHalfLuma)) >> 16;
}

/// Packs byte 2 of four sums, their integer part.
__device__ inline std::uint32_t integer_parts(const std::uint32_t (&sums)[4]) {
  return __byte_perm(__byte_perm(sums[0], sums[1], 0x0062), __byte_perm(sums[2], sums[3], 0x0062),
                     0x5410);
}

/// Returns the luma of 4 pixels.
template <int kBytes>
__device__ std::uint32_t luma_of(const std::uint32_t (&words)[kBytes], const LumaWords& weights) {
  if constexpr (kBytes == 1) {
    return words[0];
  } else if constexpr (kBytes == 2) {
    return __byte_perm(words[0] >> weights.shift, words[1] >> weights.shift, 0x6420);
  } else if constexpr (kBytes == 3) {
    const std::uint32_t a = words[0], b = words[1], c = words[2];
    return integer_parts({__dp2a_hi(weights.of23, a, __dp2a_lo(weights.of01, a, kHalfLuma)),
                          __dp2a_lo(weights.of12, b, __dp2a_hi(weights.of_0, a, kHalfLuma)),
                          __dp2a_lo(weights.of23, c, __dp2a_hi(weights.of01, b, kHalfLuma)),
                          __dp2a_hi(weights.of12, c, __dp2a_lo(weights.of_0, c, kHalfLuma))});
  } else {
    std::uint32_t sums[4];
    for (int i = 0; i < 4; ++i)
      sums[i] = __dp2a_hi(weights.of23, words[i], __dp2a_lo(weights.of01, words[i], kHalfLuma));
    return integer_parts(sums);
  }
}

/// Loads words from any address, out of the aligned words around them: up to 3 bytes before them
/// and 4 after them are read as well.
template <int kWords>
__device__ void load_words(const std::uint8_t* bytes, std::uint32_t (&words)[kWords]) {
  const int before = static_cast<int>(reinterpret_cast<std::uintptr_t>(bytes) % 4);
  const auto* from = reinterpret_cast<const std::uint32_t*>(bytes - before);
  std::uint32_t loaded[kWords + 1];
#pragma unroll
  for (int i = 0; i <= kWords; ++i) loaded[i] = from[i];
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = __funnelshift_r(loaded[i], loaded[i + 1], 8 * before);
}

}  // namespace canny::cuda
