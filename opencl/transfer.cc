// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues copies of frames.
#include "opencl/transfer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "canny/bits.h"
#include "canny/copy_rows.h"
#include "canny/pack.h"
#include "canny/transfer.h"

namespace canny::opencl {
namespace {

// The offset of a plane's top row in its own place, which may be the last one.
template <class Byte>
std::ptrdiff_t top_of(const BasicFrame<Byte>& rows) {
  const auto pitch = static_cast<std::ptrdiff_t>(pitch_of(row_bytes(rows)));
  return rows.stride_bytes < 0 ? pitch * (rows.height - 1) : 0;
}

template <class Byte>
void place_plane(const BasicFrame<Byte>& frame, int i, std::ptrdiff_t byte, int at, Image* image) {
  const BasicFrame<Byte> rows = plane(frame, i);
  const auto pitch = static_cast<std::ptrdiff_t>(pitch_of(row_bytes(rows)));
  image->offset[at] = static_cast<std::ptrdiff_t>(plane_offset(frame, i)) + top_of(rows) + byte;
  image->stride[at] = rows.stride_bytes < 0 ? -pitch : pitch;
}

template <class Byte>
Image place_frame(const BasicFrame<Byte>& frame, const Buffer& buffer) {
  Image image = {&buffer, {}, {}};
  const int planes = layout(frame.format).planes, of_chroma = chroma_planes(frame);
  for (int i = 0; i < planes; ++i) place_plane(frame, i, 0, i, &image);
  if (of_chroma == 0) return image;
  // U and V may alternate in one plane, which begins with either.
  const bool v_is_first = of_chroma == 1 && frame.chroma.v.data < frame.chroma.u.data;
  place_plane(frame, 1, v_is_first ? 1 : 0, kImageChroma, &image);
  place_plane(frame, of_chroma, of_chroma == 1 && !v_is_first ? 1 : 0, kImageChroma + 1, &image);
  return image;
}

// The rows of a plane in the host's memory.
template <class Byte>
Rows<Byte> rows_of(const BasicFrame<Byte>& plane) {
  return {lowest_row(plane), static_cast<std::size_t>(std::abs(plane.stride_bytes)),
          static_cast<std::size_t>(row_bytes(plane)), static_cast<std::size_t>(plane.height)};
}

template <class Byte>
std::size_t pitch_of(const Rows<Byte>& rows) {
  return canny::pitch_of(static_cast<int>(rows.bytes));
}

// Large enough to occupy all threads, small enough for the bus to start soon.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

std::size_t words_per_row(int width) { return (width + kWordBits - 1) / kWordBits; }

}  // namespace

Image place(const ConstFrame& frame, const Buffer& buffer) { return place_frame(frame, buffer); }
Image place(const Frame& frame, const Buffer& buffer) { return place_frame(frame, buffer); }

Status Upload::queue(const Queue& queue, const ConstFrame& frame) {
  CANNY_TRY(pixels_.reserve(queue, frame_bytes(frame)));
  const bool is_staged = !queue.device().has_host_memory;
  if (is_staged) CANNY_TRY(staged_.reserve(queue, frame_bytes(frame)));
  for (int i = 0; i < plane_count(frame); ++i) {
    const Rows<const std::uint8_t> rows = rows_of(plane(frame, i));
    const std::size_t offset = plane_offset(frame, i);
    CANNY_TRY(is_staged ? queue_pieces(queue, rows, offset)
                        : pixels_.queue_write(queue, rows, offset, pitch_of(rows)));
  }
  return {};
}

Status Upload::queue_pieces(const Queue& queue, const Rows<const std::uint8_t>& rows,
                            std::size_t offset) {
  const std::size_t pitch = pitch_of(rows);
  const std::size_t in_piece = std::max<std::size_t>(kPieceBytes / pitch, 1);
  for (std::size_t y = 0; y < rows.count; y += in_piece) {
    const std::size_t count = std::min(in_piece, rows.count - y), begin = offset + pitch * y;
    std::uint8_t* piece = staged_.data() + begin;
    copy_rows(rows.data + rows.pitch * y, static_cast<std::ptrdiff_t>(rows.pitch), piece,
              static_cast<std::ptrdiff_t>(pitch), rows.bytes, static_cast<int>(count));
    // Whole rows are one copy, which devices do faster; what is between them does not matter.
    CANNY_TRY(pixels_.queue_write(queue, {piece, pitch, pitch, count}, begin, pitch));
    CANNY_TRY(queue.flush());
  }
  return {};
}

void Upload::release() {
  pixels_.release();
  staged_.release();
}

Status Download::reserve(const Queue& queue, const Frame& frame) {
  return pixels_.reserve(queue, frame_bytes(frame));
}

Status Download::queue(const Queue& queue, const Frame& frame) {
  is_staged_ = !queue.device().has_host_memory;
  if (is_staged_) {
    const std::size_t bytes = frame_bytes(frame);
    CANNY_TRY(staged_.reserve(queue, bytes));
    return pixels_.queue_read(queue, {staged_.data(), bytes, bytes, 1}, 0, bytes);
  }
  for (int i = 0; i < plane_count(frame); ++i) {
    const Rows<std::uint8_t> rows = rows_of(plane(frame, i));
    CANNY_TRY(pixels_.queue_read(queue, rows, plane_offset(frame, i), pitch_of(rows)));
  }
  return {};
}

void Download::finish(const Frame& frame) const {
  for (int i = 0; is_staged_ && i < plane_count(frame); ++i) {
    const Rows<std::uint8_t> rows = rows_of(plane(frame, i));
    copy_rows(staged_.data() + plane_offset(frame, i), static_cast<std::ptrdiff_t>(pitch_of(rows)),
              rows.data, static_cast<std::ptrdiff_t>(rows.pitch), rows.bytes,
              static_cast<int>(rows.count));
  }
}

void Download::release() {
  pixels_.release();
  staged_.release();
}

Status RegionUpload::queue(const Queue& queue, const ConstFrame& frame) {
  const Region& region = *frame.region;
  const std::size_t row_words = words_per_row(frame.width);
  const std::size_t row_bytes = row_words * sizeof(std::uint32_t), bytes = row_bytes * frame.height;
  const bool is_mask = region.mask.data != nullptr;
  CANNY_TRY(bits_.reserve(queue, bytes));
  CANNY_TRY(words_.reserve(queue, bytes));
  std::memset(words_.data(), 0, bytes);
  row_.resize((row_words + 1) / 2);
  int first = 0, last = frame.height;
  if (!is_mask) {
    rectangles_.begin(region.rectangles, region.rectangle_count, frame.width, frame.height);
    first = rectangles_.bounds().top;
    last = rectangles_.bounds().is_empty() ? first : rectangles_.bounds().bottom;
  }
  for (int y = first; y < last; ++y) {
    if (is_mask)
      pack_row(region.mask.data + y * region.mask.stride_bytes, frame.width, row_.data());
    std::memcpy(words_.data() + row_bytes * y, is_mask ? row_.data() : rectangles_.next(),
                row_bytes);
  }
  return bits_.queue_write(queue, {words_.data(), bytes, bytes, 1}, 0, bytes);
}

void RegionUpload::release() {
  row_ = {};
  words_.release();
  bits_.release();
}

Status BitsDownload::keep(const Queue& queue, const Buffer& edges, int width, int height) {
  row_bytes_ = words_per_row(width) * sizeof(std::uint32_t);
  bytes_ = row_bytes_ * height;
  CANNY_TRY(kept_.reserve(queue, bytes_));
  return edges.queue_copy(queue, kept_, bytes_);
}

Status BitsDownload::queue(const Queue& queue) {
  CANNY_TRY(words_.reserve(queue, bytes_));
  return kept_.queue_read(queue, {words_.data(), bytes_, bytes_, 1}, 0, bytes_);
}

void BitsDownload::finish(EdgeBits* bits) const {
  for (int y = 0; y < bits->height(); ++y)
    std::memcpy(bits->row(y), words_.data() + y * row_bytes_, row_bytes_);
}

void BitsDownload::release() {
  words_.release();
  kept_.release();
}

}  // namespace canny::opencl
