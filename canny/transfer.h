// SPDX-License-Identifier: LGPL-2.1-or-later
// What backends of devices share: where frames lie in the device's memory, and what is copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "canny/backend.h"
#include "canny/bits.h"
#include "canny/frame.h"
#include "canny/rectangles.h"
#include "canny/try.h"
#include "canny/view.h"

namespace canny {

/// The alignment of rows in a device's memory, for the widest loads and stores of kernels.
inline constexpr std::size_t kRowAlignment = 16;

inline std::size_t pitch_of(int row_bytes) {
  return (row_bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

/// The bytes of the planes before plane i in a device's memory, where they follow each other.
template <class Byte>
std::size_t plane_offset(const BasicFrame<Byte>& frame, int i) {
  std::size_t bytes = 0;
  for (int before = 0; before < i; ++before) {
    const BasicFrame<Byte> rows = plane(frame, before);
    bytes += pitch_of(row_bytes(rows)) * static_cast<std::size_t>(rows.height);
  }
  return bytes;
}

/// The bytes of a frame in a device's memory.
template <class Byte>
std::size_t frame_bytes(const BasicFrame<Byte>& frame) {
  return plane_offset(frame, plane_count(frame));
}

/// The bytes of a frame's pixels, 0 unless it is in host memory.
template <class Byte>
std::uint64_t host_bytes(const BasicFrame<Byte>& frame) {
  std::uint64_t bytes = 0;
  if (frame.memory != Memory::kHost) return bytes;
  for (int i = 0; i < plane_count(frame); ++i) {
    const BasicFrame<Byte> rows = plane(frame, i);
    bytes += static_cast<std::uint64_t>(row_bytes(rows)) * rows.height;
  }
  return bytes;
}

/// Places the rows of a plane of a frame in a device's memory, in the order of addresses.
template <class Byte>
BasicPlane<Byte> placed_plane(const BasicFrame<Byte>& frame, int i, std::uint8_t* memory) {
  const BasicFrame<Byte> rows = plane(frame, i);
  const auto pitch = static_cast<std::ptrdiff_t>(pitch_of(row_bytes(rows)));
  memory += plane_offset(frame, i);
  if (rows.stride_bytes < 0) return {memory + pitch * (rows.height - 1), -pitch};
  return {memory, pitch};
}

/// Likewise chroma. U and V may alternate in one plane.
template <class Byte>
BasicChroma<Byte> placed_chroma(const BasicFrame<Byte>& frame, std::uint8_t* memory) {
  BasicChroma<Byte> result = frame.chroma;
  const BasicPlane<Byte> at = placed_plane(frame, 1, memory);
  if (chroma_planes(frame) == 1) {
    const BasicFrame<Byte> first = plane(frame, 1);
    result.u = {at.data + (frame.chroma.u.data - first.data), at.stride_bytes};
    result.v = {at.data + (frame.chroma.v.data - first.data), at.stride_bytes};
  } else {
    result.u = at;
    result.v = placed_plane(frame, 2, memory);
  }
  return result;
}

/// Likewise a frame, one plane after the other.
template <class Byte>
BasicFrame<Byte> placed(const BasicFrame<Byte>& frame, std::uint8_t* memory) {
  const BasicPlane<Byte> first = placed_plane(frame, 0, memory);
  BasicFrame<Byte> result = frame;
  result.data = first.data;
  result.stride_bytes = first.stride_bytes;
  result.memory = Memory::kDevice;
  if (layout(frame.format).planes > 1) {
    result.green = placed_plane(frame, 1, memory);
    result.blue = placed_plane(frame, 2, memory);
  }
  if (has_chroma(frame)) result.chroma = placed_chroma(frame, memory);
  return result;
}

/// Rows of bytes in memory of the host, in the order of addresses.
template <class Byte>
struct Rows {
  Byte* data;
  std::size_t pitch;  ///< from one row to the next
  std::size_t bytes;  ///< of a row
  std::size_t count;
};

/// The rows of a plane.
template <class Byte>
Rows<Byte> rows_of(const BasicFrame<Byte>& plane) {
  return {lowest_row(plane), static_cast<std::size_t>(std::abs(plane.stride_bytes)),
          static_cast<std::size_t>(row_bytes(plane)), static_cast<std::size_t>(plane.height)};
}

/// Copies rows to as many others, with several threads if that is faster.
void copy_rows(const Rows<const std::uint8_t>& from, const Rows<std::uint8_t>& to);

/// Copies rows to memory where they are pitch_of() apart, piece by piece, and calls
/// f(piece, offset) for each that is there, with its place in `to`: while a device fetches one, the
/// host copies the next.
template <class F>
Status copy_pieces(const Rows<const std::uint8_t>& rows, std::uint8_t* to, F f) {
  // Large enough to occupy all threads, small enough for the bus to start soon.
  constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
  const std::size_t pitch = pitch_of(static_cast<int>(rows.bytes));
  const std::size_t in_piece = std::max<std::size_t>(kPieceBytes / pitch, 1);
  for (std::size_t y = 0; y < rows.count; y += in_piece) {
    const Rows<std::uint8_t> piece = {to + pitch * y, pitch, rows.bytes,
                                      std::min(in_piece, rows.count - y)};
    copy_rows({rows.data + rows.pitch * y, rows.pitch, rows.bytes, piece.count}, piece);
    CANNY_TRY(f(piece, pitch * y));
  }
  return {};
}

/// Copies a frame from memory where its planes follow each other.
void copy_planes(const std::uint8_t* from, const Frame& to);

/// The bytes of a row of edges or of a region on a device: bit i of word k is pixel 32 k + i.
inline std::size_t word_row_bytes(int width) {
  return static_cast<std::size_t>((width + kWordBits - 1) / kWordBits) * sizeof(std::uint32_t);
}

/// Writes the rows of words of rectangles' union, for a frame of this size.
void write_words(const Region& region, int width, int height, RectangleRows* rectangles,
                 std::uint8_t* words);

/// Copies edges from such rows.
void copy_words(const std::uint8_t* words, EdgeBits* bits);

}  // namespace canny
