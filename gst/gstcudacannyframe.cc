// SPDX-License-Identifier: LGPL-2.1-or-later
/// Maps a GstBuffer and checks that every row of its frame lies inside the mapped memory.
#include "gstcudacannyframe.h"

#include <cstddef>

#include "gstcudacannydevice.h"
#include "gstcudacannyformat.h"

namespace {

std::string text(std::int64_t value) { return std::to_string(value); }

/// A meta may hold any number, GStreamer has names for its own formats only.
std::string format_name(GstVideoFormat format) {
  const gchar* name =
      format == GST_VIDEO_FORMAT_UNKNOWN ? nullptr : gst_video_format_to_string(format);
  return name != nullptr ? name : "number " + text(format);
}

bool check_meta(const GstVideoMeta& meta, const GstVideoInfo& info, std::string* problem) {
  if (meta.format != GST_VIDEO_INFO_FORMAT(&info)) {
    *problem = "GstVideoMeta format " + format_name(meta.format) + " is not the caps' " +
               format_name(GST_VIDEO_INFO_FORMAT(&info));
  } else if (meta.n_planes < GST_VIDEO_INFO_N_PLANES(&info)) {
    *problem = "GstVideoMeta has " + text(meta.n_planes) + " planes, the format has " +
               text(GST_VIDEO_INFO_N_PLANES(&info));
  } else if (meta.width < static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)) ||
             meta.height < static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info))) {
    *problem = "GstVideoMeta size " + text(meta.width) + "x" + text(meta.height) +
               " is smaller than the caps' " + text(GST_VIDEO_INFO_WIDTH(&info)) + "x" +
               text(GST_VIDEO_INFO_HEIGHT(&info));
  }
  return problem->empty();
}

/// Checks that the rows of `frame`, whose top row starts `offset` bytes into memory of `size`
/// bytes, lie inside it. No product overflows: rows <= 16384, |stride_bytes| <= 2^31.
bool check_rows(const canny::Frame& frame, std::size_t offset, std::size_t size,
                std::string* problem) {
  const std::int64_t row = std::int64_t{frame.width} * canny::bytes_per_pixel(frame.format);
  const std::int64_t stride = frame.stride_bytes;
  if (stride < row && stride > -row) {
    *problem = "stride of " + text(stride) + " bytes is shorter than a row of " + text(row);
    return false;
  }
  const std::int64_t last = stride * (frame.height - 1);
  const std::uint64_t below = stride < 0 ? -last : 0;
  const std::uint64_t above = (stride < 0 ? 0 : last) + row;
  if (offset < below || offset > size || size - offset < above) {
    *problem = text(frame.height) + " rows of " + text(row) + " bytes, stride " + text(stride) +
               ", from offset " + std::to_string(offset) + " reach outside the buffer's " +
               std::to_string(size) + " bytes";
    return false;
  }
  return true;
}

}  // namespace

void GstCudaCannyFrame::unmap() {
  if (buffer_ == nullptr) return;
  if (meta_ != nullptr) {
    gst_video_meta_unmap(meta_, plane_, &map_);
  } else {
    gst_buffer_unmap(buffer_, &map_);
  }
  buffer_ = nullptr;
  meta_ = nullptr;
}

bool GstCudaCannyFrame::map(GstBuffer* buffer, const GstVideoInfo& info, GstMapFlags flags,
                            canny::Memory memory, std::string* problem) {
  frame_.memory = memory;
  frame_.width = GST_VIDEO_INFO_WIDTH(&info);
  frame_.height = GST_VIDEO_INFO_HEIGHT(&info);
  frame_.format = gst_cuda_canny_format_pixels(GST_VIDEO_INFO_FORMAT(&info));
  return map_rows(buffer, info, 0, flags, problem);
}

bool GstCudaCannyFrame::map_bytes(GstBuffer* buffer, const GstVideoInfo& info, guint plane,
                                  GstMapFlags flags, canny::Memory memory, std::string* problem) {
  frame_.memory = memory;
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info.finfo, plane, components);
  frame_.width = 0;
  for (const gint component : components) {
    if (component < 0) continue;
    frame_.width = MAX(frame_.width, GST_VIDEO_INFO_COMP_WIDTH(&info, component) *
                                         GST_VIDEO_INFO_COMP_PSTRIDE(&info, component));
  }
  frame_.height = GST_VIDEO_INFO_COMP_HEIGHT(&info, components[0]);
  frame_.format = canny::PixelFormat::kGray8;
  return map_rows(buffer, info, plane, flags, problem);
}

bool GstCudaCannyFrame::map_rows(GstBuffer* buffer, const GstVideoInfo& info, guint plane,
                                 GstMapFlags flags, std::string* problem) {
  GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  if (meta != nullptr && !check_meta(*meta, info, problem)) return false;
  if (frame_.memory == canny::Memory::kDevice) flags = gst_cuda_canny_device_map_flags(flags);
  std::size_t offset = 0;
  const bool mapped = meta != nullptr && gst_buffer_n_memory(buffer) == 1
                          ? map_plane(meta, plane, flags, &offset, problem)
                          : map_buffer(buffer, meta, info, plane, flags, &offset, problem);
  if (!mapped || !check_rows(frame_, offset, map_.size, problem)) return false;
  frame_.data = map_.data + offset;
  const bool on_device = frame_.memory == canny::Memory::kDevice;
  frame_.cuda_stream = on_device ? gst_cuda_canny_device_stream(buffer) : nullptr;
  return true;
}

bool GstCudaCannyFrame::map_plane(GstVideoMeta* meta, guint plane, GstMapFlags flags,
                                  std::size_t* offset, std::string* problem) {
  gpointer data = nullptr;
  gint stride = 0;
  if (!gst_video_meta_map(meta, plane, &map_, &data, &stride, flags)) {
    *problem = "can't map the plane at offset " + std::to_string(meta->offset[plane]) + " of " +
               std::to_string(gst_buffer_get_size(meta->buffer)) + " bytes";
    return false;
  }
  buffer_ = meta->buffer;
  meta_ = meta;
  plane_ = plane;
  frame_.stride_bytes = stride;
  // Below the mapping, it wraps to an offset beyond its end, which check_rows() refuses.
  *offset = reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(map_.data);
  return true;
}

bool GstCudaCannyFrame::map_buffer(GstBuffer* buffer, const GstVideoMeta* meta,
                                   const GstVideoInfo& info, guint plane, GstMapFlags flags,
                                   std::size_t* offset, std::string* problem) {
  if (!gst_buffer_map(buffer, &map_, flags)) {
    *problem = "can't map the buffer's " + std::to_string(gst_buffer_get_size(buffer)) + " bytes";
    return false;
  }
  buffer_ = buffer;
  frame_.stride_bytes =
      meta != nullptr ? meta->stride[plane] : GST_VIDEO_INFO_PLANE_STRIDE(&info, plane);
  *offset = meta != nullptr ? meta->offset[plane] : GST_VIDEO_INFO_PLANE_OFFSET(&info, plane);
  return true;
}

canny::ConstFrame GstCudaCannyFrame::input() const {
  return {frame_.data,   frame_.stride_bytes, frame_.width,      frame_.height,
          frame_.format, frame_.memory,       frame_.cuda_stream};
}

canny::Frame GstCudaCannyFrame::output() const { return frame_; }

canny::Status gst_cuda_canny_frame_fill_chroma(GstBuffer* buffer, const GstVideoInfo& info,
                                               canny::Memory memory, canny::Detector* detector) {
  constexpr std::uint8_t kNeutral = 128;
  const auto fill = [&](guint plane, int first_byte) -> canny::Status {
    GstCudaCannyFrame bytes;
    std::string problem;
    if (!bytes.map_bytes(buffer, info, plane, GST_MAP_WRITE, memory, &problem)) {
      return {canny::StatusCode::kInvalidFrame, problem};
    }
    canny::Frame rows = bytes.output();
    rows.data += first_byte;
    rows.width -= first_byte;
    return detector->fill(rows, kNeutral);
  };
  for (guint plane = 1; plane < GST_VIDEO_INFO_N_PLANES(&info); plane++) {
    if (canny::Status status = fill(plane, 0); !status.ok()) return status;
  }
  // Two pixels of a packed format share their chroma. The last one of an odd width has it all.
  const bool is_packed = GST_VIDEO_INFO_IS_YUV(&info) && GST_VIDEO_INFO_N_PLANES(&info) == 1;
  const bool is_odd = GST_VIDEO_INFO_WIDTH(&info) % 2 != 0;
  return is_packed && is_odd ? fill(0, 2 * GST_VIDEO_INFO_WIDTH(&info)) : canny::Status();
}
