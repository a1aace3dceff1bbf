// SPDX-License-Identifier: LGPL-2.1-or-later
// The layout of a Frame's pixels in memory, and the checks of a Frame.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "canny/constants.h"

namespace canny {

/// The meaning of a sample's bits.
enum class SampleType { kInteger, kFloat32, kFloat16, kBfloat16 };

/// The meaning of a pixel's bytes in memory.
struct PixelLayout {
  int bytes;  ///< from one pixel, or group, to the next, in each plane
  /// Offsets of a pixel's samples from its first byte, all equal for luma. In a 16-bit word of
  /// colors, and in deep formats, the lowest bit of each sample: pixels are numbers there.
  int r, g, b;
  std::uint32_t edge;  ///< the bytes of an edge on output, the first one lowest; of floats those
                       ///< of each sample
  std::uint32_t other = 0;  ///< the bytes of any other pixel
  int shift = 0;       ///< for 2-byte luma, little-endian: number of bits below the 8 of the luma
  int green_bits = 0;  ///< in a 16-bit word of colors, where red and blue have 5
  int planes = 1;
  bool is_output = true;  ///< whether outputs may have this layout
  /// Offsets of chroma, -1 without. If they are equal, two pixels share their chroma: the byte is U
  /// in even columns and V in odd ones.
  int u = -1, v = -1;
  int bits = 8;                ///< of a sample; deep formats have more; floats count as 16
  bool is_big_endian = false;  ///< whether a pixel is a big-endian number, else a little-endian one
  int group = 1;               ///< pixels that share their bytes: 6 for kV210, else 1
  SampleType type = SampleType::kInteger;

  constexpr bool has_floats() const { return type != SampleType::kInteger; }
  /// Of a float.
  constexpr int sample_bytes() const { return type == SampleType::kFloat32 ? 4 : 2; }
};

const PixelLayout& layout(PixelFormat format);

/// Whether blue lies before red, each color in bytes of its own.
bool is_blue_first(const PixelLayout& pixel);

/// The layout with red and blue exchanged if blue lies first: its r, g and b are then the colors of
/// channel 0, 1 and 2 of a frame whose largest channel counts.
PixelLayout in_order_of_channels(PixelLayout pixel);

/// Whether pixels consist of red, green and blue.
bool has_colors(PixelFormat format);

/// Whether outputs may have this format.
bool is_output(PixelFormat format);

/// Whether samples have more than 8 bits.
bool is_deep(PixelFormat format);

/// The format of one plane of a format of three.
PixelFormat format_of_plane(PixelFormat format);

/// The lowest bit of the luma of each pixel of a group of kV210, in its 128 bits. No sample crosses
/// a word of 32 bits.
inline constexpr int kV210Pixels = 6, kV210Bytes = 16;
inline constexpr int kV210Luma[kV210Pixels] = {10, 32, 52, 74, 96, 116};

/// Luma weights of the bytes of a pixel, which are colors or luma, with kLumaShift fractional bits.
inline std::array<int, 4> luma_weights(const PixelLayout& layout) {
  std::array<int, 4> weights = {};
  weights[layout.r] += kLumaRed;
  weights[layout.g] += kLumaGreen;
  weights[layout.b] += kLumaBlue;
  return weights;
}

/// Checks that both frames have the given size, data and a stride that covers a row, and that
/// neither the frames nor the output's planes and fills overlap. Planes that interleave row by row,
/// like two fields, must have strides of equal size. If `view` shows the input, checks that formats
/// and chroma are equal; otherwise the input has no chroma. Checks the input's region likewise, and
/// all pictures of a batch, for which it keeps memory.
class FrameChecker {
 public:
  Status check(View view, const ConstFrame& input, const Frame& output, int width, int height);

 private:
  enum class Use { kInput, kMask, kOutput };
  // The bytes from the first to the last one of a picture, or of the mask of its region.
  struct Extent {
    std::uintptr_t first, last;
    unsigned picture;
    Use use;
  };

  Status check_pictures(const ConstFrame& input, const Frame& output);
  std::vector<Extent> extents_;
};

/// Checks that the frame is an edge map of kGray8 in host memory.
Status check_edge_map(const ConstFrame& edges);

/// Checks that width and height are within 1..kMaxSide.
Status check_size(int width, int height);

/// The frame's row with the lowest address, which is the bottom row if the stride is negative.
template <class Byte>
Byte* lowest_row(const BasicFrame<Byte>& frame) {
  return frame.stride_bytes >= 0 ? frame.data
                                 : frame.data + (frame.height - 1) * frame.stride_bytes;
}

/// Whether the frame has chroma in planes of its own.
template <class Byte>
bool has_chroma(const BasicFrame<Byte>& frame) {
  return frame.format == PixelFormat::kGray8 && frame.chroma.u.data != nullptr;
}

/// Samples of chroma that cover `pixels` pixels.
inline int chroma_samples(int pixels, int shift) { return (pixels + (1 << shift) - 1) >> shift; }

/// The number of planes in which the frame's chroma lies: 0, 1 if U and V alternate, or 2.
template <class Byte>
int chroma_planes(const BasicFrame<Byte>& frame) {
  return !has_chroma(frame) ? 0 : frame.chroma.step_bytes == 2 ? 1 : 2;
}

/// Chroma without color.
inline constexpr std::uint8_t kNeutral = 128;

/// A plane of the frame's chroma, as a frame of gray pixels.
template <class Byte>
BasicFrame<Byte> chroma_plane(const BasicFrame<Byte>& frame, int i) {
  const BasicChroma<Byte>& chroma = frame.chroma;
  BasicFrame<Byte> result = frame;
  const bool v_is_first = chroma.step_bytes == 2 && chroma.v.data < chroma.u.data;
  const BasicPlane<Byte>& rows = i > 0 || v_is_first ? chroma.v : chroma.u;
  result.data = rows.data;
  result.stride_bytes = rows.stride_bytes;
  result.width = chroma.step_bytes * chroma_samples(frame.width, chroma.shift_x);
  result.height = chroma_samples(frame.height, chroma.shift_y);
  result.chroma = {};
  return result;
}

/// The rows of a fill of a picture (see picture_of()), as a frame of gray pixels.
inline Frame fill_frame(const Frame& output, std::size_t i) {
  const Fill& fill = output.fills[i];
  std::uint8_t* data = fill.rows.data;
  if (data != nullptr) data += output.batch.stride_bytes;
  return {data,        fill.rows.stride_bytes, fill.row_bytes,
          fill.height, PixelFormat::kGray8,    output.memory};
}

/// Sets the bytes of a plane in host memory.
void fill_rows(const Frame& plane, std::uint8_t value);

/// The number of the frame's planes, with those of its chroma.
template <class Byte>
int plane_count(const BasicFrame<Byte>& frame) {
  return layout(frame.format).planes + chroma_planes(frame);
}

/// A plane of the frame, as a frame of one plane.
template <class Byte>
BasicFrame<Byte> plane(const BasicFrame<Byte>& frame, int i) {
  if (layout(frame.format).planes == 1) return i == 0 ? frame : chroma_plane(frame, i - 1);
  BasicFrame<Byte> result = frame;
  result.format = format_of_plane(frame.format);
  result.green = result.blue = {};
  if (i > 0) {
    const BasicPlane<Byte>& further = i == 1 ? frame.green : frame.blue;
    result.data = further.data;
    result.stride_bytes = further.stride_bytes;
  }
  return result;
}

/// The mask of a region of a frame of this size, as a frame of gray pixels.
inline ConstFrame mask_frame(const Region& region, int width, int height) {
  return {region.mask.data, region.mask.stride_bytes, width,
          height,           PixelFormat::kGray8,      region.mask_memory};
}

/// Bytes of one row of a plane.
template <class Byte>
int row_bytes(const BasicFrame<Byte>& frame) {
  return row_bytes(frame.format, frame.width);
}

}  // namespace canny
