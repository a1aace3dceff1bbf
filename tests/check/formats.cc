// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests every input format and every output format, at odd sizes and across renegotiations.
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "fixture.h"
#include "reference.h"

using check::Element;
using check::Format;
using check::Layout;
using check::Owned;

static check::Suite suite("formats");

static void check_structure(GstPadDirection direction, const GstCaps* caps, guint index) {
  const bool is_cuda =
      gst_caps_features_contains(gst_caps_get_features(caps, index), "memory:CUDAMemory");
  fail_unless_equals_int(gst_caps_features_get_size(gst_caps_get_features(caps, index)), 1);
  const GstStructure* structure = gst_caps_get_structure(caps, index);
  fail_unless_equals_string(gst_structure_get_name(structure), "video/x-raw");
  fail_unless_equals_int(gst_structure_n_fields(structure), 4);
  for (const char* side : {"width", "height"}) {
    const GValue* range = gst_structure_get_value(structure, side);
    fail_unless_equals_int(gst_value_get_int_range_min(range), 1);
    fail_unless_equals_int(gst_value_get_int_range_max(range), 16384);
  }
  const GValue* formats = gst_structure_get_value(structure, "format");
  std::set<std::string> offered;
  for (guint i = 0; i < gst_value_list_get_size(formats); i++) {
    offered.insert(g_value_get_string(gst_value_list_get_value(formats, i)));
  }
  const int count = direction == GST_PAD_SINK ? check::kFormatCount : check::kOutputFormatCount;
  std::set<std::string> wanted;
  for (int i = 0; i < count; i++) {
    if (!is_cuda || check::is_cuda_format(check::kFormats[i]))
      wanted.insert(check::kFormats[i].name);
  }
  // Whatever this release of GStreamer has: a format that the element can't unpack is found here.
  guint raw_count = 0;
  const GstVideoFormat* raw = gst_video_formats_raw(&raw_count);
  for (guint i = 0; i < raw_count && !is_cuda; i++)
    wanted.insert(gst_video_format_to_string(raw[i]));
  fail_unless(offered == wanted, "the template's formats differ from the table's");
  fail_unless_equals_int(gst_value_list_get_size(formats), wanted.size());
}

/// The memories: CUDA memory, in builds that have it, and system memory.
static void check_template(GstStaticPadTemplate* pad) {
  GstCaps* caps = gst_static_pad_template_get_caps(pad);
  fail_unless(pad->presence == GST_PAD_ALWAYS);
  const guint size = gst_caps_get_size(caps);
  fail_unless(size == 1 || size == 2);
  for (guint i = 0; i < size; i++) check_structure(pad->direction, caps, i);
  fail_unless(gst_caps_features_is_equal(gst_caps_get_features(caps, size - 1),
                                         GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY));
  gst_caps_unref(caps);
}

PLAIN_TEST(pad_templates_equal_the_format_table) {
  GstElementFactory* factory = gst_element_factory_find("cudacanny");
  fail_unless(factory != nullptr);
  fail_unless_equals_int(gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(factory)), GST_RANK_NONE);
  fail_unless_equals_string(gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS),
                            "Filter/Effect/Video");
  const gchar* documents = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_DOC_URI);
  fail_unless(documents != nullptr && std::strstr(documents, ":/") != nullptr);
  const GList* templates = gst_element_factory_get_static_pad_templates(factory);
  fail_unless_equals_int(g_list_length(const_cast<GList*>(templates)), 2);
  std::set<std::string> names;
  for (; templates != nullptr; templates = templates->next) {
    auto* pad = static_cast<GstStaticPadTemplate*>(templates->data);
    names.insert(pad->name_template);
    check_template(pad);
  }
  fail_unless(names == std::set<std::string>({"sink", "src"}));
  gst_object_unref(factory);
}

/// Sends one frame through the element and compares its output with the reference.
static void check_frame(Element& element, const Layout& in, const Format& out, std::uint64_t seed) {
  const std::string differs =
      check::push_difference(element, check::new_picture(in, seed), in, canny::Params(), &out);
  fail_unless(differs.empty(), "%s to %s, %dx%d, seed %d: %s", in.format->name, out.name, in.width,
              in.height, int(seed), differs.c_str());
}

static void check_output_format(const Element& element, const Format& format) {
  const Owned<GstCaps> caps(element.output_caps());
  fail_unless(caps != nullptr);
  fail_unless_equals_string(check::format_of(caps.get()).name, format.name);
}

/// One element for each input format: on a GPU, a start takes hundreds of times as long as a frame.
/// No frame has the size of the frame before.
ROW_TEST(every_format_to_every_format_at_odd_sizes, check::kFormatCount) {
  static constexpr int kSizes[][2] = {{1, 1},  {1, 2},   {3, 1},   {5, 3},  {17, 1},
                                      {1, 19}, {31, 33}, {67, 45}, {64, 32}};
  const Format& in = check::kFormats[row];
  Element element(backend);
  const int sizes = G_N_ELEMENTS(kSizes), step = check::is_slow() ? 3 : 1;
  for (int to = row % step; to < check::kOutputFormatCount; to += step) {
    const Format& out = check::kFormats[to];
    check::want_format(element, out.name);
    for (int n = 0; n < (check::is_slow() ? 2 : sizes); n++) {
      const auto& size = kSizes[(row + to + 4 * n) % sizes];
      const Layout layout = check::plain_layout(in, size[0], size[1]);
      element.send_caps(layout);
      check_output_format(element, out);
      check_frame(element, layout, out, std::uint64_t(to * 100 + size[0]));
    }
  }
}

// Uses GStreamer's own conversion to check the meaning of a format's pixels.

/// Uses each 16-bit word once, if pixels are 16-bit words.
static GstBuffer* new_all_values(const Layout& layout) {
  GstBuffer* picture = check::new_picture(layout, 1);
  if (layout.format->bytes != 2) return picture;
  std::vector<std::uint8_t> bytes(layout.size);
  for (gsize i = 0; i < layout.size; i++) bytes[i] = std::uint8_t(i % 2 ? i / 512 : i / 2);
  gst_buffer_fill(picture, 0, bytes.data(), bytes.size());
  return picture;
}

/// Luma equals the luma after conversion to RGB, or the Y of a planar format.
LOOP_TEST(luma_is_that_of_the_converted_picture, check::kOutputFormatCount) {
  const Format& format = check::kFormats[__i__];
  const Layout layout = check::plain_layout(format, 256, 256);
  const GstVideoInfo info = check::info_of(layout);
  if (GST_VIDEO_INFO_IS_GRAY(&info)) return;
  const char* to = GST_VIDEO_INFO_IS_RGB(&info) ? "RGB" : "Y444";
  const Owned<GstBuffer> picture(new_all_values(layout));
  auto bytes = check::read_bytes(picture.get());
  const canny::ConstFrame own = check::const_frame_of(layout, bytes.data());
  const auto converted = check::convert(picture.get(), layout, to);
  const bool is_rgb = GST_VIDEO_INFO_IS_RGB(&info);
  const canny::ConstFrame other{converted.data(),
                                is_rgb ? 3 * 256 : 256,
                                256,
                                256,
                                is_rgb ? canny::PixelFormat::kRgb : canny::PixelFormat::kGray8,
                                canny::Memory::kHost};
  fail_unless(reference::luma(own).samples == reference::luma(other).samples, "%s", format.name);
}

/// Edges are white and opaque, or of neutral chroma. Everything else is black.
LOOP_TEST(edge_maps_convert_to_black_and_white, check::kOutputFormatCount) {
  // GStreamer 1.22 reads beyond the rows of some formats if their width is odd.
  static constexpr int kWidth = 40, kHeight = 24;
  const Format& format = check::kFormats[__i__];
  const Layout out = check::plain_layout(format, kWidth, kHeight);
  const GstVideoInfo info = check::info_of(out);
  if (GST_VIDEO_INFO_IS_GRAY(&info)) return;
  Element element(0);
  check::want_format(element, format.name);
  const Layout in = check::plain_layout(check::kGray, kWidth, kHeight);
  element.send_caps(in);
  GstBuffer* picture = check::new_picture(in, 5);
  const auto edges = check::reference_edges(picture, in, canny::Params());
  fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  const bool is_rgb = GST_VIDEO_INFO_IS_RGB(&info);
  const Owned<GstBuffer> output(element.pull());
  const auto pixels = check::convert(output.get(), out, is_rgb ? "ARGB" : "AYUV");
  fail_unless_equals_uint64(pixels.size(), 4 * edges.size());
  for (std::size_t i = 0; i < edges.size(); i++) {
    const std::uint8_t rest = is_rgb ? edges[i] : 128;
    const std::uint8_t expected[] = {255, edges[i], rest, rest};
    for (std::size_t byte = 0; byte < 4; byte++) {
      fail_unless(pixels[4 * i + byte] == expected[byte], "%s: byte %d of pixel %d is %d, not %d",
                  format.name, int(byte), int(i), pixels[4 * i + byte], expected[byte]);
    }
  }
}

BACKEND_TEST(longest_sides) {
  Element element(__i__);
  for (const Format* format : {&check::kRgb, &check::kGray}) {
    for (const Layout& layout :
         {check::plain_layout(*format, 16384, 1), check::plain_layout(*format, 1, 16384),
          check::plain_layout(*format, 16384, 3), check::plain_layout(*format, 5, 16384)}) {
      element.send_caps(layout);
      check_frame(element, layout, *format, 7);
    }
  }
}

BACKEND_TEST(renegotiation_of_the_input) {
  Element element(__i__);
  const Layout layouts[] = {
      check::plain_layout(check::kRgb, 64, 48),  check::plain_layout(check::kRgb, 63, 47),
      check::plain_layout(check::kGray, 63, 47), check::plain_layout(check::kFormats[9], 200, 10),
      check::plain_layout(check::kRgb, 1, 1),    check::plain_layout(check::kRgb, 64, 48)};
  std::uint64_t seed = 0;
  for (const Layout& layout : layouts) {
    element.send_caps(layout);
    for (int i = 0; i < 2; i++) check_frame(element, layout, *layout.format, seed++);
    check_output_format(element, *layout.format);
  }
}

BACKEND_TEST(renegotiation_of_the_output) {
  const Layout layout = check::plain_layout(check::kRgb, 40, 30);
  Element element(__i__, layout);
  check_frame(element, layout, check::kRgb, 1);
  for (int i = check::kOutputFormatCount - 1; i >= 0; i--) {
    check::want_format(element, check::kFormats[i].name);
    fail_unless(gst_harness_push_upstream_event(element.harness(), gst_event_new_reconfigure()));
    check_frame(element, layout, check::kFormats[i], std::uint64_t(i));
    check_output_format(element, check::kFormats[i]);
  }
}
