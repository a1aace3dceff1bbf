// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the formats that the detector does not have: GStreamer unpacks the input, and packs the
/// output. All of the installed release are tested.
#include <cstring>
#include <string>
#include <vector>

#include "alphavideos.h"
#include "expected.h"
#include "fixture.h"
#include "random.h"
#include "reference.h"

using canny::PixelFormat;
using canny::View;
using check::Element;
using check::Owned;
using check::Pipeline;
using Bytes = std::vector<std::uint8_t>;

static check::Suite suite("unpacked");

/// GStreamer's functions read and write beyond the ends of some rows and pictures.
static constexpr gsize kBeyond = 4096;

/// How far the planes of a picture are from GStreamer's own layout.
enum class Room { kNone, kSome };

/// A picture in any format.
struct Picture {
  GstVideoInfo info;
  Bytes bytes;
  gpointer data[GST_VIDEO_MAX_PLANES] = {};

  Picture(GstVideoFormat format, int width, int height, Room room = Room::kNone) {
    gst_video_info_set_format(&info, format, guint(width), guint(height));
    gsize end = 0;
    for (guint i = 0; i < info.finfo->n_planes; i++) end = place(i, end, room);
    info.size = MAX(end, info.size);
    bytes.resize(info.size + kBeyond);
    for (guint i = 0; i < info.finfo->n_planes; i++) data[i] = bytes.data() + info.offset[i];
  }
  /// Places a plane after `end`, and returns its own end.
  gsize place(guint plane, gsize end, Room room) {
    const GstVideoInfo own = info;
    const gsize next = plane + 1 < info.finfo->n_planes ? own.offset[plane + 1] : own.size;
    const gsize size = MAX(next, own.offset[plane]) - own.offset[plane];
    const int stride = own.stride[plane];
    if (room == Room::kNone) return own.offset[plane] + size;
    info.offset[plane] = end + 64;
    if (GST_VIDEO_FORMAT_INFO_IS_TILED(info.finfo)) {
      const int x = GST_VIDEO_TILE_X_TILES(stride), y = GST_VIDEO_TILE_Y_TILES(stride);
      info.stride[plane] = GST_VIDEO_TILE_MAKE_STRIDE(x + 2, y + 2);
      return info.offset[plane] + size / gsize(x * y) * gsize((x + 2) * (y + 2));
    }
    if (size % 1024 == 0 && GST_VIDEO_FORMAT_INFO_HAS_PALETTE(info.finfo) && plane == 1)
      return info.offset[plane] + size;
    info.stride[plane] = stride + 32;
    return info.offset[plane] + gsize(info.height) * gsize(stride + 32);
  }

  GstVideoFormat unpacked() const { return info.finfo->unpack_format; }
  bool is_deep() const { return row_bytes() == 8 * std::size_t(info.width); }
  std::size_t row_bytes() const {
    const bool is_wide =
        unpacked() == GST_VIDEO_FORMAT_ARGB64 || unpacked() == GST_VIDEO_FORMAT_AYUV64;
    return std::size_t(info.width) * (is_wide ? 8 : 4);
  }
  /// Its rows as GStreamer unpacks them; bits that the format lacks are 0.
  Bytes unpack() const {
    Bytes rows(row_bytes() * std::size_t(info.height) + kBeyond);
    for (int y = 0; y < info.height; y++) {
      info.finfo->unpack_func(info.finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE,
                              rows.data() + row_bytes() * std::size_t(y), data, info.stride, 0, y,
                              info.width);
    }
    rows.resize(row_bytes() * std::size_t(info.height));
    return rows;
  }
  void pack(Bytes rows) {
    rows.resize(rows.size() + kBeyond);
    for (int y = 0; y < info.height; y++) {
      info.finfo->pack_func(info.finfo, GST_VIDEO_PACK_FLAG_NONE,
                            rows.data() + row_bytes() * std::size_t(y), 0, data, info.stride,
                            GST_VIDEO_CHROMA_SITE_UNKNOWN, y, info.width);
    }
    gsize size = 0;
    const gconstpointer palette = gst_video_format_get_palette(info.finfo->format, &size);
    if (palette != nullptr) std::memcpy(data[1], palette, size);
  }
  GstCaps* new_caps() const {
    return gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, info.finfo->name, "width",
                               G_TYPE_INT, info.width, "height", G_TYPE_INT, info.height,
                               "framerate", GST_TYPE_FRACTION, 30, 1, nullptr);
  }
  GstBuffer* new_buffer() const {
    GstVideoInfo at = info;
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, bytes.size(), nullptr);
    gst_buffer_fill(buffer, 0, bytes.data(), bytes.size());
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, info.finfo->format,
                                   guint(info.width), guint(info.height), info.finfo->n_planes,
                                   at.offset, at.stride);
    return buffer;
  }
  /// Takes the bytes of a buffer in the layout of the caps or of its meta.
  void read(GstBuffer* buffer) {
    if (const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer)) {
      std::copy(std::begin(meta->offset), std::end(meta->offset), info.offset);
      std::copy(std::begin(meta->stride), std::end(meta->stride), info.stride);
    }
    bytes = check::read_bytes(buffer);
    bytes.resize(bytes.size() + kBeyond);
    for (guint i = 0; i < info.finfo->n_planes; i++) data[i] = bytes.data() + info.offset[i];
  }
};

/// Fills a picture with blocks of random colors. Of more than 8 bits, those of the right half
/// differ in the lower ones alone.
static void draw(Picture* picture, std::uint64_t seed) {
  Bytes rows(picture->row_bytes() * std::size_t(picture->info.height));
  reference::Random random(seed);
  Bytes colors(4096);
  for (auto& byte : colors) byte = std::uint8_t(random.next());
  const std::size_t pixel = picture->is_deep() ? 8 : 4;
  const auto width = std::size_t(picture->info.width);
  for (std::size_t at = 0; at < rows.size() / pixel; at++) {
    const std::size_t block = at % width / 9 + at / width / 7 * 13;
    for (std::size_t byte = 0; byte < pixel; byte++)
      rows[at * pixel + byte] = pixel == 8 && at % width > width / 2 && byte % 2 == 1
                                    ? 128
                                    : colors[(block * pixel + byte) % colors.size()];
  }
  picture->pack(rows);
  gsize size = 0;
  if (gst_video_format_get_palette(picture->info.finfo->format, &size) != nullptr)
    std::memcpy(picture->data[1], colors.data(), size);
}

/// The unpacked picture as a frame of the reference: of YUV with more than 8 bits the luma.
struct Unpacked {
  Bytes bytes;
  canny::Frame frame;

  explicit Unpacked(const Picture& picture) : bytes(picture.unpack()) {
    const int width = picture.info.width, height = picture.info.height;
    const std::ptrdiff_t stride = std::ptrdiff_t(picture.row_bytes());
    switch (picture.unpacked()) {
      case GST_VIDEO_FORMAT_ARGB:
        frame = {bytes.data(), stride, width, height, PixelFormat::kXrgb};
        break;
      case GST_VIDEO_FORMAT_AYUV:
        frame = {bytes.data(), stride, width, height, PixelFormat::kAyuv};
        break;
      case GST_VIDEO_FORMAT_ARGB64:
        frame = {bytes.data(), stride, width, height, PixelFormat::kXrgb64Le};
        break;
      default:
        for (std::size_t i = 0; i < bytes.size() / 8; i++)
          std::memmove(&bytes[2 * i], &bytes[8 * i + 2], 2);
        frame = {bytes.data(), 2 * width, width, height, PixelFormat::kGray16Le};
    }
  }
  canny::ConstFrame input() const {
    return {frame.data, frame.stride_bytes, frame.width, frame.height, frame.format, frame.memory};
  }
};

static bool is_in_table(GstVideoFormat format, int count) {
  for (int i = 0; i < count; i++)
    if (check::video_format(check::kFormats[i]) == format) return true;
  return false;
}

/// The formats of GStreamer but for the first `count` of the table.
static std::vector<GstVideoFormat> others(int count) {
  guint raw_count = 0;
  const GstVideoFormat* raw = gst_video_formats_raw(&raw_count);
  std::vector<GstVideoFormat> formats;
  for (guint i = 0; i < raw_count; i++)
    if (!is_in_table(raw[i], count)) formats.push_back(raw[i]);
  return formats;
}

static canny::Params params_of(int i) {
  canny::Params params;
  if (i == 2) {
    params.color_mode = canny::ColorMode::kLargestChannel;
    return params;
  }
  params.sigma = 0;
  params.low_threshold = 0.2;
  params.high_threshold = 0.5;
  if (i == 1) params.luma_depth = canny::LumaDepth::k8;
  return params;
}

/// Bits below those of the format would be noise where thresholds are low.
static void check_low_bits(const Picture& picture) {
  const auto depth = int(GST_VIDEO_INFO_COMP_DEPTH(&picture.info, 0));
  const Bytes rows = picture.unpack();
  for (std::size_t i = 0; picture.is_deep() && i < rows.size(); i += 8) {
    const int sample = rows[i + 2] | rows[i + 3] << 8;
    fail_unless((sample & (0xffff >> depth)) == 0, "%s: sample %x", picture.info.finfo->name,
                sample);
  }
}

struct Size {
  int width, height;
  Room room;
};
/// Odd ones, and more than a tile of any format; widths of 19 and 25 are those where GStreamer 1.22
/// goes beyond pictures in tiles.
static constexpr Size kSizes[] = {
    {67, 45, Room::kNone}, {1, 1, Room::kSome}, {19, 130, Room::kSome}, {25, 3, Room::kNone}};
static constexpr int kSmall = 100;  ///< pixels of those that slow runs take

/// Several frames are in flight.
static void check_input(int backend, GstVideoFormat format) {
  Element element(backend, 3);
  check::want_format(element, "GRAY8");
  for (const auto& [width, height, room] : kSizes) {
    if (check::is_slow() && width * height > kSmall) continue;
    std::vector<Picture> pictures;
    for (int i = 0; i < 3; i++) {
      pictures.emplace_back(format, width, height, room);
      draw(&pictures.back(), std::uint64_t(10 * width + i));
    }
    check_low_bits(pictures[0]);
    const Unpacked unpacked(pictures[0]);
    fail_if(pictures[0].is_deep() && width == 67 &&
                reference::detect(params_of(0), unpacked.input()) ==
                    reference::detect(params_of(1), unpacked.input()),
            "%s: the lower bits make no difference", gst_video_format_to_string(format));
    element.send_caps(pictures[0].new_caps());
    for (int i = 0; i < 3; i++) {
      element.set_params(params_of(i));
      fail_unless_equals_int(element.push(pictures[std::size_t(i)].new_buffer()), GST_FLOW_OK);
    }
    for (int i = 0; i < 3; i++) {
      const auto edges =
          reference::detect(params_of(i), Unpacked(pictures[std::size_t(i)]).input());
      fail_if(width == 67 && check::count_edges(edges) < 100, "%s has hardly any edges",
              gst_video_format_to_string(format));
      const Owned<GstBuffer> output(element.wait());
      const std::string differs =
          check::difference(output.get(), check::kGray, width, height, edges);
      fail_unless(differs.empty(), "%s, %dx%d, frame %d: %s", gst_video_format_to_string(format),
                  width, height, i, differs.c_str());
    }
  }
}

BACKEND_TEST(every_other_input) {
  for (const GstVideoFormat format : others(check::kFormatCount)) check_input(__i__, format);
}

/// A frame that the detector can write and pictures of `picture`'s format unpack to. Colors of 16
/// bits are made of 8.
static Unpacked canvas_of(const Picture& picture) {
  const bool is_rgb64 = picture.unpacked() == GST_VIDEO_FORMAT_ARGB64;
  return Unpacked(is_rgb64 ? Picture(GST_VIDEO_FORMAT_ARGB, picture.info.width, picture.info.height)
                           : picture);
}

/// The rows that `picture` unpacks to, of what was drawn on its canvas.
static Bytes rows_of(const Unpacked& canvas, const Picture& picture) {
  Bytes rows;
  if (canvas.bytes.size() == picture.row_bytes() * std::size_t(picture.info.height) &&
      canvas.frame.format != PixelFormat::kGray16Le)
    return canvas.bytes;
  const std::size_t pixels = std::size_t(picture.info.width) * std::size_t(picture.info.height);
  for (std::size_t i = 0; i < pixels; i++) {
    for (std::size_t c = 0; c < 4; c++) {
      std::uint8_t low =
          canvas.bytes[canvas.frame.format == PixelFormat::kXrgb ? 4 * i + c : 2 * i];
      std::uint8_t high = low;
      if (canvas.frame.format == PixelFormat::kGray16Le && c != 1) {
        low = c == 0 ? 255 : 0;
        high = c == 0 ? 255 : 128;
      }
      rows.push_back(low);
      rows.push_back(high);
    }
  }
  return rows;
}

/// Compares the output with the canvas.
static void check_output(Element& element, const Unpacked& canvas, GstVideoFormat format,
                         const char* what) {
  const Owned<GstBuffer> output(element.wait());
  Picture got(format, canvas.frame.width, canvas.frame.height);
  Picture expected = got;
  for (guint i = 0; i < got.info.finfo->n_planes; i++)
    expected.data[i] = expected.bytes.data() + expected.info.offset[i];
  expected.pack(rows_of(canvas, expected));
  got.read(output.get());
  fail_unless(got.unpack() == expected.unpack(), "%s, %s", got.info.finfo->name, what);
}

/// Edges are white and opaque, everything else is black, and chroma neutral.
static void check_white(const Bytes& rows, bool is_deep, bool is_rgb) {
  const std::size_t bytes = is_deep ? 2 : 1;
  for (std::size_t i = 0; i < rows.size(); i += 4 * bytes) {
    const auto high = [&](std::size_t c) { return rows[i + (c + 1) * bytes - 1]; };
    fail_unless(high(0) >= 192 && (high(1) == 0 || high(1) == 255), "pixel %d", int(i));
    const int rest = is_rgb ? high(1) : 128;
    fail_unless(high(2) == rest && high(3) == rest, "color of pixel %d", int(i));
  }
}

BACKEND_TEST(every_other_output) {
  const View kViews[] = {View::kEdges, View::kDirection};
  for (const GstVideoFormat format : others(check::kOutputFormatCount)) {
    Element element(__i__);
    check::want_format(element, gst_video_format_to_string(format));
    for (const auto& [width, height, room] : kSizes) {
      if (check::is_slow() && width * height > kSmall) continue;
      Picture picture(GST_VIDEO_FORMAT_ARGB, width, height);
      draw(&picture, 7);
      element.send_caps(picture.new_caps());
      for (const View view : kViews) {
        canny::Params params;
        params.view = view;
        element.set_params(params);
        fail_unless_equals_int(element.push(picture.new_buffer()), GST_FLOW_OK);
        Picture shape(format, width, height);
        Unpacked canvas = canvas_of(shape);
        reference::render(params, Unpacked(picture).input(), canvas.frame);
        if (view == View::kEdges)
          check_white(rows_of(canvas, shape), shape.is_deep(), GST_VIDEO_INFO_IS_RGB(&shape.info));
        check_output(element, canvas, format, canny::name(view));
      }
    }
  }
}

BACKEND_TEST(the_input_with_its_edges) {
  for (const GstVideoFormat format : others(check::kFormatCount)) {
    Picture picture(format, 67, 45);
    if (picture.is_deep()) continue;
    draw(&picture, 3);
    Element element(__i__);
    check::want_format(element, gst_video_format_to_string(format));
    for (const View view : {View::kOverlay, View::kMasked}) {
      canny::Params params;
      params.view = view;
      params.edge_color = check::kOverlayColor;
      element.set_params(params);
      element.send_caps(picture.new_caps());
      fail_unless_equals_int(element.push(picture.new_buffer()), GST_FLOW_OK);
      Unpacked canvas(picture);
      // The color in BT.601 with limited range.
      if (GST_VIDEO_INFO_IS_YUV(&picture.info)) params.edge_color = 0x80515af0;
      reference::render(params, Unpacked(picture).input(), canvas.frame);
      check_output(element, canvas, format, canny::name(view));
    }
  }
}

/// A plane that reaches outside the memory, or has fewer tiles than the picture.
struct Broken {
  const char* rule;  ///< a part of the error's details
  gint stride;       ///< added to the plane's own
  int offset = 0;    ///< bytes from the memory's end, with a second memory if beyond; 0 for its own
  bool has_tiles = false;
};
static constexpr Broken kBroken[] = {
    {"reach outside", 0, -8},
    {"offset", 0, 2},
    {"shorter than a row", -4},
    {"tiles are fewer than", -1, 0, true},
    {"tiles are fewer than", -GST_VIDEO_TILE_MAKE_STRIDE(0, 1), 0, true},
    {"reach outside", GST_VIDEO_TILE_MAKE_STRIDE(30000, 30000), 0, true}};

PLAIN_TEST(planes_outside_the_memory) {
  for (const char* name : {"A420", "RGB8P", "NV12_64Z32", "NV12_10LE32", "GBRA_12LE"}) {
    Element element(0);
    const Picture picture(gst_video_format_from_string(name), 67, 45);
    const bool is_tiled = GST_VIDEO_FORMAT_INFO_IS_TILED(picture.info.finfo);
    element.send_caps(picture.new_caps());
    for (guint plane = 0; plane < picture.info.finfo->n_planes; plane++) {
      const bool is_palette = plane == 1 && GST_VIDEO_FORMAT_INFO_HAS_PALETTE(picture.info.finfo);
      for (const auto& [rule, stride, offset, has_tiles] : kBroken) {
        if (offset == 0 && (is_palette || has_tiles != is_tiled)) continue;
        Picture broken = picture;
        broken.info.stride[plane] += stride;
        if (offset != 0) broken.info.offset[plane] = broken.bytes.size() + gsize(offset);
        GstBuffer* buffer = broken.new_buffer();
        if (offset > 0) gst_buffer_append_memory(buffer, gst_allocator_alloc(nullptr, 1, nullptr));
        fail_unless_equals_int(element.push(buffer), GST_FLOW_ERROR);
        const check::Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
        fail_unless(told.has_detail(rule), "%s, %u: %s", name, plane, told.details.c_str());
      }
    }
    fail_unless_equals_int(element.push(picture.new_buffer()), GST_FLOW_OK);
    fail_unless(Owned<GstBuffer>(element.pull()) != nullptr, "%s: no frame", name);
  }
}

/// The detector's formats come first, so that neighbors who leave the choice take them.
PLAIN_TEST(formats_of_the_detector_come_first) {
  for (const bool is_sink : {true, false}) {
    Element element(0);
    const Owned<GstPad> pad(gst_element_get_static_pad(element.get(), is_sink ? "sink" : "src"));
    const Owned<GstCaps> caps(gst_pad_get_pad_template_caps(pad.get()));
    const GstStructure* last =
        gst_caps_get_structure(caps.get(), gst_caps_get_size(caps.get()) - 1);
    const GValue* formats = gst_structure_get_value(last, "format");
    const int count = is_sink ? check::kFormatCount : check::kOutputFormatCount;
    for (int i = 0; i < int(gst_value_list_get_size(formats)); i++) {
      const char* name = g_value_get_string(gst_value_list_get_value(formats, guint(i)));
      fail_unless(is_in_table(gst_video_format_from_string(name), count) == (i < count),
                  "%s is format %d", name, i);
    }
  }
}

static void check_line(const std::string& line, std::size_t fewest) {
  Pipeline pipeline(line);
  check::Watch watch(pipeline["canny"]);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const std::string problem = pipeline.wait_for_end();
  fail_unless(problem.empty() && watch.frames() >= fewest, "%s: %zu frames, %s", line.c_str(),
              watch.frames(), problem.c_str());
}

/// What combines the two streams of VP8 and VP9 with alpha into A420.
PLAIN_TEST(video_with_alpha) {
  if (check::skip_without_element("video_with_alpha", "alphacombine")) return;
  const std::string source = " videotestsrc num-buffers=2 ! video/x-raw,format=I420 ! both.";
  check_line(
      "alphacombine name=both ! video/x-raw,format=A420 ! cudacanny backend=cpu name=canny ! "
      "fakesink" +
          source + "sink" + source + "alpha",
      1);  // from GStreamer 1.26 on, alphacombine mostly leaves out the last frame
}

/// Masked output has the decoder's alpha, and its luma on edges.
LOOP_TEST(decoded_alpha, 2) {
  if (check::skip_without_element("decoded_alpha", "alphacombine")) return;
  Pipeline pipeline(
      std::string("dataurisrc uri=\"data:video/webm;base64,") +
      (__i__ ? check::kVp9 : check::kVp8) +
      "\" ! decodebin ! video/x-raw,format=A420 ! tee name=both ! queue ! fakesink "
      "name=in both. ! queue ! cudacanny backend=cpu output=masked ! fakesink name=out");
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  fail_unless(pipeline.wait_for_end() == "");
  GstVideoFrame frames[2];
  for (int i = 0; i < 2; i++) {
    GstSample* last = nullptr;
    g_object_get(pipeline[i ? "out" : "in"], "last-sample", &last, nullptr);
    const Owned<GstSample> sample(last);
    GstVideoInfo info;
    gst_video_info_from_caps(&info, gst_sample_get_caps(last));
    gst_video_frame_map(&frames[i], &info, gst_sample_get_buffer(last), GST_MAP_READ);
  }
  int edges = 0, translucent = 0;
  for (int i = 0; i < 32 * 32; i++) {
    const auto byte = [&](int frame, int plane) {
      const int stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frames[frame], plane);
      return static_cast<guint8*>(frames[frame].data[plane])[i / 32 * stride + i % 32];
    };
    const bool is_edge = byte(1, 0) != 16;
    fail_unless(byte(1, 3) == byte(0, 3) && (!is_edge || byte(1, 0) == byte(0, 0)), "pixel %d", i);
    translucent += byte(1, 3) < 128;
    edges += is_edge;
  }
  for (GstVideoFrame& frame : frames) gst_video_frame_unmap(&frame);
  fail_unless(edges > 20 && translucent == 512, "%d, %d", edges, translucent);
}

/// A codec of FFmpeg for each format that only packing provides.
static const char* const kCodecs[] = {"prores", "cfhd", "smc", "svq1"};
LOOP_TEST(encoders_without_videoconvert, std::size(kCodecs)) {
  const std::string codec = kCodecs[__i__], encoder = "avenc_" + codec;
  if (check::skip_without_element("encoders_without_videoconvert", encoder.c_str())) return;
  check_line(
      "videotestsrc num-buffers=2 ! video/x-raw,width=176,height=144 ! cudacanny backend=cpu ! " +
          encoder + " ! avdec_" + codec + " ! cudacanny backend=cpu name=canny ! fakesink",
      2);
}
