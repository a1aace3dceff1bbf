// SPDX-License-Identifier: LGPL-2.1-or-later
/// Colors as texts, and in the components of video frames.
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <string>

/// The color `argb` in frames of this format and colorimetry, as canny::Params::edge_color.
std::uint32_t gst_cuda_canny_color(std::uint32_t argb, const GstVideoInfo& info);

/// Reads a color: a name, in any case, or "#rrggbb", "#aarrggbb" or "0xaarrggbb". False if the text
/// is null or none of these.
bool gst_cuda_canny_color_parse(const gchar* text, std::uint32_t* argb);

/// The names that gst_cuda_canny_color_parse() knows, with commas in between.
std::string gst_cuda_canny_color_names();

/// "#aarrggbb".
std::string gst_cuda_canny_color_text(std::uint32_t argb);
