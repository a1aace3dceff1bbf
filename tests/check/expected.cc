// SPDX-License-Identifier: LGPL-2.1-or-later
/// Renders outputs with the reference.
#include "expected.h"

#include <string>

#include "reference.h"

namespace check {

using Places = std::vector<PlaneLayout>;

/// kOverlayColor in a format. Components of 8-bit YUV are those of BT.601 with limited range, which
/// GStreamer assumes for small pictures; the range of gray frames is full.
static std::uint32_t overlay_color_in(const Layout& layout) {
  constexpr std::uint32_t kYuv = 0x80515af0, kYvu = 0x8051f05a, kFullY = 0x804c0000;
  const GstVideoInfo info = info_of(layout);
  const std::string name = layout.format->name;
  if (GST_VIDEO_INFO_IS_GRAY(&info)) return kFullY;
  if (name == "YVYU" || name == "VYUY") return kYvu;
  return GST_VIDEO_INFO_IS_YUV(&info) ? kYuv : kOverlayColor;
}

static Places plain_places(const Layout& layout) {
  const GstVideoInfo info = info_of(layout);
  Places places;
  for (guint plane = 0; plane < GST_VIDEO_INFO_N_PLANES(&info); plane++)
    places.push_back(plane_of(layout, int(plane)));
  return places;
}

std::vector<PlaneLayout> places_in(GstBuffer* buffer, const Layout& layout) {
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  Places places = plain_places(layout);
  for (std::size_t plane = 0; meta != nullptr && plane < places.size(); plane++)
    places[plane] = {meta->offset[plane], meta->stride[plane]};
  return places;
}

static std::vector<std::uint8_t> rows_of(const std::vector<std::uint8_t>& bytes,
                                         const Layout& layout, const Places& places) {
  const GstVideoInfo info = info_of(layout);
  std::vector<std::uint8_t> rows;
  for (guint plane = 0; plane < places.size(); plane++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component(info.finfo, plane, components);
    const auto component = guint(components[0]);
    const int width = plane == 0 ? layout.width * layout.format->bytes
                                 : GST_VIDEO_INFO_COMP_WIDTH(&info, component) *
                                       GST_VIDEO_INFO_COMP_PSTRIDE(&info, component);
    for (int y = 0; y < GST_VIDEO_INFO_COMP_HEIGHT(&info, component); y++) {
      const std::uint8_t* row =
          bytes.data() + places[plane].offset + gssize(y) * places[plane].stride;
      rows.insert(rows.end(), row, row + width);
    }
  }
  return rows;
}

std::vector<std::uint8_t> rows_in(GstBuffer* buffer, const Layout& layout) {
  return rows_of(read_bytes(buffer), layout, places_in(buffer, layout));
}

/// Bytes that the reference does not write are chroma or alpha in planes of their own.
Expected expected_output(GstBuffer* picture, const Layout& in, const Layout& out,
                         canny::Params params, const canny::Region* region) {
  const GstVideoInfo info = info_of(out);
  std::vector<std::uint8_t> input = read_bytes(picture);
  std::vector<std::uint8_t> output(out.size, GST_VIDEO_INFO_IS_RGB(&info) ? 255 : 128);
  params.edge_color = overlay_color_in(out);
  canny::ConstFrame frame = const_frame_of(in, input.data());
  frame.region = region;
  const reference::Rendered rendered =
      reference::render(params, frame, frame_of(out, output.data()));
  return {rows_of(output, out, plain_places(out)), rendered.edges};
}

}  // namespace check
