// SPDX-License-Identifier: LGPL-2.1-or-later
/// Converts frames, and draws two of them.
#include "tools/picture.h"

#include <algorithm>

namespace tuner {

namespace {

constexpr double kGap = 4;  ///< between two pictures side by side

/// The format of CAIRO_FORMAT_RGB24, a word in the byte order of the machine.
constexpr GstVideoFormat kFormat =
    G_BYTE_ORDER == G_LITTLE_ENDIAN ? GST_VIDEO_FORMAT_BGRx : GST_VIDEO_FORMAT_xRGB;

/// Converts into the memory of a surface, whose rows have no gaps.
bool convert(const GstVideoInfo& info, GstBuffer* buffer, cairo_surface_t* surface) {
  GstVideoInfo picture_info;
  gst_video_info_set_format(&picture_info, kFormat, static_cast<guint>(info.width),
                            static_cast<guint>(info.height));
  picture_info.interlace_mode = info.interlace_mode;
  picture_info.fps_n = info.fps_n;
  picture_info.fps_d = info.fps_d;
  g_autoptr(GstBuffer) pixels = gst_buffer_new_wrapped_full(
      static_cast<GstMemoryFlags>(0), cairo_image_surface_get_data(surface), picture_info.size, 0,
      picture_info.size, nullptr, nullptr);
  GstVideoConverter* converter =
      gst_video_converter_new(const_cast<GstVideoInfo*>(&info), &picture_info, nullptr);
  GstVideoFrame from, to;
  const bool is_mapped = gst_video_frame_map(&from, &info, buffer, GST_MAP_READ);
  if (is_mapped && gst_video_frame_map(&to, &picture_info, pixels, GST_MAP_WRITE)) {
    gst_video_converter_frame(converter, &from, &to);
    gst_video_frame_unmap(&to);
  }
  if (is_mapped) gst_video_frame_unmap(&from);
  gst_video_converter_free(converter);
  return is_mapped;
}

void paint(cairo_t* cairo, const Picture& picture, const Place& place) {
  cairo_save(cairo);
  cairo_translate(cairo, place.x, place.y);
  cairo_scale(cairo, place.scale, place.scale);
  cairo_set_source_surface(cairo, picture.get(), 0, 0);
  const bool is_enlarged = place.scale >= 1;
  cairo_pattern_set_filter(cairo_get_source(cairo),
                           is_enlarged ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
  cairo_rectangle(cairo, 0, 0, width_of(picture), height_of(picture));
  cairo_fill(cairo);
  cairo_restore(cairo);
}

void draw_split(cairo_t* cairo, const Picture& input, const Picture& output, const Place& place,
                double height, double split) {
  const double x = place.x + split * place.scale * width_of(output);
  paint(cairo, output, place);
  cairo_save(cairo);
  cairo_rectangle(cairo, 0, 0, x, height);
  cairo_clip(cairo);
  paint(cairo, input, place);
  cairo_restore(cairo);
  cairo_set_source_rgb(cairo, 1, 0.6, 0);
  cairo_rectangle(cairo, x - 1, place.y, 2, place.scale * height_of(output));
  cairo_fill(cairo);
}

/// Appends a part of a PNG file to a text.
cairo_status_t append(void* file, const unsigned char* bytes, unsigned count) noexcept {
  static_cast<std::string*>(file)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Picture new_picture(GstSample* sample) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample))) return nullptr;
  Picture picture(cairo_image_surface_create(CAIRO_FORMAT_RGB24, info.width, info.height));
  if (cairo_surface_status(picture.get()) != CAIRO_STATUS_SUCCESS) return nullptr;
  cairo_surface_flush(picture.get());
  if (!convert(info, gst_sample_get_buffer(sample), picture.get())) return nullptr;
  cairo_surface_mark_dirty(picture.get());
  return picture;
}

int width_of(const Picture& picture) { return cairo_image_surface_get_width(picture.get()); }

int height_of(const Picture& picture) { return cairo_image_surface_get_height(picture.get()); }

bool save_picture(const Picture& picture, const std::string& path, std::string* error) {
  if (picture == nullptr) {
    *error = "There is no picture yet. Open a source first.";
    return false;
  }
  std::string file;
  const cairo_status_t status = cairo_surface_write_to_png_stream(picture.get(), append, &file);
  g_autoptr(GError) failure = nullptr;
  // Keeps what is there if the disk is full.
  if (status == CAIRO_STATUS_SUCCESS &&
      g_file_set_contents(path.c_str(), file.data(), static_cast<gssize>(file.size()), &failure))
    return true;
  *error = "Can't write " + path + ": " +
           (failure != nullptr ? failure->message : cairo_status_to_string(status)) +
           ". Choose a folder that you may write to.";
  return false;
}

Place fit(const Picture& picture, double x, double width, double height) {
  const double scale = std::min(width / width_of(picture), height / height_of(picture));
  return {x + (width - scale * width_of(picture)) / 2, (height - scale * height_of(picture)) / 2,
          scale};
}

void draw_pictures(cairo_t* cairo, Layout layout, const Picture& input, const Picture& output,
                   double width, double height, double split) {
  cairo_set_source_rgb(cairo, 0.2, 0.2, 0.2);
  cairo_paint(cairo);
  if (input == nullptr || output == nullptr) return;
  if (layout == Layout::kSideBySide) {
    const double half = (width - kGap) / 2;
    paint(cairo, input, fit(input, 0, half, height));
    paint(cairo, output, fit(output, half + kGap, half, height));
    return;
  }
  const Place place = fit(output, 0, width, height);
  if (layout == Layout::kSplit) {
    draw_split(cairo, input, output, place, height, split);
    return;
  }
  paint(cairo, input, place);
  cairo_set_operator(cairo, CAIRO_OPERATOR_SCREEN);
  paint(cairo, output, place);
  cairo_set_operator(cairo, CAIRO_OPERATOR_OVER);
}

}  // namespace tuner
