// SPDX-License-Identifier: LGPL-2.1-or-later
// How the pixels of a Frame lie in memory, and whether a Frame is one.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/constants.h"

namespace canny {

/// What the bytes of a pixel in memory are.
struct PixelLayout {
  int bytes;  ///< from one pixel to the next, in each plane
  /// Offsets of a pixel's samples from its first byte, all the same where there is luma; in a word
  /// of 16 bits of colors, their lowest bits.
  int r, g, b;
  std::uint32_t edge;       ///< the bytes of an edge on output, the first one lowest
  std::uint32_t other = 0;  ///< those of any other pixel
  int shift = 0;            ///< of 2 bytes of luma, little-endian: bits below the 8 of the luma
  int green_bits = 0;       ///< of a word of 16 bits of colors, where red and blue have 5
  int planes = 1;
  bool is_output = true;  ///< whether edge maps may be stored so
};

const PixelLayout& layout(PixelFormat format);

/// Luma weights of the bytes of a pixel, with kLumaShift fractional bits.
struct LumaWeights {
  int byte[4] = {};
};

/// Those of pixels of bytes that are colors or luma.
inline LumaWeights luma_weights(const PixelLayout& layout) {
  LumaWeights weights;
  weights.byte[layout.r] += kLumaRed;
  weights.byte[layout.g] += kLumaGreen;
  weights.byte[layout.b] += kLumaBlue;
  return weights;
}

/// Whether both frames have the given size, data and a stride that covers a row, and do not
/// overlap, nor the planes of the output. Planes that interleave row by row, like two fields, must
/// have strides of equal size.
Status check_frames(const ConstFrame& input, const Frame& output, int width, int height);

/// Whether the frame has data and a stride that covers a row.
Status check_frame(const Frame& frame);

/// Whether width and height are within 1..kMaxSide.
Status check_size(int width, int height);

/// The frame's row with the lowest address, which is the bottom row if the stride is negative.
template <class Byte>
Byte* lowest_row(const BasicFrame<Byte>& frame) {
  return frame.stride_bytes >= 0 ? frame.data
                                 : frame.data + (frame.height - 1) * frame.stride_bytes;
}

/// A plane of the frame, as a frame of one plane.
template <class Byte>
BasicFrame<Byte> plane(const BasicFrame<Byte>& frame, int i) {
  if (layout(frame.format).planes == 1) return frame;
  BasicFrame<Byte> result = frame;
  result.format = PixelFormat::kGray8;
  result.green = result.blue = {};
  if (i > 0) {
    const BasicPlane<Byte>& further = i == 1 ? frame.green : frame.blue;
    result.data = further.data;
    result.stride_bytes = further.stride_bytes;
  }
  return result;
}

/// Bytes of one row of a plane.
template <class Byte>
int row_bytes(const BasicFrame<Byte>& frame) {
  return frame.width * layout(frame.format).bytes;
}

}  // namespace canny
