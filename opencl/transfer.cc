// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues copies of frames.
#include "opencl/transfer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "canny/bits.h"
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

std::size_t words_per_row(int width) { return (width + kWordBits - 1) / kWordBits; }

}  // namespace

Image place(const ConstFrame& frame, const Buffer& buffer) { return place_frame(frame, buffer); }
Image place(const Frame& frame, const Buffer& buffer) { return place_frame(frame, buffer); }

Status queue_upload(const Queue& queue, const ConstFrame& frame, Buffer* buffer) {
  for (int i = 0; i < plane_count(frame); ++i) {
    const Rows<const std::uint8_t> rows = rows_of(plane(frame, i));
    CANNY_TRY(buffer->queue_write(queue, rows, plane_offset(frame, i),
                                  pitch_of(static_cast<int>(rows.bytes))));
  }
  return {};
}

Status queue_download(const Queue& queue, const Buffer& buffer, const Frame& frame) {
  for (int i = 0; i < plane_count(frame); ++i) {
    const Rows<std::uint8_t> rows = rows_of(plane(frame, i));
    CANNY_TRY(buffer.queue_read(queue, rows, plane_offset(frame, i),
                                pitch_of(static_cast<int>(rows.bytes))));
  }
  return {};
}

Status RegionUpload::queue(const Queue& queue, const ConstFrame& frame) {
  const Region& region = *frame.region;
  const std::size_t words = words_per_row(frame.width);
  const bool is_mask = region.mask.data != nullptr;
  words_.assign(words * frame.height, 0);
  row_.resize((words + 1) / 2);
  int first = 0, last = frame.height;
  if (!is_mask) {
    rectangles_.begin(region.rectangles, region.rectangle_count, frame.width, frame.height);
    first = rectangles_.bounds().top;
    last = rectangles_.bounds().is_empty() ? first : rectangles_.bounds().bottom;
  }
  for (int y = first; y < last; ++y) {
    if (is_mask)
      pack_row(region.mask.data + y * region.mask.stride_bytes, frame.width, row_.data());
    std::memcpy(&words_[words * y], is_mask ? row_.data() : rectangles_.next(),
                words * sizeof words_[0]);
  }
  const std::size_t bytes = words_.size() * sizeof words_[0];
  CANNY_TRY(bits_.reserve(queue, bytes));
  return bits_.queue_write(
      queue, {reinterpret_cast<const std::uint8_t*>(words_.data()), bytes, bytes, 1}, 0, bytes);
}

void RegionUpload::release() {
  row_ = {};
  words_ = {};
  bits_.release();
}

Status BitsDownload::keep(const Queue& queue, const Buffer& edges, int width, int height) {
  row_bytes_ = words_per_row(width) * sizeof(std::uint32_t);
  bytes_.resize(row_bytes_ * height);
  CANNY_TRY(kept_.reserve(queue, bytes_.size()));
  return edges.queue_copy(queue, kept_, bytes_.size());
}

Status BitsDownload::queue(const Queue& queue) {
  return kept_.queue_read(queue, {bytes_.data(), bytes_.size(), bytes_.size(), 1}, 0,
                          bytes_.size());
}

void BitsDownload::finish(EdgeBits* bits) const {
  for (int y = 0; y < bits->height(); ++y)
    std::memcpy(bits->row(y), bytes_.data() + y * row_bytes_, row_bytes_);
}

void BitsDownload::release() {
  bytes_ = {};
  kept_.release();
}

}  // namespace canny::opencl
