// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests what the output shows: views in every format, colors of edges, formats and changes.
#include <iterator>
#include <string>
#include <vector>

#include "expected.h"
#include "fixture.h"

using canny::Params;
using canny::View;
using check::Element;
using check::Format;
using check::Layout;
using check::Owned;

static check::Suite suite("outputs");

static constexpr View kViews[] = {
    View::kEdges,     View::kOverlay, View::kMasked, View::kGradient, View::kSuppressed,
    View::kDirection, View::kClasses, View::kPasses, View::kLuma,     View::kBlurred};

/// Parameters that make a picture of many edges, at a color of the property edge-color.
static Params params_of(View view) {
  Params params;
  params.view = view;
  params.edge_color = check::kOverlayColor;
  params.hysteresis_passes = 3;
  return params;
}

/// A picture with a meta unless its layout is the one that the caps imply.
static GstBuffer* new_picture(const Layout& layout) {
  GstBuffer* picture = check::new_picture(layout, 21);
  const Layout plain = check::plain_layout(*layout.format, layout.width, layout.height);
  if (layout.size != plain.size) check::add_meta(picture, layout);
  return picture;
}

/// Compares an output with what the reference makes of new_picture().
static void check_output(GstBuffer* buffer, const Layout& in, const Layout& out,
                         const Params& params) {
  const Owned<GstBuffer> picture(new_picture(in));
  const check::Expected expected = check::expected_output(picture.get(), in, out, params);
  fail_unless(buffer != nullptr);
  fail_unless(check::rows_in(buffer, out) == expected.rows, "view %d of %s in %s", int(params.view),
              in.format->name, out.format->name);
  guint64 edges = 0;
  GstCustomMeta* meta = gst_buffer_get_custom_meta(buffer, "cudacanny");
  fail_unless(meta != nullptr);
  gst_structure_get_uint64(gst_custom_meta_get_structure(meta), "edge-pixels", &edges);
  fail_unless_equals_uint64(edges, expected.edges);
  gst_buffer_unref(buffer);
}

/// Sends one frame through the element and compares its output with the reference.
static void check_frame(Element& element, const Layout& in, const Layout& out,
                        const Params& params) {
  fail_unless_equals_int(element.push(new_picture(in)), GST_FLOW_OK);
  check_output(element.pull(), in, out, params);
}

/// Overlays and masks are of the input's format; other views are compared for an input of RGB too.
ROW_TEST(every_view_in_every_format, check::kShownFormatCount) {
  const Format& format = check::kFormats[row];
  Element element(backend);
  check::want_format(element, format.name);
  for (const View view : kViews) {
    element.set_params(params_of(view));
    for (const int width : {67, 40}) {
      if (check::is_slow() && (width == 67) != ((int(view) + backend + row) % 2 == 0)) continue;
      const Layout out = check::plain_layout(format, width, 45);
      element.send_caps(out);
      check_frame(element, out, out, params_of(view));
      if (shows_input(view)) continue;
      const Layout in = check::plain_layout(check::kRgb, width, 45);
      element.send_caps(in);
      check_frame(element, in, out, params_of(view));
    }
  }
}

struct Colorimetry {
  const char* format;
  const char* colorimetry;
  std::uint32_t argb;
  std::uint8_t yuv[3];
};

// By hand, from Kr = 0.299, Kb = 0.114 (BT.601, also for an unknown matrix) and Kr = 0.2126,
// Kb = 0.0722 (BT.709).
static const Colorimetry kColorimetries[] = {
    {"I420", "bt601", 0xffff0000, {81, 90, 240}},   {"I420", "bt709", 0xffff0000, {63, 102, 240}},
    {"I420", "1:4:0:0", 0xffff0000, {76, 85, 255}}, {"I420", "bt709", 0xff0000ff, {32, 240, 118}},
    {"I420", "bt601", 0xff00ff00, {145, 54, 34}},   {"I420", "bt709", 0xffffffff, {235, 128, 128}},
    {"I420", "bt601", 0xff000000, {16, 128, 128}},  {"YUY2", "bt709", 0xffff0000, {63, 102, 240}},
    {"NV21", "bt709", 0xffff0000, {63, 102, 240}},  {"YVYU", "bt709", 0xffff0000, {63, 102, 240}},
    {"AYUV", "bt709", 0xffff0000, {63, 102, 240}},  {"GRAY8", "1:0:0:0", 0xffff0000, {76}},
};

/// The sample of a component that belongs to this pixel.
static int sample(GstBuffer* buffer, const Layout& layout, guint component, int x, int y) {
  const GstVideoInfo info = check::info_of(layout);
  const std::vector<std::uint8_t> bytes = check::read_bytes(buffer);
  const auto places = check::places_in(buffer, layout);
  const check::PlaneLayout& at = places[gsize(GST_VIDEO_INFO_COMP_PLANE(&info, component))];
  const gsize row = gsize(y >> GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, component));
  const gsize column = gsize(x >> GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, component));
  return bytes.at(at.offset + row * gsize(at.stride) +
                  column * gsize(GST_VIDEO_INFO_COMP_PSTRIDE(&info, component)) +
                  gsize(GST_VIDEO_INFO_COMP_POFFSET(&info, component)));
}

LOOP_TEST(edge_colors_follow_the_colorimetry, std::size(kColorimetries)) {
  const Colorimetry& test = kColorimetries[__i__];
  const Layout layout = check::plain_layout(check::find_format(test.format), 40, 30);
  Element element(0);
  Params params = params_of(View::kOverlay);
  params.edge_color = test.argb;
  element.set_params(params);
  GstCaps* caps = check::new_caps(*layout.format, 40, 30);
  gst_caps_set_simple(caps, "colorimetry", G_TYPE_STRING, test.colorimetry, nullptr);
  element.send_caps(caps);
  GstBuffer* picture = check::new_picture(layout, 5);
  params.view = View::kEdges;
  const std::vector<std::uint8_t> edges = check::reference_edges(picture, layout, params);
  fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  const Owned<GstBuffer> buffer(element.pull());
  fail_unless(buffer != nullptr);
  const guint components = test.format[0] == 'G' ? 1 : 3;
  int edge_pixels = 0;
  for (int i = 0; i < 40 * 30; i++) {
    if (!edges[std::size_t(i)]) continue;
    edge_pixels++;
    for (guint component = 0; component < components; component++) {
      const int got = sample(buffer.get(), layout, component, i % 40, i / 40);
      fail_unless(got == test.yuv[component], "%s, %s: component %u is %d, not %d", test.format,
                  test.colorimetry, component, got, test.yuv[component]);
    }
  }
  fail_unless(edge_pixels > 0);
}

/// The caps of the output (transfer full) for this view, null if there are none.
static GstCaps* negotiate(const char* view, const char* in, const char* allowed) {
  Element element(0);
  gst_util_set_object_arg(G_OBJECT(element.get()), "output", view);
  gst_harness_set_sink_caps_str(element.harness(), allowed);
  element.send_caps(gst_caps_from_string(in));
  return element.output_caps();
}

struct Negotiation {
  const char *view, *format, *allowed;
  const char* out;  ///< the format, null if there is none
};

static const Negotiation kNegotiations[] = {
    {"overlay", "RGB", "video/x-raw", "RGB"},
    {"overlay", "I420", "video/x-raw,format={RGB,I420}", "I420"},
    {"masked", "YUY2", "video/x-raw,format={GRAY8,YUY2}", "YUY2"},
    {"overlay", "RGB", "video/x-raw,format=GRAY8", nullptr},
    {"masked", "RGB", "video/x-raw,format={GRAY8,BGR}", nullptr},
    {"overlay", "P010_10LE", "video/x-raw", nullptr},
    {"masked", "GRAY16_LE", "video/x-raw", nullptr},
    {"gradient", "RGB", "video/x-raw,format=GRAY8", "GRAY8"},
    {"luma", "P010_10LE", "video/x-raw", "NV12"},
};

LOOP_TEST(overlays_and_masks_keep_the_format, std::size(kNegotiations)) {
  const Negotiation& test = kNegotiations[__i__];
  const std::string in =
      std::string("video/x-raw,width=16,height=8,framerate=25/1,format=") + test.format;
  const Owned<GstCaps> caps(negotiate(test.view, in.c_str(), test.allowed));
  fail_unless((caps != nullptr) == (test.out != nullptr), "%s of %s to %s", test.view, test.format,
              test.allowed);
  if (caps == nullptr) return;
  fail_unless_equals_string(check::format_of(caps.get()).name, test.out);
}

/// The message on the bus when these caps arrive, empty if there is none.
static std::string refusal(const char* view, const Format& format, const char* allowed) {
  Element element(0);
  gst_util_set_object_arg(G_OBJECT(element.get()), "output", view);
  gst_harness_set_sink_caps_str(element.harness(), allowed);
  const Layout layout = check::plain_layout(format, 16, 8);
  element.send_caps(layout);
  fail_unless_equals_int(element.push(new_picture(layout)), GST_FLOW_NOT_NEGOTIATED);
  return check::told_by(element.pop(GST_MESSAGE_ERROR)).text;
}

PLAIN_TEST(refused_formats_are_told) {
  for (const char* format : {"P010_10LE", "GRAY16_LE"}) {
    for (const char* view : {"overlay", "masked"}) {
      const std::string deep = refusal(view, check::find_format(format), "ANY");
      const std::string expected = std::string("cudacanny does not accept format ") + format +
                                   " with output=" + view +
                                   ", which needs 8 bits. Put videoconvert before it.";
      fail_unless_equals_string(deep.c_str(), expected.c_str());
    }
  }
  const std::string other = refusal("masked", check::kRgb, "video/x-raw,format=GRAY8");
  fail_unless_equals_string(other.c_str(),
                            "The element after cudacanny does not accept its output for this "
                            "video. Put videoconvert after cudacanny, or videoscale to change the "
                            "size.");
}

/// Samples that are copied keep their meaning.
PLAIN_TEST(overlays_keep_the_colorimetry) {
  const char* in =
      "video/x-raw,format=I420,width=16,height=8,framerate=25/1,colorimetry=bt709,"
      "chroma-site=mpeg2";
  const Owned<GstCaps> caps(negotiate("overlay", in, "video/x-raw"));
  fail_unless(caps != nullptr);
  const Owned<GstCaps> same(gst_caps_from_string(in));
  fail_unless(gst_caps_can_intersect(caps.get(), same.get()) &&
              gst_caps_is_subset(caps.get(), same.get()));
  fail_unless(negotiate("overlay", in, "video/x-raw,colorimetry=bt601") == nullptr);
}

/// What the sink pad offers where downstream takes only some formats.
PLAIN_TEST(formats_offered_upstream) {
  Element element(0);
  gst_harness_set_sink_caps_str(element.harness(), "video/x-raw,format={I420,RGB},width=64");
  const Owned<GstPad> pad(gst_element_get_static_pad(element.get(), "sink"));
  for (const char* view : {"overlay", "edges", "masked"}) {
    gst_util_set_object_arg(G_OBJECT(element.get()), "output", view);
    const bool is_free = std::string(view) == "edges";
    const Owned<GstCaps> caps(gst_pad_query_caps(pad.get(), nullptr));
    for (const Format& format : check::kFormats) {
      const Owned<GstCaps> wanted(check::new_caps(format, 64, 48));
      const std::string name = format.name;
      const bool expected = is_free || name == "I420" || name == "RGB";
      fail_unless(gst_caps_can_intersect(wanted.get(), caps.get()) == expected, "%s, %s", view,
                  format.name);
    }
  }
}

BACKEND_TEST(views_change_on_the_next_frame) {
  const Layout layout = check::plain_layout(check::find_format("I420"), 67, 45);
  Element element(__i__, layout);
  for (int round = 0; round < 2; round++) {
    for (const View view : kViews) {
      element.set_params(params_of(view));
      for (int frame = 0; frame < 2; frame++) check_frame(element, layout, layout, params_of(view));
    }
  }
}

/// Rows of luma have other strides and chroma other offsets than the caps imply.
BACKEND_TEST(overlays_of_other_layouts) {
  Element element(__i__);
  element.set_params(params_of(View::kOverlay));
  for (const char* name : {"I420", "NV21", "YV12", "Y444", "YUY2", "GBR"}) {
    const Layout out = check::plain_layout(check::find_format(name), 64, 45);
    Layout in = out;
    in.offset += 5;
    if (canny::planes(in.format->pixels) == 1) in.stride += 3;
    in.chroma = in.offset + gsize(in.stride) * 45 + 9;
    in.size = in.chroma + check::chroma_bytes(*in.format, 64, 45);
    element.send_caps(out);
    check_frame(element, in, out, params_of(View::kOverlay));
  }
}

/// Luma alone is enough for edges, but an overlay needs chroma.
BACKEND_TEST(inputs_without_all_of_the_chroma) {
  const Layout layout = check::plain_layout(check::find_format("I420"), 64, 48);
  Element element(__i__, layout);
  const auto push = [&] {
    GstBuffer* picture = check::new_picture(layout, 1);
    gst_buffer_set_size(picture, gssize(layout.size) - 1);
    return element.push(picture);
  };
  fail_unless_equals_int(push(), GST_FLOW_OK);
  gst_buffer_unref(element.pull());
  element.set_params(params_of(View::kMasked));
  fail_unless_equals_int(push(), GST_FLOW_ERROR);
  fail_unless(element.pull() == nullptr, "a frame was pushed");
  const check::Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
  fail_unless(told.has_detail("plane 2: ") && told.has_detail("reach outside"), "%s",
              told.details.c_str());
}

/// Frames in flight keep the view and the color that they began with.
BACKEND_TEST(views_of_frames_in_flight) {
  const Layout layout = check::plain_layout(check::kNv12, 64, 45);
  Element element(__i__, layout, 3);
  for (const View view : kViews) {
    element.set_params(params_of(view));
    fail_unless_equals_int(element.push(new_picture(layout)), GST_FLOW_OK);
  }
  for (const View view : kViews) check_output(element.wait(), layout, layout, params_of(view));
}

BACKEND_TEST(views_can_be_controlled) {
  Element element(__i__);
  element.set_params(params_of(View::kEdges));
  std::vector<double> views, colors;
  for (const View view : kViews) {
    views.push_back(double(view));
    colors.push_back(view == View::kOverlay ? check::kOverlayColor : 0);
  }
  check::control(element, "output", 0, 1, views);
  check::control(element, "edge-color", 0, 1, colors);
  const Layout layout = check::plain_layout(check::kRgb, 40, 45);
  element.send_caps(layout);
  for (std::size_t i = 0; i < std::size(kViews); i++) {
    GstBuffer* picture = new_picture(layout);
    GST_BUFFER_PTS(picture) = GstClockTime(i);
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
    check_output(element.pull(), layout, layout, params_of(kViews[i]));
  }
}

/// Downstream does not take the input's format: an overlay is impossible until it changes back.
BACKEND_TEST(a_change_to_an_impossible_overlay) {
  Element element(__i__);
  check::want_format(element, "GRAY8");
  const Layout in = check::plain_layout(check::kRgb, 67, 45);
  const Layout out = check::plain_layout(check::kGray, 67, 45);
  element.send_caps(in);
  for (const View view : {View::kEdges, View::kGradient}) {
    element.set_params(params_of(view));
    check_frame(element, in, out, params_of(view));
    element.set_params(params_of(View::kMasked));
    fail_unless_equals_int(element.push(check::new_picture(in, 1)), GST_FLOW_NOT_NEGOTIATED);
    element.set_params(params_of(view));
    check_frame(element, in, out, params_of(view));
  }
}

/// The output changes after the pads have negotiated and before the frame begins, which then
/// shows what it would have shown.
BACKEND_TEST(a_change_during_negotiation) {
  Element element(__i__);
  GstHarness* harness = element.harness();
  check::want_format(element, "GRAY8");
  const Params gradient = params_of(View::kGradient);
  element.set_params(gradient);
  const Layout in = check::plain_layout(check::kRgb, 67, 45);
  const Layout out = check::plain_layout(check::kGray, 67, 45);
  element.send_caps(in);
  check_frame(element, in, out, gradient);
  const gulong probe = check::on_query(harness->sinkpad, GST_QUERY_ALLOCATION, [&](GstQuery*) {
    gst_util_set_object_arg(G_OBJECT(element.get()), "output", "masked");
    return GST_PAD_PROBE_OK;
  });
  fail_unless(gst_harness_push_upstream_event(harness, gst_event_new_reconfigure()));
  check_frame(element, in, out, gradient);
  fail_unless_equals_int(element.push(new_picture(in)), GST_FLOW_NOT_NEGOTIATED);
  gst_pad_remove_probe(harness->sinkpad, probe);
}
