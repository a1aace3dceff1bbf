// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures that are pushed into the element, in its formats, and their edge maps.
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "element_ref.h"
#include "pictures.h"

namespace bench {

inline constexpr int kPictures = 7;

/// The settings of every row.
canny::Params element_params();

/// Different pictures of one size. Luma, and with it the edge map, is the same in every format.
struct Pictures {
  int width, height;
  std::vector<std::vector<std::uint8_t>> rgb;
  std::vector<std::vector<std::uint8_t>> edges;  ///< of the reference
};

/// Paints kPictures pictures, a mosaic of the tiles or, without tiles, shapes. Each has its rows
/// rotated by a different part of the height.
Pictures paint_all(int width, int height, const pictures::Tiles& tiles);

/// Copies the pictures to ordinary memory, as RGB, RGBA, NV12 or GRAY8.
Buffers to_buffers(const Pictures& pictures, const GstVideoInfo& info);

/// Copies the frame of `info` in one buffer to another, whatever their memory and layout. Returns
/// false if one of them can't be mapped.
bool copy_frame(GstBuffer* from, GstBuffer* to, const GstVideoInfo& info);

/// Whether the buffer can be mapped and holds this edge map, and 128 in every byte of chroma.
bool holds(GstBuffer* buffer, const GstVideoInfo& info, const std::vector<std::uint8_t>& edges);

/// Whether the second buffer holds the reference's edge map of the gray or YUV frame in the first.
bool holds_edges_of(GstBuffer* input, const GstVideoInfo& input_info, GstBuffer* output,
                    const GstVideoInfo& output_info);

}  // namespace bench
