// SPDX-License-Identifier: LGPL-2.1-or-later
/// Pictures in memory: formats, layouts, and comparisons of edge maps with the reference. These
/// functions also work outside of a Check test.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstdint>
#include <string>
#include <vector>

#include "canny/canny.h"

namespace check {

/// A pixel format that the element must accept and, except for the last ones, produce. Those after
/// the first kShownFormatCount are deep: they have more than 8 bits.
struct Format {
  const char* name;
  canny::PixelFormat pixels;  ///< of the first plane, or of the color planes
  int bytes;                  ///< of a pixel in a plane, 0 if pixels share bytes
  const char* output;         ///< the format of the output if downstream leaves the choice
};

inline constexpr int kFormatCount = 54;
inline constexpr int kOutputFormatCount = 36;
inline constexpr int kShownFormatCount = 35;  ///< formats of overlays and masks
extern const Format kFormats[kFormatCount];
extern const Format& kRgb;
extern const Format& kGray;
extern const Format& kNv12;

const Format& find_format(const char* name);
const Format& output_of(const Format& format);  ///< if downstream leaves the choice

/// Whether GStreamer's CUDA allocator supports this format. It ends the process for others.
bool is_cuda_format(const Format& format);

/// The place of the rows of a frame's first plane in a block of bytes. Other planes follow as the
/// caps imply.
struct Layout {
  const Format* format;
  int width;     ///< pixels
  int height;    ///< pixels
  int stride;    ///< bytes
  gsize offset;  ///< of the top row, bytes
  gsize size;    ///< of the block, bytes
  gsize chroma;  ///< of the second plane, bytes; `size` if there is none
};

int row_bytes(const Format& format, int width);                   ///< of the first plane
gsize chroma_bytes(const Format& format, int width, int height);  ///< of all other planes

Layout plain_layout(const Format& format, int width, int height);  ///< as the caps imply
GstVideoFormat video_format(const Format& format);
GstVideoInfo info_of(const Layout& layout);  ///< of plain_layout()
/// At a framerate of frames / seconds.
GstCaps* new_caps(const Format& format, int width, int height, int frames = 30, int seconds = 1);

/// A buffer of `layout.size` bytes with a picture of many edges, made from `seed`. The bytes
/// outside the rows are guard bytes.
GstBuffer* new_picture(const Layout& layout, std::uint64_t seed);

/// The frame in `layout.size` bytes of memory, and the place of a plane's top row there.
canny::Frame frame_of(const Layout& layout, std::uint8_t* data);
canny::ConstFrame const_frame_of(const Layout& layout, std::uint8_t* data);
struct PlaneLayout {
  gsize offset;
  int stride;
};
PlaneLayout plane_of(const Layout& layout, int plane);

GstVideoMeta* add_meta(GstBuffer* buffer, const Layout& layout);

std::vector<std::uint8_t> read_bytes(GstBuffer* buffer);

/// The frame in `buffer` in another format, by GStreamer's converter and laid out as the caps
/// imply.
std::vector<std::uint8_t> convert(GstBuffer* buffer, const Layout& layout, const char* to);

std::uint8_t guard_byte(gsize index);

/// The edge map of the frame in `buffer`, computed by the reference. Sets `*result` if it is not
/// null. Edges lie in the region if it is not null.
std::vector<std::uint8_t> reference_edges(GstBuffer* buffer, const Layout& layout,
                                          const canny::Params& params,
                                          canny::Result* result = nullptr,
                                          const canny::Region* region = nullptr);
/// Likewise, with edges that lie in these rectangles.
std::vector<std::uint8_t> edges_in(GstBuffer* buffer, const Layout& layout,
                                   const std::vector<canny::Rectangle>& rectangles,
                                   const canny::Params& params = {},
                                   canny::Result* result = nullptr);

/// Compares `buffer`, a frame of `format` laid out by its GstVideoMeta or as the caps imply, with
/// these edges. Returns the first difference, empty if there is none; without a buffer, that is
/// one.
std::string difference(GstBuffer* buffer, const Format& format, int width, int height,
                       const std::vector<std::uint8_t>& edges);
/// Likewise for a frame of the layout's format and size.
std::string difference(GstBuffer* buffer, const Layout& layout,
                       const std::vector<std::uint8_t>& edges);

/// The place of the frame of `caps` in `buffer`: by its GstVideoMeta, or as the caps imply.
Layout layout_of(GstBuffer* buffer, const GstCaps* caps);
const Format& format_of(const GstCaps* caps);

/// Compares `out` with the edges of a frame of `in_caps`. Returns a difference, empty if there is
/// none.
std::string edge_difference(GstBuffer* in, const GstCaps* in_caps, GstBuffer* out,
                            const GstCaps* out_caps, const canny::Params& params);

std::uint64_t count_edges(const std::vector<std::uint8_t>& edges);

}  // namespace check
