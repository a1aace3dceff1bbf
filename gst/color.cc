// SPDX-License-Identifier: LGPL-2.1-or-later
/// Converts colors by the matrix and the range of a colorimetry.
#include "color.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace {

std::uint32_t byte_of(double value) {
  return static_cast<std::uint32_t>(std::lround(std::clamp(value, 0.0, 255.0)));
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
  // The first chroma sample of two pixels is V.
  const GstVideoFormat format = GST_VIDEO_INFO_FORMAT(&info);
  if (format == GST_VIDEO_FORMAT_YVYU || format == GST_VIDEO_FORMAT_VYUY) std::swap(u, v);
  return (argb & 0xff000000) | y << 16 | u << 8 | v;
}
