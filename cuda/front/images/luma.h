// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into luma for front ends that do not read them directly.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/constants.h"
#include "canny/frame.h"
#include "cuda/front/luma_words.h"
#include "cuda/launch.h"
#include "cuda/pictures.h"

namespace canny::cuda {

/// Whether all rows of the frame begin at multiples of `bytes` bytes, a power of 2.
inline bool is_aligned(const ConstFrame& frame, int bytes) {
  return is_aligned(BasicPlane<const std::uint8_t>{frame.data, frame.stride_bytes}, frame.batch,
                    bytes);
}
inline bool is_word_aligned(const ConstFrame& frame) { return is_aligned(frame, 4); }

/// The frame of images of 8-bit luma in device memory, one per picture of `frame` and of its size.
inline ConstFrame gray_frame(const ConstFrame& frame, const std::uint8_t* image, int pitch) {
  ConstFrame gray = {image, pitch, frame.width, frame.height, PixelFormat::kGray8, Memory::kDevice};
  gray.batch = {frame.batch.count, std::ptrdiff_t{pitch} * frame.height, nullptr};
  return gray;
}

/// Writes the weighted colors, or the luma, of a frame in device memory, at any alignment, to
/// `image`, whose rows are `pitch` bytes apart, a multiple of 4. Sets `*gray` to a frame of that
/// image.
Status luma(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image, int pitch,
            ConstFrame* gray, Launcher* launcher);

}  // namespace canny::cuda
