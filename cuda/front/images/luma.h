// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into luma for front ends that do not read them directly.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/constants.h"
#include "canny/frame.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// The shares of the colors in an image, with kLumaShift fractional bits. Their sum is 1.
struct ColorWeights {
  int r, g, b;
};
inline constexpr ColorWeights kLumaWeights = {kLumaRed, kLumaGreen, kLumaBlue};
inline constexpr ColorWeights kRedWeights = {1 << kLumaShift, 0, 0};
inline constexpr ColorWeights kGreenWeights = {0, 1 << kLumaShift, 0};
inline constexpr ColorWeights kBlueWeights = {0, 0, 1 << kLumaShift};

/// The weight of each byte of a pixel, with kLumaShift fractional bits, and the rounding offset of
/// their sum. A 16-bit sample is truncated, not rounded.
struct PixelWeights {
  int byte[4];
  int rounding;
};
PixelWeights pixel_weights(const PixelLayout& pixel, const ColorWeights& weights);

/// Whether all rows of the frame begin at multiples of `bytes` bytes, a power of 2.
inline bool is_aligned(const ConstFrame& frame, int bytes) {
  return reinterpret_cast<std::uintptr_t>(frame.data) % bytes == 0 &&
         frame.stride_bytes % bytes == 0;
}
inline bool is_word_aligned(const ConstFrame& frame) { return is_aligned(frame, 4); }

/// The frame of an image of 8-bit luma in device memory that has the size of `frame`.
inline ConstFrame gray_frame(const ConstFrame& frame, const std::uint8_t* image, int pitch) {
  return {image, pitch, frame.width, frame.height, PixelFormat::kGray8, Memory::kDevice};
}

/// Writes the weighted colors, or the luma, of a frame in device memory, at any alignment, to
/// `image`, whose rows are `pitch` bytes apart, a multiple of 4. Sets `*gray` to a frame of that
/// image.
Status luma(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image, int pitch,
            ConstFrame* gray, Launcher* launcher);

}  // namespace canny::cuda
