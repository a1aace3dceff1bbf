// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues copies of frames.
#include "opencl/transfer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "canny/pack.h"
#include "canny/transfer.h"

namespace canny::opencl {
namespace {

// The planes of a frame in a buffer, which has the memory from `begin` on.
template <class Byte>
Image image_of(const BasicFrame<Byte>& frame, const Buffer& buffer, const std::uint8_t* begin) {
  const BasicPlane<Byte> planes[kImagePlanes] = {
      {frame.data, frame.stride_bytes}, frame.green, frame.blue, frame.chroma.u, frame.chroma.v};
  Image image = {&buffer, {}, {}};
  for (int i = 0; i < kImagePlanes; ++i) {
    if (planes[i].data == nullptr) continue;
    image.offset[i] = planes[i].data - begin;
    image.stride[i] = planes[i].stride_bytes;
  }
  return image;
}

// A frame in memory of the device. Any address stands for its begin, of which the host has none.
template <class Byte>
Image place(const BasicFrame<Byte>& frame, const Buffer& buffer) {
  auto* const begin = const_cast<std::uint8_t*>(frame.data);
  return image_of(placed(frame, begin), buffer, begin);
}

// The memory of a frame, from its first to its last byte.
struct Extent {
  const std::uint8_t* begin;
  std::size_t bytes;
  std::size_t pixel_bytes;  // of its planes' pixels
  bool has_holes;           // whether more than gaps between rows lies between pixels
};

// Where a plane that follows without a hole begins at the latest.
template <class Byte>
Byte* next_after(const Rows<Byte>& rows) {
  Byte* const last = rows.data + rows.pitch * (rows.count - 1);
  return last + (rows.count > 1 ? rows.pitch : rows.bytes);
}

template <class Byte>
Extent extent_of(const BasicFrame<Byte>& frame) {
  const int count = plane_count(frame);
  const auto rows_at = [&](int i) { return rows_of(plane(frame, i)); };
  Byte *begin = rows_at(0).data, *end = begin;
  for (int i = 0; i < count; ++i) begin = std::min(begin, rows_at(i).data);
  Extent extent = {begin, 0, 0, false};
  for (int i = 0; i < count; ++i) {
    const Rows<Byte> rows = rows_at(i);
    end = std::max(end, rows.data + rows.pitch * (rows.count - 1) + rows.bytes);
    extent.pixel_bytes += rows.bytes * rows.count;
    bool follows = rows.data == begin;
    for (int j = 0; j < count; ++j)
      follows |= rows_at(j).data < rows.data && rows.data <= next_after(rows_at(j));
    extent.has_holes |= !follows;
  }
  extent.bytes = static_cast<std::size_t>(end - begin);
  return extent;
}

template <class Byte>
std::size_t pitch_of(const Rows<Byte>& rows) {
  return canny::pitch_of(static_cast<int>(rows.bytes));
}

}  // namespace

Status Upload::queue(const Queue& queue, const ConstFrame& frame) {
  if (const Extent extent = extent_of(frame);
      !extent.has_holes && shared_.open(queue, extent.begin, extent.bytes, CL_MEM_READ_ONLY)) {
    image_ = image_of(frame, shared_.buffer(), shared_.data());
    return {};
  }
  CANNY_TRY(pixels_.reserve(queue, frame_bytes(frame)));
  image_ = place(frame, pixels_);
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

// Whole rows are one copy, which devices do faster; what is between them does not matter.
Status Upload::queue_pieces(const Queue& queue, const Rows<const std::uint8_t>& rows,
                            std::size_t offset) {
  const auto queue_piece = [&](const Rows<std::uint8_t>& piece, std::size_t first) -> Status {
    const std::size_t pitch = piece.pitch;
    CANNY_TRY(
        pixels_.queue_write(queue, {piece.data, pitch, pitch, piece.count}, offset + first, pitch));
    return queue.flush();
  };
  return copy_pieces(rows, staged_.data() + offset, queue_piece);
}

// Drivers that copy after all write all bytes of shared memory, so that all must be pixels.
Status Download::open(const Queue& queue, const Frame& frame) {
  if (const Extent extent = extent_of(frame);
      extent.bytes == extent.pixel_bytes &&
      shared_.open(queue, extent.begin, extent.bytes, CL_MEM_WRITE_ONLY)) {
    image_ = image_of(frame, shared_.buffer(), shared_.data());
    return {};
  }
  CANNY_TRY(pixels_.reserve(queue, frame_bytes(frame)));
  image_ = place(frame, pixels_);
  return {};
}

Status Download::queue(const Queue& queue, const Frame& frame) {
  if (shared_.is_open()) {
    is_staged_ = false;
    return shared_.queue_map(queue);
  }
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

void Download::copy(const Frame& frame) const {
  if (is_staged_) copy_planes(staged_.data(), frame);
}

Status RegionUpload::queue(const Queue& queue, const ConstFrame& frame) {
  const Region& region = *frame.region;
  const std::size_t row = word_row_bytes(frame.width), bytes = row * frame.height;
  CANNY_TRY(bits_.reserve(queue, bytes));
  CANNY_TRY(words_.reserve(queue, bytes));
  if (region.mask.data == nullptr) {
    write_words(region, frame.width, frame.height, &rectangles_, words_.data());
  } else {
    row_.resize(row / sizeof row_[0] + 1);
    for (int y = 0; y < frame.height; ++y) {
      pack_row(region.mask.data + y * region.mask.stride_bytes, frame.width, row_.data());
      std::memcpy(words_.data() + row * y, row_.data(), row);
    }
  }
  return bits_.queue_write(queue, {words_.data(), bytes, bytes, 1}, 0, bytes);
}

Status BitsDownload::keep(const Queue& queue, const Buffer& edges, int width, int height) {
  bytes_ = word_row_bytes(width) * height;
  CANNY_TRY(kept_.reserve(queue, bytes_));
  return edges.queue_copy(queue, kept_, bytes_);
}

Status BitsDownload::queue(const Queue& queue) {
  CANNY_TRY(words_.reserve(queue, bytes_));
  return kept_.queue_read(queue, {words_.data(), bytes_, bytes_, 1}, 0, bytes_);
}

void BitsDownload::finish(EdgeBits* bits) const { copy_words(words_.data(), bits); }

}  // namespace canny::opencl
