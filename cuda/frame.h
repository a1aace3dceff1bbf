// SPDX-License-Identifier: LGPL-2.1-or-later
// How the pixels of a Frame lie in memory, and whether a Frame is one.
#pragma once

#include <cstdint>

#include "canny.h"

namespace canny {

/// Offsets of a pixel's samples from its first byte.
struct PixelLayout {
  int bytes;              ///< from one pixel to the next; pixels of 1 or 2 have a sample of luma
  int r, g, b;            ///< of 3 or 4 bytes
  int x = -1;             ///< the byte that is none of these, -1 if there is none
  std::uint8_t fill = 0;  ///< its value on output
  int shift = 0;          ///< of 2 bytes, little-endian: bits below the 8 of the luma
  bool is_output = true;  ///< whether edge maps may be stored so
};

const PixelLayout& layout(PixelFormat format);

/// Whether both frames have the given size, data and a stride that covers a row, and do not
/// overlap. Frames that interleave row by row, like two fields, must have strides of equal size.
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

/// Bytes of one row.
template <class Byte>
int row_bytes(const BasicFrame<Byte>& frame) {
  return frame.width * layout(frame.format).bytes;
}

}  // namespace canny
