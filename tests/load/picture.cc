// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws pictures and computes their outputs with the reference.
#include "picture.h"

#include <algorithm>
#include <cstring>

#include "random.h"
#include "reference.h"

namespace load {
namespace {

/// Mixes each word of a row into the sum by a multiplication with an odd number, the golden ratio
/// in 64 bits.
std::uint64_t add_row(std::uint64_t sum, const std::uint8_t* row, std::size_t bytes) {
  const auto add = [&](std::size_t at, std::size_t count) {
    std::uint64_t word = 0;
    std::memcpy(&word, row + at, count);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 32;
  };
  std::size_t at = 0;
  for (; at + 8 <= bytes; at += 8) add(at, 8);
  add(at, bytes - at);
  return sum;
}

/// The component that fills the plane's rows.
int first_component(const GstVideoInfo& info, guint plane) {
  int component = 0;
  while (GST_VIDEO_INFO_COMP_PLANE(&info, component) != plane) ++component;
  return component;
}

GstVideoInfo info_of(const char* format, int width, int height) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(format), guint(width),
                            guint(height));
  GST_VIDEO_INFO_FPS_N(&info) = 30;
  return info;
}

/// Slanted cells of random bytes, with a little noise. Every byte is a valid sample.
std::vector<std::uint8_t> paint(const GstVideoInfo& info, std::uint64_t seed) {
  reference::Random random(seed);
  const int cell = random.between(3, 9), row_bytes = GST_VIDEO_INFO_PLANE_STRIDE(&info, 0);
  const int pixel_bytes = GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0);
  std::vector<std::uint8_t> colors(4096);
  for (std::uint8_t& color : colors) color = std::uint8_t(random.between(8, 247));
  std::vector<std::uint8_t> bytes(GST_VIDEO_INFO_SIZE(&info));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int x = int(i) % row_bytes / pixel_bytes, y = int(i) / row_bytes;
    const int index = (x + y / 3) / cell * 31 + (y + x / 5) / cell * 97;
    const int color = colors[std::size_t(4 * index + int(i) % pixel_bytes) % colors.size()];
    bytes[i] = std::uint8_t(color + random.between(-8, 8));
  }
  return bytes;
}

}  // namespace

using canny::PixelFormat;
const Format kRgb = {"RGB", PixelFormat::kRgb, "RGB", PixelFormat::kRgb};
const Format kBgrx = {"BGRx", PixelFormat::kBgrx, "BGRx", PixelFormat::kBgrx};
const Format kBgra = {"BGRA", PixelFormat::kBgrx, "BGRA", PixelFormat::kBgrx};
const Format kGray = {"GRAY8", PixelFormat::kGray8, "GRAY8", PixelFormat::kGray8};
const Format kNv12 = {"NV12", PixelFormat::kGray8, "NV12", PixelFormat::kGray8};
const Format kI420 = {"I420", PixelFormat::kGray8, "I420", PixelFormat::kGray8};
const Format kYuy2 = {"YUY2", PixelFormat::kYuy2, "YUY2", PixelFormat::kYuy2};
const Format kUyvy = {"UYVY", PixelFormat::kUyvy, "UYVY", PixelFormat::kUyvy};
const Format kP010 = {"P010_10LE", PixelFormat::kGray16Le, "NV12", PixelFormat::kGray8};

std::uint64_t checksum(GstBuffer* buffer, const GstVideoInfo& info) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) return 0;
  std::uint64_t sum = 1;
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&frame); ++plane) {
    const int component = first_component(info, plane);
    const auto bytes = std::size_t(GST_VIDEO_FRAME_COMP_WIDTH(&frame, component)) *
                       std::size_t(GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, component));
    const auto* row = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, plane));
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, component); ++y) {
      sum = add_row(sum, row, bytes);
      row += GST_VIDEO_FRAME_PLANE_STRIDE(&frame, plane);
    }
  }
  gst_video_frame_unmap(&frame);
  return sum;
}

std::uint64_t expected_checksum(const Picture& picture, const canny::Params& params) {
  const int width = picture.input.width, height = picture.input.height;
  GstMapInfo map;
  if (!gst_buffer_map(picture.buffer.get(), &map, GST_MAP_READ)) return 0;
  const auto edges =
      reference::detect(params, {map.data, GST_VIDEO_INFO_PLANE_STRIDE(&picture.input, 0), width,
                                 height, picture.format->pixels, canny::Memory::kHost});
  gst_buffer_unmap(picture.buffer.get(), &map);
  std::vector<std::uint8_t> bytes(GST_VIDEO_INFO_SIZE(&picture.output), 128);  // of chroma
  reference::output(edges, {bytes.data(), GST_VIDEO_INFO_PLANE_STRIDE(&picture.output, 0), width,
                            height, picture.format->output_pixels, canny::Memory::kHost});
  const Owned<GstBuffer> frame(gst_buffer_new_memdup(bytes.data(), bytes.size()));
  return checksum(frame.get(), picture.output);
}

Picture new_picture(const Format& format, int width, int height, std::uint64_t seed,
                    const std::vector<canny::Params>& settings) {
  Picture picture;
  picture.format = &format;
  picture.input = info_of(format.name, width, height);
  picture.output = info_of(format.output, width, height);
  picture.caps.reset(gst_video_info_to_caps(&picture.input));
  const std::vector<std::uint8_t> bytes = paint(picture.input, seed);
  picture.buffer.reset(gst_buffer_new_memdup(bytes.data(), bytes.size()));
  for (const canny::Params& params : settings)
    picture.right.push_back(expected_checksum(picture, params));
  std::sort(picture.right.begin(), picture.right.end());
  return picture;
}

}  // namespace load
