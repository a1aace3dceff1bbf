// SPDX-License-Identifier: LGPL-2.1-or-later
// The weights of the bytes of a pixel.
#include "cuda/front/luma_words.h"

#include <algorithm>

namespace canny::cuda {

LumaWords luma_words(const PixelLayout& pixel, const ColorWeights& weights) {
  LumaWords result = {};
  result.shift = pixel.shift;
  if (pixel.bytes <= 2 || pixel.bits > 8) return result;  // not colors in bytes
  std::uint32_t byte[4] = {};
  constexpr int kMoreBits = 16 - kLumaShift;
  byte[pixel.r] += weights.r << kMoreBits;
  byte[pixel.g] += weights.g << kMoreBits;
  byte[pixel.b] += weights.b << kMoreBits;
  // A byte that counts alone has a weight of 65536, which takes 17 bits. 65535 gives the same
  // result: the product loses at most 255, less than the 2^15 added for rounding.
  for (std::uint32_t& weight : byte) weight = std::min(weight, 65535u);
  result.of01 = byte[0] | byte[1] << 16;
  result.of23 = byte[2] | byte[3] << 16;
  result.of_0 = byte[0] << 16;
  result.of12 = byte[1] | byte[2] << 16;
  return result;
}

}  // namespace canny::cuda
