// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues copies of frames.
#include "opencl/transfer.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "canny/pack.h"
#include "canny/transfer.h"

namespace canny::opencl {
namespace {

// The memory of a frame, from its first to its last byte, and whether the device may have it. It
// reads gaps between rows, but nothing else that lies between pixels. Drivers that copy after all
// write all bytes of shared memory, so that all must be pixels of an output.
struct Extent {
  const std::uint8_t* begin;
  std::size_t bytes;
  bool may_be_shared;
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
  std::size_t pixel_bytes = 0;
  bool has_holes = false;
  for (int i = 0; i < count; ++i) {
    const Rows<Byte> rows = rows_at(i);
    end = std::max(end, rows.data + rows.pitch * (rows.count - 1) + rows.bytes);
    pixel_bytes += rows.bytes * rows.count;
    bool follows = rows.data == begin;
    for (int j = 0; j < count; ++j)
      follows |= rows_at(j).data < rows.data && rows.data <= next_after(rows_at(j));
    has_holes |= !follows;
  }
  const auto bytes = static_cast<std::size_t>(end - begin);
  return {begin, bytes, std::is_const_v<Byte> ? !has_holes : bytes == pixel_bytes};
}

}  // namespace

template <class Byte>
Image image_of(const BasicFrame<Byte>& frame, const Buffer& buffer, const std::uint8_t* begin) {
  const BasicPlane<Byte> planes[] = {
      {frame.data, frame.stride_bytes}, frame.green, frame.blue, frame.chroma.u, frame.chroma.v};
  Image image = {&buffer, {}, {}};
  for (int i = 0; i < 5; ++i) {
    if (planes[i].data == nullptr) continue;
    Planes& to = i < 3 ? image.pixels : image.chroma;
    to.offset[i % 3] = planes[i].data - begin;
    to.stride[i % 3] = planes[i].stride_bytes;
  }
  return image;
}

template Image image_of(const ConstFrame&, const Buffer&, const std::uint8_t*);

template <class Byte>
Status Transfer::open(const Queue& queue, const BasicFrame<Byte>& frame) {
  constexpr cl_mem_flags kAccess = std::is_const_v<Byte> ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY;
  const Extent extent = extent_of(frame);
  if (extent.may_be_shared && shared_.open(queue, extent.begin, extent.bytes, kAccess)) {
    image_ = image_of(frame, shared_.buffer(), shared_.data());
    return {};
  }
  CANNY_TRY(pixels_.reserve(queue, frame_bytes(frame)));
  // Any address stands for the begin of the device's memory, of which the host has none.
  auto* const begin = const_cast<std::uint8_t*>(frame.data);
  image_ = image_of(placed(frame, begin), pixels_, begin);
  return {};
}

template Status Transfer::open(const Queue&, const Frame&);

Status Upload::queue(const Queue& queue, const ConstFrame& frame) {
  CANNY_TRY(open(queue, frame));
  if (is_shared()) return {};
  const bool is_staged = !queue.device().has_host_memory;
  if (is_staged) CANNY_TRY(staged_.reserve(queue, frame_bytes(frame)));
  for (int i = 0; i < plane_count(frame); ++i) {
    const ConstFrame at = plane(frame, i);
    const std::size_t offset = plane_offset(frame, i), pitch = pitch_of(row_bytes(at));
    // Whole rows are one copy, which devices do faster; what is between them does not matter.
    const auto queue_piece = [&](const Rows<std::uint8_t>& piece, std::size_t first) -> Status {
      CANNY_TRY(pixels_.queue_write(queue, {piece.data, pitch, pitch, piece.count}, offset + first,
                                    pitch));
      return queue.flush();
    };
    CANNY_TRY(is_staged ? copy_pieces(rows_of(at), staged_.data() + offset, queue_piece)
                        : pixels_.queue_write(queue, rows_of(at), offset, pitch));
  }
  return {};
}

Status Download::queue(const Queue& queue, const Frame& frame) {
  if (is_shared()) return shared_.buffer().queue_map(queue);
  if (!queue.device().has_host_memory) {
    const std::size_t bytes = frame_bytes(frame);
    CANNY_TRY(staged_.reserve(queue, bytes));
    return pixels_.queue_read(queue, {staged_.data(), bytes, bytes, 1}, 0, bytes);
  }
  for (int i = 0; i < plane_count(frame); ++i) {
    const Frame at = plane(frame, i);
    CANNY_TRY(
        pixels_.queue_read(queue, rows_of(at), plane_offset(frame, i), pitch_of(row_bytes(at))));
  }
  return {};
}

void Download::copy(const Frame& frame) const {
  if (staged_.data() != nullptr) copy_planes(staged_.data(), frame);
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

Status BitsDownload::keep(const Queue& queue, const Buffer& edges, const Frame& of) {
  bytes_ = word_row_bytes(of.width) * of.height;
  CANNY_TRY(kept_.reserve(queue, bytes_));
  return edges.queue_copy(queue, kept_, bytes_);
}

Status BitsDownload::queue(const Queue& queue) {
  CANNY_TRY(words_.reserve(queue, bytes_));
  return kept_.queue_read(queue, {words_.data(), bytes_, bytes_, 1}, 0, bytes_);
}

void BitsDownload::finish(EdgeBits* bits) const { copy_words(words_.data(), bits); }

}  // namespace canny::opencl
