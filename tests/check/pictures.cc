// SPDX-License-Identifier: LGPL-2.1-or-later
/// Draws pictures, and compares edge maps with the reference's.
#include "pictures.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "random.h"
#include "reference.h"

namespace check {

const Format kFormats[kFormatCount] = {
    {"RGB", canny::PixelFormat::kRgb, 3, "RGB"},
    {"BGR", canny::PixelFormat::kBgr, 3, "BGR"},
    {"RGBx", canny::PixelFormat::kRgbx, 4, "RGBx"},
    {"BGRx", canny::PixelFormat::kBgrx, 4, "BGRx"},
    {"xRGB", canny::PixelFormat::kXrgb, 4, "xRGB"},
    {"xBGR", canny::PixelFormat::kXbgr, 4, "xBGR"},
    {"RGBA", canny::PixelFormat::kRgbx, 4, "RGBA"},
    {"BGRA", canny::PixelFormat::kBgrx, 4, "BGRA"},
    {"ARGB", canny::PixelFormat::kXrgb, 4, "ARGB"},
    {"ABGR", canny::PixelFormat::kXbgr, 4, "ABGR"},
    {"GRAY8", canny::PixelFormat::kGray8, 1, "GRAY8"},
    {"NV12", canny::PixelFormat::kGray8, 1, "NV12"},
    {"NV21", canny::PixelFormat::kGray8, 1, "NV21"},
    {"I420", canny::PixelFormat::kGray8, 1, "I420"},
    {"YV12", canny::PixelFormat::kGray8, 1, "YV12"},
    {"Y42B", canny::PixelFormat::kGray8, 1, "Y42B"},
    {"Y444", canny::PixelFormat::kGray8, 1, "Y444"},
    {"YUY2", canny::PixelFormat::kYuy2, 2, "YUY2"},
    {"UYVY", canny::PixelFormat::kUyvy, 2, "UYVY"},
    {"NV16", canny::PixelFormat::kGray8, 1, "NV16"},
    {"NV61", canny::PixelFormat::kGray8, 1, "NV61"},
    {"NV24", canny::PixelFormat::kGray8, 1, "NV24"},
    {"Y41B", canny::PixelFormat::kGray8, 1, "Y41B"},
    {"YVYU", canny::PixelFormat::kYuy2, 2, "YVYU"},
    {"VYUY", canny::PixelFormat::kUyvy, 2, "VYUY"},
    {"AYUV", canny::PixelFormat::kAyuv, 4, "AYUV"},
    {"VUYA", canny::PixelFormat::kVuya, 4, "VUYA"},
    {"GBR", canny::PixelFormat::kRgbPlanes, 1, "GBR"},
    {"GBRA", canny::PixelFormat::kRgbPlanes, 1, "GBRA"},
    {"RGBP", canny::PixelFormat::kRgbPlanes, 1, "RGBP"},
    {"BGRP", canny::PixelFormat::kRgbPlanes, 1, "BGRP"},
    {"RGB16", canny::PixelFormat::kRgb16, 2, "RGB16"},
    {"BGR16", canny::PixelFormat::kBgr16, 2, "BGR16"},
    {"RGB15", canny::PixelFormat::kRgb15, 2, "RGB15"},
    {"BGR15", canny::PixelFormat::kBgr15, 2, "BGR15"},
    {"GRAY16_LE", canny::PixelFormat::kGray16Le, 2, "GRAY8"},
    {"P010_10LE", canny::PixelFormat::kGray16Le, 2, "NV12"},
    {"I420_10LE", canny::PixelFormat::kGray10Le, 2, "I420"},
    {"GRAY16_BE", canny::PixelFormat::kGray16Be, 2, "GRAY8"},
    {"P012_LE", canny::PixelFormat::kGray16Le, 2, "NV12"},
    {"P016_LE", canny::PixelFormat::kGray16Le, 2, "NV12"},
    {"I420_12LE", canny::PixelFormat::kGray12Le, 2, "I420"},
    {"I422_10LE", canny::PixelFormat::kGray10Le, 2, "Y42B"},
    {"I422_12LE", canny::PixelFormat::kGray12Le, 2, "Y42B"},
    {"Y444_10LE", canny::PixelFormat::kGray10Le, 2, "Y444"},
    {"Y444_12LE", canny::PixelFormat::kGray12Le, 2, "Y444"},
    {"Y444_16LE", canny::PixelFormat::kGray16Le, 2, "Y444"},
    {"Y210", canny::PixelFormat::kY210Le, 4, "YUY2"},
    {"v210", canny::PixelFormat::kV210, 0, "UYVY"},
    {"Y410", canny::PixelFormat::kY410Le, 4, "VUYA"},
    {"RGB10A2_LE", canny::PixelFormat::kRgb10a2Le, 4, "RGBA"},
    {"BGR10A2_LE", canny::PixelFormat::kBgr10a2Le, 4, "BGRA"},
    {"RGBA64_LE", canny::PixelFormat::kRgbx64Le, 8, "RGBA"},
    {"ARGB64", canny::PixelFormat::kXrgb64Le, 8, "ARGB"},
};
const Format& kRgb = kFormats[0];
const Format& kGray = kFormats[10];
const Format& kNv12 = kFormats[11];

GstVideoFormat video_format(const Format& format) {
  return gst_video_format_from_string(format.name);
}

static GstVideoInfo info_of(const Format& format, int width, int height) {
  GstVideoInfo info;
  g_assert(gst_video_info_set_format(&info, video_format(format), guint(width), guint(height)));
  return info;
}

GstVideoInfo info_of(const Layout& layout) {
  return info_of(*layout.format, layout.width, layout.height);
}

const Format& find_format(const char* name) {
  const auto* format =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [&](const Format& other) { return std::strcmp(other.name, name) == 0; });
  if (format == std::end(kFormats)) g_error("no format %s", name);
  return *format;
}

const Format& output_of(const Format& format) { return find_format(format.output); }

bool is_cuda_format(const Format& format) {
  static const std::set<std::string> absent = {
      "xRGB",  "xBGR", "GRAY8", "GRAY16_LE", "GRAY16_BE", "NV16",  "NV61",  "NV24",
      "Y41B",  "YVYU", "VYUY",  "AYUV",      "VUYA",      "RGB16", "BGR16", "RGB15",
      "BGR15", "Y210", "v210",  "Y410",      "RGBA64_LE", "ARGB64"};
#if !GST_CHECK_VERSION(1, 26, 0)
  static const std::set<std::string> absent_before = {"P012_LE", "I420_12LE", "Y444_10LE",
                                                      "Y444_12LE"};
  if (absent_before.count(format.name) > 0) return false;
#endif
  return absent.count(format.name) == 0;
}

/// In YUY2 and similar formats two pixels share their chroma.
int row_bytes(const Format& format, int width) {
  const bool packed =
      format.pixels == canny::PixelFormat::kYuy2 || format.pixels == canny::PixelFormat::kUyvy;
  return canny::row_bytes(format.pixels, packed ? (width + 1) / 2 * 2 : width);
}

gsize chroma_bytes(const Format& format, int width, int height) {
  const GstVideoInfo info = info_of(format, width, height);
  gsize first = info.size;
  for (guint i = 1; i < GST_VIDEO_INFO_N_PLANES(&info); i++) first = MIN(first, info.offset[i]);
  return info.size - first;
}

Layout plain_layout(const Format& format, int width, int height) {
  const GstVideoInfo info = info_of(format, width, height);
  return {&format,
          width,
          height,
          GST_VIDEO_INFO_PLANE_STRIDE(&info, 0),
          GST_VIDEO_INFO_PLANE_OFFSET(&info, 0),
          GST_VIDEO_INFO_SIZE(&info),
          GST_VIDEO_INFO_SIZE(&info) - chroma_bytes(format, width, height)};
}

GstCaps* new_caps(const Format& format, int width, int height, int frames, int seconds) {
  return gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format.name, "width",
                             G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
                             GST_TYPE_FRACTION, frames, seconds, nullptr);
}

std::uint8_t guard_byte(gsize index) { return std::uint8_t(0xa5 ^ (index * 7)); }

PlaneLayout plane_of(const Layout& layout, int plane) {
  if (plane == 0) return {layout.offset, layout.stride};
  const Format& format = *layout.format;
  const GstVideoInfo info = info_of(layout);
  const gsize chroma = info.size - chroma_bytes(format, layout.width, layout.height);
  return {layout.chroma + (info.offset[plane] - chroma), info.stride[plane]};
}

canny::Frame frame_of(const Layout& layout, std::uint8_t* data) {
  canny::Frame frame;
  frame.width = layout.width;
  frame.height = layout.height;
  frame.format = layout.format->pixels;
  const GstVideoInfo info = info_of(layout);
  const auto rows = [&](int component) {
    const PlaneLayout plane = plane_of(layout, GST_VIDEO_INFO_COMP_PLANE(&info, component));
    return canny::BasicPlane<std::uint8_t>{data + plane.offset, plane.stride};
  };
  frame.data = rows(0).data;
  frame.stride_bytes = rows(0).stride_bytes;
  if (canny::planes(frame.format) == 1) {
    if (GST_VIDEO_INFO_IS_YUV(&info) && GST_VIDEO_INFO_N_PLANES(&info) > 1) {
      const auto sample = [&](int component) {
        return canny::BasicPlane<std::uint8_t>{
            rows(component).data + GST_VIDEO_INFO_COMP_POFFSET(&info, component),
            rows(component).stride_bytes};
      };
      frame.chroma = {sample(1), sample(2), GST_VIDEO_INFO_COMP_PSTRIDE(&info, 1),
                      int(GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, 1)),
                      int(GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, 1))};
    }
    return frame;
  }
  frame.green = rows(1);
  frame.blue = rows(2);
  return frame;
}

canny::ConstFrame const_frame_of(const Layout& layout, std::uint8_t* data) {
  const canny::Frame at = frame_of(layout, data);
  canny::ConstFrame frame{at.data, at.stride_bytes, at.width, at.height, at.format, at.memory};
  frame.green = {at.green.data, at.green.stride_bytes};
  frame.blue = {at.blue.data, at.blue.stride_bytes};
  const auto& [u, v, step_bytes, shift_x, shift_y] = at.chroma;
  frame.chroma = {{u.data, u.stride_bytes}, {v.data, v.stride_bytes}, step_bytes, shift_x, shift_y};
  return frame;
}

/// Draws cells of random colors, slanted so that edges take every direction, with a little noise.
static void paint(const Layout& layout, std::uint64_t seed, std::uint8_t* data) {
  reference::Random random(seed);
  const int cell = random.between(3, 9);
  std::vector<std::uint8_t> colors(4096);
  for (std::uint8_t& color : colors) color = std::uint8_t(random.between(8, 247));
  for (int plane = 0; plane < canny::planes(layout.format->pixels); plane++) {
    const PlaneLayout at = plane_of(layout, plane);
    for (int y = 0; y < layout.height; y++) {
      std::uint8_t* row = data + at.offset + gssize(y) * at.stride;
      // Bytes that pixels share are drawn as if they were pixels.
      const int bytes = std::max(layout.format->bytes, 1);
      const int columns = canny::row_bytes(layout.format->pixels, layout.width) / bytes;
      for (int x = 0; x < columns; x++) {
        const int index = (x + y / 3) / cell * 31 + (y + x / 5) / cell * 97;
        for (int i = 0; i < bytes; i++) {
          const int color = colors[std::size_t(index * 4 + i + plane) % colors.size()];
          row[x * bytes + i] = std::uint8_t(color + random.between(-8, 8));
        }
      }
    }
  }
}

GstBuffer* new_picture(const Layout& layout, std::uint64_t seed) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, layout.size, nullptr);
  GstMapInfo map;
  g_assert(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++) map.data[i] = guard_byte(i);
  paint(layout, seed, map.data);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

GstVideoMeta* add_meta(GstBuffer* buffer, const Layout& layout) {
  const Format& format = *layout.format;
  const GstVideoInfo info = info_of(layout);
  gsize offsets[GST_VIDEO_MAX_PLANES] = {};
  gint strides[GST_VIDEO_MAX_PLANES] = {};
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(&info); i++) {
    const PlaneLayout plane = plane_of(layout, int(i));
    offsets[i] = plane.offset;
    strides[i] = plane.stride;
  }
  return gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, video_format(format),
                                        guint(layout.width), guint(layout.height),
                                        GST_VIDEO_INFO_N_PLANES(&info), offsets, strides);
}

std::vector<std::uint8_t> read_bytes(GstBuffer* buffer) {
  std::vector<std::uint8_t> bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  return bytes;
}

std::vector<std::uint8_t> convert(GstBuffer* buffer, const Layout& layout, const char* to) {
  GstVideoInfo from_info = info_of(layout), to_info;
  g_assert(gst_video_info_set_format(&to_info, gst_video_format_from_string(to),
                                     guint(layout.width), guint(layout.height)));
  GstBuffer* converted = gst_buffer_new_allocate(nullptr, to_info.size, nullptr);
  GstVideoConverter* converter = gst_video_converter_new(&from_info, &to_info, nullptr);
  GstVideoFrame from, result;
  g_assert(gst_video_frame_map(&from, &from_info, buffer, GST_MAP_READ));
  g_assert(gst_video_frame_map(&result, &to_info, converted, GST_MAP_WRITE));
  gst_video_converter_frame(converter, &from, &result);
  gst_video_frame_unmap(&result);
  gst_video_frame_unmap(&from);
  gst_video_converter_free(converter);
  const std::vector<std::uint8_t> bytes = read_bytes(converted);
  gst_buffer_unref(converted);
  return bytes;
}

std::vector<std::uint8_t> reference_edges(GstBuffer* buffer, const Layout& layout,
                                          const canny::Params& params, canny::Result* result,
                                          const canny::Region* region) {
  std::vector<std::uint8_t> bytes = read_bytes(buffer);
  reference::Limits limits;
  canny::ConstFrame frame = const_frame_of(layout, bytes.data());
  frame.region = region;
  std::vector<std::uint8_t> edges = reference::detect(params, frame, &limits);
  if (result != nullptr) {
    *result = {};
    result->edge_pixels = count_edges(edges);
    result->low_threshold = limits.low;
    result->high_threshold = limits.high;
  }
  return edges;
}

std::vector<std::uint8_t> edges_in(GstBuffer* buffer, const Layout& layout,
                                   const std::vector<canny::Rectangle>& rectangles,
                                   const canny::Params& params, canny::Result* result) {
  canny::Region region;
  region.rectangles = rectangles.data();
  region.rectangle_count = rectangles.size();
  return reference_edges(buffer, layout, params, result, &region);
}

/// The value of a component in every edge map, -1 if it varies.
static int fixed_sample(const GstVideoInfo& info, guint component) {
  if (component == GST_VIDEO_COMP_A) return 255;
  return GST_VIDEO_INFO_IS_YUV(&info) && component > 0 ? 128 : -1;
}

/// A sample of chroma that is not 128, or of alpha that is not 255.
static std::string fixed_difference(GstBuffer* buffer, const Format& format, int width,
                                    int height) {
  const GstVideoInfo info = info_of(format, width, height);
  const std::vector<std::uint8_t> bytes = read_bytes(buffer);
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  for (guint i = 1; i < GST_VIDEO_INFO_N_COMPONENTS(&info); i++) {
    if (fixed_sample(info, i) < 0) continue;
    const int plane = GST_VIDEO_INFO_COMP_PLANE(&info, i);
    const gssize offset = gssize(meta != nullptr ? meta->offset[plane] : info.offset[plane]);
    const gssize stride = meta != nullptr ? meta->stride[plane] : info.stride[plane];
    for (int y = 0; y < GST_VIDEO_INFO_COMP_HEIGHT(&info, i); y++) {
      for (int x = 0; x < GST_VIDEO_INFO_COMP_WIDTH(&info, i); x++) {
        const gssize at = offset + y * stride + GST_VIDEO_INFO_COMP_POFFSET(&info, i) +
                          x * GST_VIDEO_INFO_COMP_PSTRIDE(&info, i);
        const int sample = bytes.at(std::size_t(at));
        if (sample == fixed_sample(info, i)) continue;
        return std::string(format.name) + ": component " + std::to_string(i) + " (" +
               std::to_string(x) + "," + std::to_string(y) + ") is " + std::to_string(sample);
      }
    }
  }
  return "";
}

/// The first byte of a plane's rows in which `got` differs from `want`. Each has its own layout.
static std::string rows_difference(const Format& format, int plane, const std::uint8_t* got,
                                   PlaneLayout got_at, const std::uint8_t* want,
                                   PlaneLayout want_at, int width, int height) {
  for (int y = 0; y < height; y++) {
    const std::uint8_t* got_row = got + got_at.offset + gssize(y) * got_at.stride;
    const std::uint8_t* want_row = want + want_at.offset + gssize(y) * want_at.stride;
    for (int at = 0; at < width * format.bytes; at++) {
      if (got_row[at] == want_row[at]) continue;
      return std::string(format.name) + ": pixel (" + std::to_string(at / format.bytes) + "," +
             std::to_string(y) + ") of plane " + std::to_string(plane) + ", byte " +
             std::to_string(at % format.bytes) + " is " + std::to_string(got_row[at]) +
             ", expected " + std::to_string(want_row[at]);
    }
  }
  return "";
}

std::string difference(GstBuffer* buffer, const Format& format, int width, int height,
                       const std::vector<std::uint8_t>& edges) {
  if (buffer == nullptr) return "no frame";
  const Layout plain = plain_layout(format, width, height);
  std::vector<std::uint8_t> expected(plain.size);
  reference::output(edges, frame_of(plain, expected.data()));

  const std::vector<std::uint8_t> bytes = read_bytes(buffer);
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  for (int plane = 0; plane < canny::planes(format.pixels); plane++) {
    const PlaneLayout want_at = plane_of(plain, plane);
    const PlaneLayout got_at =
        meta != nullptr ? PlaneLayout{meta->offset[plane], meta->stride[plane]} : want_at;
    const std::string differs = rows_difference(format, plane, bytes.data(), got_at,
                                                expected.data(), want_at, width, height);
    if (!differs.empty()) return differs;
  }
  return fixed_difference(buffer, format, width, height);
}

std::string difference(GstBuffer* buffer, const Layout& layout,
                       const std::vector<std::uint8_t>& edges) {
  return difference(buffer, *layout.format, layout.width, layout.height, edges);
}

const Format& format_of(const GstCaps* caps) {
  return find_format(gst_structure_get_string(gst_caps_get_structure(caps, 0), "format"));
}

Layout layout_of(GstBuffer* buffer, const GstCaps* caps) {
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  int width = 0;
  int height = 0;
  gst_structure_get(structure, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, nullptr);
  Layout layout = plain_layout(format_of(caps), width, height);
  if (const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer)) {
    layout.offset = meta->offset[0];
    layout.stride = meta->stride[0];
  }
  return layout;
}

std::string edge_difference(GstBuffer* in, const GstCaps* in_caps, GstBuffer* out,
                            const GstCaps* out_caps, const canny::Params& params) {
  if (out == nullptr) return "no frame";
  const Layout layout = layout_of(in, in_caps);
  const Layout result = layout_of(out, out_caps);
  if (result.width != layout.width || result.height != layout.height) return "another size";
  return difference(out, *result.format, result.width, result.height,
                    reference_edges(in, layout, params));
}

std::uint64_t count_edges(const std::vector<std::uint8_t>& edges) {
  return std::uint64_t(std::count(edges.begin(), edges.end(), 255));
}

}  // namespace check
