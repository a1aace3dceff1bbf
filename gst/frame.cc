// SPDX-License-Identifier: LGPL-2.1-or-later
/// Maps a GstBuffer and checks that every row of its frame lies inside the mapped memory.
#include "frame.h"

#include <cstddef>
#include <cstring>

namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

/// A meta may hold any number. A number that is not a GstVideoFormat must not be read as one.
int format_number(const GstVideoMeta& meta) {
  static_assert(sizeof meta.format == sizeof(int));
  int number;
  std::memcpy(&number, &meta.format, sizeof number);
  return number;
}

/// Names a format, or states its number if GStreamer does not know it.
std::string format_name(int number) {
  guint count = 0;
  const GstVideoFormat* formats = gst_video_formats_raw(&count);
  for (guint i = 0; i < count; i++) {
    if (formats[i] == number) return gst_video_format_to_string(formats[i]);
  }
  return "number " + text(number);
}

bool check_meta(const GstVideoMeta& meta, const GstVideoInfo& info, std::string* problem) {
  const int format = format_number(meta);
  if (format != GST_VIDEO_INFO_FORMAT(&info)) {
    *problem = "GstVideoMeta format " + format_name(format) + " differs from the caps' " +
               format_name(GST_VIDEO_INFO_FORMAT(&info));
  } else if (meta.n_planes < GST_VIDEO_INFO_N_PLANES(&info)) {
    *problem = "GstVideoMeta has " + text(meta.n_planes) + " planes, but the format has " +
               text(GST_VIDEO_INFO_N_PLANES(&info));
  } else if (meta.width < static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)) ||
             meta.height < static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info))) {
    *problem = "GstVideoMeta size " + text(meta.width) + "x" + text(meta.height) +
               " is smaller than the caps' " + text(GST_VIDEO_INFO_WIDTH(&info)) + "x" +
               text(GST_VIDEO_INFO_HEIGHT(&info));
  }
  return problem->empty();
}

/// Checks that `height` rows of `row` bytes, whose top row starts `offset` bytes into memory of
/// `size` bytes, lie inside it. No product overflows: height <= 16384, |stride| <= 2^31.
bool check_rows(std::int64_t row, int height, std::int64_t stride, std::size_t offset,
                std::size_t size, std::string* problem) {
  if (stride < row && stride > -row) {
    *problem = "stride of " + text(stride) + " bytes is shorter than a row of " + text(row);
    return false;
  }
  const std::int64_t last = stride * (height - 1);
  const std::uint64_t below = stride < 0 ? -last : 0;
  const std::uint64_t above = (stride < 0 ? 0 : last) + row;
  if (offset < below || offset > size || size - offset < above) {
    *problem = text(height) + " rows of " + text(row) + " bytes, stride " + text(stride) +
               ", from offset " + std::to_string(offset) + " reach outside the buffer's " +
               std::to_string(size) + " bytes";
    return false;
  }
  return true;
}

bool is_palette(const GstVideoInfo& info, guint plane) {
  return GST_VIDEO_FORMAT_INFO_HAS_PALETTE(info.finfo) && plane == GST_VIDEO_COMP_PALETTE;
}

bool is_block(const GstVideoInfo& info, guint plane) {
  return GST_VIDEO_FORMAT_INFO_IS_TILED(info.finfo) || is_palette(info, plane);
}

/// The bytes of a plane in GStreamer's own layout.
int block_bytes(const GstVideoInfo& info, guint plane) {
  const bool is_last = plane + 1 == GST_VIDEO_INFO_N_PLANES(&info);
  const gsize end =
      is_last ? GST_VIDEO_INFO_SIZE(&info) : GST_VIDEO_INFO_PLANE_OFFSET(&info, plane + 1);
  return static_cast<int>(end - GST_VIDEO_INFO_PLANE_OFFSET(&info, plane));
}

/// Checks that a plane that is not in rows lies in memory of `size` bytes, from `offset` on, and
/// sets `*bytes` to its size. In tiles, the stride states their numbers.
bool check_block(const GstVideoInfo& info, guint plane, std::ptrdiff_t stride, std::size_t offset,
                 std::size_t size, int* bytes, std::string* problem) {
  std::int64_t all = block_bytes(info, plane);
  if (!is_palette(info, plane)) {
    const gint own = GST_VIDEO_INFO_PLANE_STRIDE(&info, plane);
    const std::int64_t own_x = GST_VIDEO_TILE_X_TILES(own), own_y = GST_VIDEO_TILE_Y_TILES(own);
    const std::int64_t x = GST_VIDEO_TILE_X_TILES(stride), y = GST_VIDEO_TILE_Y_TILES(stride);
    if (x < own_x || y < own_y) {
      *problem =
          text(x) + "x" + text(y) + " tiles are fewer than " + text(own_x) + "x" + text(own_y);
      return false;
    }
    all = all / (own_x * own_y) * x * y;
  }
  if (offset > size || all > G_MAXINT || size - offset < static_cast<std::size_t>(all)) {
    *problem = text(all) + " bytes from offset " + std::to_string(offset) +
               " reach outside the buffer's " + std::to_string(size) + " bytes";
    return false;
  }
  *bytes = static_cast<int>(all);
  return true;
}

}  // namespace

void GstCudaCannyFrame::unmap() {
  for (; mapped_ > 0; mapped_--) {
    Mapping& mapping = mappings_[mapped_ - 1];
    if (mapping.meta != nullptr) {
      gst_video_meta_unmap(mapping.meta, mapping.plane, &mapping.map);
    } else {
      gst_buffer_unmap(buffer_, &mapping.map);
    }
  }
  buffer_ = nullptr;
  problem_.clear();
  plane_count_ = 0;
  fill_count_ = 0;
  stand_in_.end();
}

void GstCudaCannyFrame::finish() {
  if (stand_in_.is_used()) stand_in_.pack();
}

bool GstCudaCannyFrame::map(GstBuffer* buffer, const GstCudaCannyStream& stream, GstMapFlags flags,
                            bool with_chroma) {
  const bool is_output = (flags & GST_MAP_WRITE) != 0;
  buffer_ = buffer;
  info_ = stream.info;
  flags_ = stream.memory == canny::Memory::kDevice ? gst_cuda_canny_device_map_flags(flags) : flags;
  frame_ = {};
  frame_.memory = stream.memory;
  frame_.width = GST_VIDEO_INFO_WIDTH(&info_);
  frame_.height = GST_VIDEO_INFO_HEIGHT(&info_);
  const GstVideoFormat format = gst_cuda_canny_format_of_detector(
      GST_VIDEO_INFO_FORMAT(&info_), is_output ? GST_PAD_SRC : GST_PAD_SINK);
  if (format != GST_VIDEO_INFO_FORMAT(&info_)) return map_stand_in(format);
  frame_.format = gst_cuda_canny_format_pixels(format);
  Rows rows[3];
  for (int i = 0; i < canny::planes(frame_.format); i++) {
    // The order of components is red, green, blue, or luma first.
    const guint plane = GST_VIDEO_INFO_COMP_PLANE(&info_, i);
    // All bytes of an output are written; of an input, only those of its pixels are read.
    const Extent extent =
        is_output ? whole(plane)
                  : Extent{canny::row_bytes(frame_.format, frame_.width), frame_.height};
    if (map_rows(plane, extent, &rows[i])) continue;
    if (canny::planes(frame_.format) > 1) problem_.insert(0, "plane " + text(plane) + ": ");
    return false;
  }
  frame_.data = rows[0].data;
  frame_.stride_bytes = rows[0].stride_bytes;
  frame_.green = rows[1];
  frame_.blue = rows[2];
  const bool has_chroma = GST_VIDEO_INFO_IS_YUV(&info_) && GST_VIDEO_INFO_N_PLANES(&info_) > 1;
  return !with_chroma || !has_chroma || map_chroma();
}

bool GstCudaCannyFrame::map_stand_in(GstVideoFormat format) {
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES(&info_); plane++) {
    Rows rows;
    if (!map_whole(plane, &rows)) return false;
  }
  frame_ = stand_in_.begin(info_, planes_, format);
  plane_count_ = 0;  // the detector does not see them
  if ((flags_ & GST_MAP_READ) != 0) stand_in_.unpack();
  return true;
}

/// Maps U and V, which are in one plane or in two.
bool GstCudaCannyFrame::map_chroma() {
  const guint u = GST_VIDEO_INFO_COMP_PLANE(&info_, 1), v = GST_VIDEO_INFO_COMP_PLANE(&info_, 2);
  Rows rows[2];
  if (!map_whole(u, &rows[0])) return false;
  rows[1] = rows[0];
  if (v != u && !map_whole(v, &rows[1])) return false;
  rows[0].data += GST_VIDEO_INFO_COMP_POFFSET(&info_, 1);
  rows[1].data += GST_VIDEO_INFO_COMP_POFFSET(&info_, 2);
  frame_.chroma = {rows[0], rows[1], GST_VIDEO_INFO_COMP_PSTRIDE(&info_, 1),
                   static_cast<int>(GST_VIDEO_FORMAT_INFO_W_SUB(info_.finfo, 1)),
                   static_cast<int>(GST_VIDEO_FORMAT_INFO_H_SUB(info_.finfo, 1))};
  return true;
}

/// All bytes of a plane. Of pixels that share words, those in the rows of GStreamer's own layout.
GstCudaCannyFrame::Extent GstCudaCannyFrame::whole(guint plane) const {
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info_.finfo, plane, components);
  if (is_block(info_, plane)) return {block_bytes(info_, plane), 1, true};
  Extent extent = {0, GST_VIDEO_INFO_COMP_HEIGHT(&info_, components[0])};
  for (const gint component : components) {
    if (component < 0) continue;
    if (GST_VIDEO_INFO_COMP_PSTRIDE(&info_, component) == 0)
      return {GST_VIDEO_INFO_PLANE_STRIDE(&info_, plane), extent.rows};
    extent.row_bytes = MAX(extent.row_bytes, GST_VIDEO_INFO_COMP_WIDTH(&info_, component) *
                                                 GST_VIDEO_INFO_COMP_PSTRIDE(&info_, component));
  }
  return extent;
}

bool GstCudaCannyFrame::map_whole(guint plane, Rows* rows) {
  if (map_rows(plane, whole(plane), rows)) return true;
  problem_.insert(0, "plane " + text(plane) + ": ");
  return false;
}

/// Maps the rows of a plane.
bool GstCudaCannyFrame::map_rows(guint plane, Extent extent, Rows* rows) {
  GstVideoMeta* meta = gst_buffer_get_video_meta(buffer_);
  if (meta != nullptr && !check_meta(*meta, info_, &problem_)) return false;
  const Mapping* mapping = nullptr;
  std::size_t offset = 0;
  if (meta != nullptr && gst_buffer_n_memory(buffer_) == 1) {
    mapping = map_plane(meta, plane, rows);
    if (mapping == nullptr) return false;
    // An address below the mapping wraps to an offset beyond its end, which check_rows() refuses.
    offset = reinterpret_cast<std::uintptr_t>(rows->data) -
             reinterpret_cast<std::uintptr_t>(mapping->map.data);
  } else {
    mapping = map_buffer();
    if (mapping == nullptr) return false;
    offset = meta != nullptr ? meta->offset[plane] : GST_VIDEO_INFO_PLANE_OFFSET(&info_, plane);
    rows->stride_bytes =
        meta != nullptr ? meta->stride[plane] : GST_VIDEO_INFO_PLANE_STRIDE(&info_, plane);
  }
  const std::size_t size = mapping->map.size;
  const bool fits = extent.is_block ? check_block(info_, plane, rows->stride_bytes, offset, size,
                                                  &extent.row_bytes, &problem_)
                                    : check_rows(extent.row_bytes, extent.rows, rows->stride_bytes,
                                                 offset, size, &problem_);
  if (!fits) return false;
  rows->data = mapping->map.data + offset;
  const bool on_device = frame_.memory == canny::Memory::kDevice;
  frame_.cuda_stream = on_device ? gst_cuda_canny_device_stream(buffer_) : nullptr;
  planes_[plane_count_++] = {*rows, extent};
  return true;
}

const GstCudaCannyFrame::Mapping* GstCudaCannyFrame::map_plane(GstVideoMeta* meta, guint plane,
                                                               Rows* rows) {
  gpointer data = nullptr;
  gint stride = 0;
  Mapping* mapping = &mappings_[mapped_];
  *mapping = {meta, plane, GST_MAP_INFO_INIT};
  if (!gst_video_meta_map(meta, plane, &mapping->map, &data, &stride, flags_)) {
    problem_ = "can't map the plane at offset " + std::to_string(meta->offset[plane]) + " of " +
               std::to_string(gst_buffer_get_size(buffer_)) + " bytes";
    return nullptr;
  }
  mapped_++;
  *rows = {static_cast<std::uint8_t*>(data), stride};
  return mapping;
}

/// Maps the whole buffer, once for all planes.
const GstCudaCannyFrame::Mapping* GstCudaCannyFrame::map_buffer() {
  Mapping* mapping = &mappings_[0];
  if (mapped_ > 0) return mapping;
  *mapping = {nullptr, 0, GST_MAP_INFO_INIT};
  if (!gst_buffer_map(buffer_, &mapping->map, flags_)) {
    problem_ = "can't map the buffer's " + std::to_string(gst_buffer_get_size(buffer_)) + " bytes";
    return nullptr;
  }
  mapped_ = 1;
  return mapping;
}

canny::ConstFrame GstCudaCannyFrame::input() const {
  canny::ConstFrame frame = {frame_.data,   frame_.stride_bytes, frame_.width,      frame_.height,
                             frame_.format, frame_.memory,       frame_.cuda_stream};
  frame.green = {frame_.green.data, frame_.green.stride_bytes};
  frame.blue = {frame_.blue.data, frame_.blue.stride_bytes};
  const auto& [u, v, step_bytes, shift_x, shift_y] = frame_.chroma;
  frame.chroma = {{u.data, u.stride_bytes}, {v.data, v.stride_bytes}, step_bytes, shift_x, shift_y};
  return frame;
}

canny::Frame GstCudaCannyFrame::output() const {
  canny::Frame frame = frame_;
  frame.fills = fills_;
  frame.fill_count = fill_count_;
  return frame;
}

bool GstCudaCannyFrame::map_output(GstBuffer* buffer, const GstCudaCannyStream& stream,
                                   const GstCudaCannyDevice& device) {
  constexpr std::uint8_t kOpaque = 255, kNeutral = 128;
  if ((stream.memory == canny::Memory::kDevice && !device.holds(buffer, &problem_)) ||
      !map(buffer, stream, GST_MAP_WRITE, true))
    return false;
  if (stand_in_.is_used()) return true;
  // In some packed formats two pixels share their chroma. The last pixel of an odd width has its
  // own.
  const int row_bytes = canny::row_bytes(frame_.format, frame_.width);
  const Extent first = planes_[0].extent;
  if (first.row_bytes > row_bytes) {
    fills_[fill_count_++] = {{frame_.data + row_bytes, frame_.stride_bytes},
                             first.row_bytes - row_bytes,
                             first.rows,
                             kNeutral};
  }
  // The detector writes all planes but alpha.
  guint plane = canny::planes(frame_.format);
  if (GST_VIDEO_INFO_IS_YUV(&info_)) plane = GST_VIDEO_INFO_N_PLANES(&info_);
  for (; plane < GST_VIDEO_INFO_N_PLANES(&info_); plane++) {
    Rows rows;
    if (!map_whole(plane, &rows)) return false;
    const Extent extent = whole(plane);
    fills_[fill_count_++] = {rows, extent.row_bytes, extent.rows, kOpaque};
  }
  return true;
}
