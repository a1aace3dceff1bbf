// SPDX-License-Identifier: LGPL-2.1-or-later
// Paints pictures, finds their edges with the reference, and compares outputs with these.
#include "element_pictures.h"

#include <algorithm>
#include <cstring>
#include <future>

#include "reference/reference.h"

namespace bench {
namespace {

/// A buffer mapped as a frame.
class Mapped {
 public:
  Mapped(GstBuffer* buffer, const GstVideoInfo& info, GstMapFlags flags)
      : ok_(gst_video_frame_map(&frame_, &info, buffer, flags)) {}
  ~Mapped() {
    if (ok_) gst_video_frame_unmap(&frame_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  bool ok() const { return ok_; }
  GstVideoFrame* frame() { return &frame_; }
  std::uint8_t* row(int plane, int y) {
    return static_cast<std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, plane)) +
           std::ptrdiff_t{1} * y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, plane);
  }
  int planes() const { return static_cast<int>(GST_VIDEO_FRAME_N_PLANES(&frame_)); }

 private:
  GstVideoFrame frame_;
  bool ok_;
};

canny::PixelFormat pixels(const GstVideoInfo& info) {
  switch (GST_VIDEO_INFO_FORMAT(&info)) {
    case GST_VIDEO_FORMAT_RGB:
      return canny::PixelFormat::kRgb;
    case GST_VIDEO_FORMAT_RGBA:
      return canny::PixelFormat::kRgbx;
    default:
      return canny::PixelFormat::kGray8;
  }
}

canny::ConstFrame rgb_frame(const std::vector<std::uint8_t>& rgb, int width, int height) {
  return {rgb.data(), 3 * width, width, height, canny::PixelFormat::kRgb, canny::Memory::kHost};
}

void store_row(const std::uint8_t* rgb, const std::uint8_t* luma, int width, int bytes,
               std::uint8_t* pixel) {
  for (int x = 0; x < width; ++x, rgb += 3, pixel += bytes)
    std::copy_n(bytes == 1 ? luma + x : rgb, std::min(bytes, 3), pixel);
}

/// Bytes that hold no color of the picture are 0x55, including chroma.
Ref<GstBuffer> to_buffer(const std::vector<std::uint8_t>& rgb, const GstVideoInfo& info) {
  const int width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
  Ref<GstBuffer> buffer(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr));
  gst_buffer_memset(buffer.get(), 0, 0x55, GST_VIDEO_INFO_SIZE(&info));
  const reference::Bytes luma = reference::luma(rgb_frame(rgb, width, height));
  Mapped mapped(buffer.get(), info, GST_MAP_WRITE);
  if (!mapped.ok()) throw Failure("can't map a buffer");
  for (int y = 0; y < height; ++y)
    store_row(rgb.data() + std::size_t{3} * width * y, luma.row(y), width,
              GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0), mapped.row(0, y));
  return buffer;
}

/// Returns the first plane of an output, without gaps between rows.
std::vector<std::uint8_t> stored(const std::vector<std::uint8_t>& edges, const GstVideoInfo& info) {
  const int width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
  const int row = width * GST_VIDEO_INFO_COMP_PSTRIDE(&info, 0);
  std::vector<std::uint8_t> bytes(std::size_t{1} * row * height);
  reference::output(edges, {bytes.data(), row, width, height, pixels(info), canny::Memory::kHost});
  return bytes;
}

/// Whether all samples of chroma are 128: of NV12's second plane, which has as many bytes as the
/// first has pixels, or one more, or of I420's two planes of half as many.
bool is_neutral(Mapped* output, const GstVideoInfo& info) {
  const int samples = (GST_VIDEO_INFO_WIDTH(&info) + 1) / 2;
  const int bytes = output->planes() == 2 ? 2 * samples : samples;
  for (int plane = 1; plane < output->planes(); ++plane)
    for (int y = 0; y < GST_VIDEO_INFO_COMP_HEIGHT(&info, 1); ++y) {
      const std::uint8_t* row = output->row(plane, y);
      if (std::any_of(row, row + bytes, [](int byte) { return byte != 128; })) return false;
    }
  return true;
}

}  // namespace

canny::Params element_params() {
  canny::Params params;
  params.high_threshold = 100;
  return params;
}

Pictures paint_all(int width, int height, const pictures::Tiles& tiles) {
  const auto content = tiles.empty() ? pictures::Content::kShapes : pictures::Content::kPhoto;
  const std::vector<std::uint8_t> first = pictures::paint(content, width, height, tiles);
  Pictures all{width, height, {}, {}};
  std::vector<std::future<std::vector<std::uint8_t>>> edges;
  for (int i = 0; i < kPictures; ++i) {
    const std::ptrdiff_t top = std::ptrdiff_t{3} * width * (height * i / kPictures);
    auto& rgb = all.rgb.emplace_back(first.size());
    std::rotate_copy(first.begin(), first.begin() + top, first.end(), rgb.begin());
  }
  for (const auto& rgb : all.rgb)
    edges.push_back(std::async(std::launch::async, [&] {
      return reference::detect(element_params(), rgb_frame(rgb, width, height));
    }));
  for (auto& map : edges) all.edges.push_back(map.get());
  return all;
}

Buffers to_buffers(const Pictures& pictures, const GstVideoInfo& info) {
  Buffers buffers;
  for (const auto& rgb : pictures.rgb) buffers.push_back(to_buffer(rgb, info));
  return buffers;
}

bool copy_frame(GstBuffer* from, GstBuffer* to, const GstVideoInfo& info) {
  Mapped source(from, info, GST_MAP_READ), target(to, info, GST_MAP_WRITE);
  return source.ok() && target.ok() && gst_video_frame_copy(target.frame(), source.frame());
}

bool holds(GstBuffer* buffer, const GstVideoInfo& info, const std::vector<std::uint8_t>& edges) {
  const std::vector<std::uint8_t> expected = stored(edges, info);
  const std::size_t row = expected.size() / static_cast<std::size_t>(GST_VIDEO_INFO_HEIGHT(&info));
  Mapped output(buffer, info, GST_MAP_READ);
  if (!output.ok()) return false;
  for (int y = 0; y < GST_VIDEO_INFO_HEIGHT(&info); ++y)
    if (std::memcmp(output.row(0, y), expected.data() + row * y, row) != 0) return false;
  return is_neutral(&output, info);
}

bool holds_edges_of(GstBuffer* input, const GstVideoInfo& input_info, GstBuffer* output,
                    const GstVideoInfo& output_info) {
  std::vector<std::uint8_t> edges;
  {
    Mapped frame(input, input_info, GST_MAP_READ);
    if (!frame.ok()) return false;
    edges = reference::detect(
        element_params(), {frame.row(0, 0), GST_VIDEO_FRAME_PLANE_STRIDE(frame.frame(), 0),
                           GST_VIDEO_INFO_WIDTH(&input_info), GST_VIDEO_INFO_HEIGHT(&input_info),
                           pixels(input_info), canny::Memory::kHost});
  }
  return holds(output, output_info, edges);
}

}  // namespace bench
