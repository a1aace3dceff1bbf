// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads and writes colors, and converts them by the matrix and the range of a colorimetry.
#include "color.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace {

constexpr std::uint32_t kOpaque = 0xff000000;

struct Name {
  const char* name;
  std::uint32_t rgb;
};

/// The color keywords of CSS 2.1, section 4.3.6.
constexpr Name kNames[] = {
    {"aqua", 0x00ffff},   {"black", 0x000000},  {"blue", 0x0000ff},   {"fuchsia", 0xff00ff},
    {"gray", 0x808080},   {"green", 0x008000},  {"lime", 0x00ff00},   {"maroon", 0x800000},
    {"navy", 0x000080},   {"olive", 0x808000},  {"orange", 0xffa500}, {"purple", 0x800080},
    {"red", 0xff0000},    {"silver", 0xc0c0c0}, {"teal", 0x008080},   {"white", 0xffffff},
    {"yellow", 0xffff00},
};

/// Whether the text is all hexadecimal digits of a number.
bool is_hexadecimal(std::string_view digits, std::uint32_t* number) {
  const char* const end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, *number, 16);
  return error == std::errc() && last == end;
}

std::uint32_t byte_of(double value) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

/// Whether the first chroma sample of two pixels is V.
bool has_v_first(GstVideoFormat format) {
  return format == GST_VIDEO_FORMAT_YVYU || format == GST_VIDEO_FORMAT_VYUY;
}

}  // namespace

std::uint32_t gst_cuda_canny_color(std::uint32_t argb, const GstVideoInfo& info) {
  if (GST_VIDEO_INFO_IS_RGB(&info)) return argb;
  const auto part = [argb](int shift) { return (argb >> shift & 255) / 255.0; };
  const double r = part(16), g = part(8), b = part(0);
  gdouble kr = 0, kb = 0;
  if (!gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &kr, &kb))
    gst_video_color_matrix_get_Kr_Kb(GST_VIDEO_COLOR_MATRIX_BT601, &kr, &kb);
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gst_video_color_range_offsets(info.colorimetry.range, info.finfo, offset, scale);
  const double luma = kr * r + (1 - kr - kb) * g + kb * b;
  const std::uint32_t y = byte_of(offset[0] + scale[0] * luma);
  if (GST_VIDEO_INFO_IS_GRAY(&info)) return (argb & 0xff000000) | y << 16;
  std::uint32_t u = byte_of(offset[1] + scale[1] * (b - luma) / (2 * (1 - kb)));
  std::uint32_t v = byte_of(offset[2] + scale[2] * (r - luma) / (2 * (1 - kr)));
  if (has_v_first(GST_VIDEO_INFO_FORMAT(&info))) std::swap(u, v);
  return (argb & 0xff000000) | y << 16 | u << 8 | v;
}

bool gst_cuda_canny_color_parse(const gchar* text, std::uint32_t* argb) {
  if (text == nullptr) return false;
  for (const Name& each : kNames) {
    if (g_ascii_strcasecmp(text, each.name) != 0) continue;
    *argb = kOpaque | each.rgb;
    return true;
  }
  const bool has_hash = *text == '#';
  if (!has_hash && !g_str_has_prefix(text, "0x")) return false;
  const std::string_view digits = text + (has_hash ? 1 : 2);
  const bool is_opaque = has_hash && digits.size() == 6;
  std::uint32_t number = 0;
  if ((digits.size() != 8 && !is_opaque) || !is_hexadecimal(digits, &number)) return false;
  *argb = is_opaque ? kOpaque | number : number;
  return true;
}

std::string gst_cuda_canny_color_names() {
  std::string names;
  for (const Name& each : kNames) names += (names.empty() ? "" : ", ") + std::string(each.name);
  return names;
}

std::string gst_cuda_canny_color_text(std::uint32_t argb) {
  char text[16];
  g_snprintf(text, sizeof text, "#%08x", argb);
  return text;
}
