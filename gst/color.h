// SPDX-License-Identifier: LGPL-2.1-or-later
/// Colors in the components of video frames.
#pragma once

#include <gst/video/video.h>

#include <cstdint>

/// The color `argb` in frames of this format and colorimetry, as canny::Params::edge_color.
std::uint32_t gst_cuda_canny_color(std::uint32_t argb, const GstVideoInfo& info);
