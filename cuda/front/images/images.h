// SPDX-License-Identifier: LGPL-2.1-or-later
// Images in device memory: luma, and the blurred images that gradients are computed of.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/front/buffers.h"
#include "cuda/front/luma_words.h"
#include "cuda/launch.h"
#include "cuda/pictures.h"

namespace canny::cuda {

/// Whether all rows of the frame begin at multiples of `bytes` bytes, a power of 2.
inline bool is_aligned(const ConstFrame& frame, int bytes) {
  return is_aligned(BasicPlane<const std::uint8_t>{frame.data, frame.stride_bytes},
                    pictures_of(frame), bytes);
}

/// The frame of images of luma in device memory, one per picture of `frame` and of its size, with
/// rows `pitch` samples apart.
template <class Sample>
ConstFrame image_frame(const ConstFrame& frame, const Sample* image, int pitch) {
  const std::ptrdiff_t stride = pitch * std::ptrdiff_t{sizeof *image};
  ConstFrame gray = {reinterpret_cast<const std::uint8_t*>(image),
                     stride,
                     frame.width,
                     frame.height,
                     sizeof *image > 1 ? PixelFormat::kGray16Le : PixelFormat::kGray8,
                     Memory::kDevice};
  gray.batch = {frame.batch.count, stride * frame.height, nullptr};
  return gray;
}

/// Writes the weighted colors, or the luma, of a frame in device memory, at any alignment, to
/// `image`, whose rows are `pitch` samples apart, a multiple of 4. Sets `*gray` to a frame of that
/// image. Samples have 8 bits, in deep formats the highest ones, or of floats as numbers of 8 bits;
/// or 16 bits, of deep formats alone.
template <class Sample>
Status luma(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
            ConstFrame* gray, Launcher* launcher);

/// Does what luma() does for deep formats.
template <class Sample>
Status deep_luma(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
                 Launcher* launcher);

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

/// Computes the blurred images of a frame in device memory, at any alignment, in `buffers`.
Status blurred_images(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
                      Images* images, Launcher* launcher);

}  // namespace canny::cuda
