// SPDX-License-Identifier: LGPL-2.1-or-later
/// Unpacks and packs pictures row by row.
#include "stand_in.h"

#include <cstddef>
#include <cstring>
#include <new>

#include "format.h"

namespace {

/// More than the bytes that GStreamer's functions read or write beyond a row: two pixels; or beyond
/// a picture in tiles: a tile.
constexpr std::size_t kBeyondRow = 64;
constexpr std::size_t kBeyondBlock = 4096;

constexpr std::size_t kAlignment = 64;
std::size_t round_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t size_of(const GstCudaCannyPlane& plane) {
  return round_up(plane.extent.row_bytes + (plane.extent.is_block ? kBeyondBlock : kBeyondRow));
}

/// Of the colors of a format that others unpack to.
std::size_t bytes_of_samples(const GstVideoFormatInfo* info) {
  return GST_VIDEO_FORMAT_INFO_DEPTH(info, 0) / 8;
}

const GstVideoFormatInfo* unpacked(const GstVideoFormatInfo* info) {
  return gst_video_format_get_info(info->unpack_format);
}

/// Makes 16 bits of the 8 of each sample of a row, in place.
void widen(std::uint8_t* row, int samples) {
  for (int i = samples - 1; i >= 0; i--) {
    const std::uint8_t sample = row[i];
    row[2 * i] = row[2 * i + 1] = sample;
  }
}

}  // namespace

canny::Frame GstCudaCannyStandIn::begin(const GstVideoInfo& info, const GstCudaCannyPlane* planes,
                                        GstVideoFormat format) {
  const int count = GST_VIDEO_INFO_N_PLANES(&info);
  const int width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
  own_ = gst_video_format_get_info(format);
  info_ = info;
  const canny::PixelFormat pixels = gst_cuda_canny_format_pixels(format);
  const std::size_t stride = round_up(canny::row_bytes(pixels, width));
  constexpr std::size_t kPixel = 8;  // the largest
  const std::size_t row_bytes = round_up(width * kPixel + kBeyondRow);
  std::size_t size = kAlignment + stride * height + row_bytes;
  for (int i = 0; i < count; i++) size += size_of(planes[i]);
  if (size_ < size) reserve(size);

  auto at = reinterpret_cast<std::uintptr_t>(memory_.get());
  std::uint8_t* next = memory_.get() + (round_up(at) - at);
  frame_ = {next, static_cast<std::ptrdiff_t>(stride), width, height, pixels};
  row_ = next += stride * height;
  next += row_bytes;
  for (int i = 0; i < count; i++) {
    planes_[i] = planes[i];
    copies_[i] = next;
    strides_[i] = planes[i].extent.is_block ? static_cast<gint>(planes[i].rows.stride_bytes) : 0;
    next += size_of(planes[i]);
  }
  return frame_;
}

void GstCudaCannyStandIn::reserve(std::size_t size) {
  memory_.reset();
  size_ = 0;
  memory_.reset(static_cast<std::uint8_t*>(g_try_malloc0(size)));
  if (memory_ == nullptr) throw std::bad_alloc();
  size_ = size;
}

/// Copies the rows of all planes that row `y` of the picture uses.
void GstCudaCannyStandIn::copy_rows(int y, bool is_input) {
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(&info_); i++) {
    const GstCudaCannyPlane& plane = planes_[i];
    if (plane.extent.is_block) continue;
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component(info_.finfo, i, components);
    const int row = y >> GST_VIDEO_FORMAT_INFO_H_SUB(info_.finfo, components[0]);
    std::uint8_t* data = plane.rows.data + plane.rows.stride_bytes * row;
    std::memcpy(is_input ? copies_[i] : data, is_input ? data : copies_[i], plane.extent.row_bytes);
  }
}

void GstCudaCannyStandIn::copy_blocks(bool is_input) {
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(&info_); i++) {
    const GstCudaCannyPlane& plane = planes_[i];
    if (!plane.extent.is_block) continue;
    std::uint8_t* data = plane.rows.data;
    std::memset(static_cast<std::uint8_t*>(copies_[i]) + plane.extent.row_bytes, 0, kBeyondBlock);
    std::memcpy(is_input ? copies_[i] : data, is_input ? data : copies_[i], plane.extent.row_bytes);
  }
}

/// The detector's deep formats have zeros in the bits that a picture lacks.
void GstCudaCannyStandIn::unpack() {
  const GstVideoFormatInfo* from = info_.finfo;
  copy_blocks(true);
  for (int y = 0; y < frame_.height; y++) {
    copy_rows(y, true);
    from->unpack_func(from, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, row_, copies_, strides_, 0, y,
                      frame_.width);
    gpointer to[GST_VIDEO_MAX_PLANES] = {frame_.data + frame_.stride_bytes * y};
    constexpr gint kStrides[GST_VIDEO_MAX_PLANES] = {};
    own_->pack_func(own_, GST_VIDEO_PACK_FLAG_NONE, row_, 0, to, kStrides,
                    GST_VIDEO_CHROMA_SITE_UNKNOWN, y, frame_.width);
  }
}

void GstCudaCannyStandIn::pack() {
  const GstVideoFormatInfo* to = info_.finfo;
  const bool is_wider = bytes_of_samples(unpacked(to)) > bytes_of_samples(unpacked(own_));
  for (int y = 0; y < frame_.height; y++) {
    const gpointer from[GST_VIDEO_MAX_PLANES] = {frame_.data + frame_.stride_bytes * y};
    constexpr gint kStrides[GST_VIDEO_MAX_PLANES] = {};
    own_->unpack_func(own_, GST_VIDEO_PACK_FLAG_NONE, row_, from, kStrides, 0, y, frame_.width);
    if (is_wider) widen(row_, 4 * frame_.width);
    to->pack_func(to, GST_VIDEO_PACK_FLAG_NONE, row_, 0, copies_, strides_,
                  GST_VIDEO_INFO_CHROMA_SITE(&info_), y, frame_.width);
    copy_rows(y, false);
  }
  gsize size = 0;
  const gconstpointer palette =
      gst_video_format_get_palette(GST_VIDEO_FORMAT_INFO_FORMAT(to), &size);
  if (palette != nullptr) std::memcpy(copies_[GST_VIDEO_COMP_PALETTE], palette, size);
  copy_blocks(false);
}
