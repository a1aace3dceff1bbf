// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels of deep formats into luma.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "cuda/front/images/luma.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// How words of 16 bits become samples: reordered, then shifted up.
struct DeepWords {
  std::uint32_t selector;  ///< the order of the bytes of two words, as for __byte_perm()
  int shift;
  std::uint32_t mask;  ///< of the bits of two samples

  /// The samples of two words.
  __device__ std::uint32_t pair(std::uint32_t words) const {
    return __byte_perm(words, 0, selector) << shift & mask;
  }
};

/// For deep formats of 2 bytes a pixel.
DeepWords deep_words(PixelFormat format);

/// Like gray_frame(), of images of deep luma, whose rows are `pitch` samples apart.
inline ConstFrame deep_frame(const ConstFrame& frame, const std::uint16_t* image, int pitch) {
  ConstFrame deep = gray_frame(frame, reinterpret_cast<const std::uint8_t*>(image),
                               pitch * static_cast<int>(sizeof *image));
  deep.format = PixelFormat::kGray16Le;
  return deep;
}

/// Writes the weighted colors, or the luma, of a frame of a deep format in device memory, at any
/// alignment, to `image`, whose rows are `pitch` samples apart.
Status deep_luma(const ConstFrame& input, const ColorWeights& weights, std::uint16_t* image,
                 int pitch, Launcher* launcher);

/// Likewise, of the 8 highest bits of each color or luma; of floats as numbers of 8 bits.
Status highest_luma(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                    int pitch, Launcher* launcher);

}  // namespace canny::cuda
