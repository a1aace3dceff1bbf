// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests formats of more than 8 bits: which bits of a pixel are its samples, how many of them
/// count, and frames of videotestsrc in each of these formats.
#include <string>
#include <vector>

#include "expected.h"
#include "fixture.h"
#include "reference.h"

using check::Element;
using check::Format;
using check::Layout;
using check::Owned;
using check::Pipeline;
using check::Watch;

static check::Suite suite("depth");

static constexpr int kDeepFormats = check::kFormatCount - check::kShownFormatCount;

static const Format& deep_format(int i) { return check::kFormats[check::kShownFormatCount + i]; }

/// Luma, or red, green and blue.
static std::vector<reference::Words> images(const canny::ConstFrame& frame) {
  if (reference::colors(frame).empty()) return {reference::deep_luma(frame)};
  return reference::deep_colors(frame);
}

/// Uses GStreamer's own conversion to 16 bits to check the meaning of a format's pixels. Bits below
/// those of the format are not compared: the conversion repeats the highest bits there.
LOOP_TEST(samples_are_those_of_the_converted_picture, kDeepFormats) {
  const Layout layout = check::plain_layout(deep_format(__i__), 96, 32);
  const GstVideoInfo info = check::info_of(layout);
  const bool is_rgb = GST_VIDEO_INFO_IS_RGB(&info);
  const char* to = is_rgb ? "ARGB64" : GST_VIDEO_INFO_IS_GRAY(&info) ? "GRAY16_LE" : "Y444_16LE";
  const Owned<GstBuffer> picture(check::new_picture(layout, 1));
  auto bytes = check::read_bytes(picture.get());
  const auto converted = check::convert(picture.get(), layout, to);
  const canny::ConstFrame other{
      converted.data(),
      (is_rgb ? 8 : 2) * 96,
      96,
      32,
      is_rgb ? canny::PixelFormat::kXrgb64Le : canny::PixelFormat::kGray16Le,
      canny::Memory::kHost};
  const auto own_images = images(check::const_frame_of(layout, bytes.data()));
  const auto other_images = images(other);
  fail_unless_equals_int(own_images.size(), other_images.size());
  const int ignored = 16 - int(GST_VIDEO_INFO_COMP_DEPTH(&info, 0));
  for (std::size_t i = 0; i < own_images.size(); i++) {
    for (std::size_t at = 0; at < own_images[i].samples.size(); at++) {
      const int own = own_images[i].samples[at] >> ignored;
      const int expected = other_images[i].samples[at] >> ignored;
      fail_unless(own == expected, "%s: sample %d of pixel %d is %d, not %d", layout.format->name,
                  int(i), int(at), own, expected);
    }
  }
}

/// Sends the picture and compares the output with the reference.
static void check_frame(Element& element, const Layout& in, GstBuffer* picture,
                        const canny::Params& params) {
  fail_unless_equals_int(element.push(gst_buffer_ref(picture)), GST_FLOW_OK);
  const Owned<GstBuffer> output(element.pull());
  const Owned<GstCaps> caps(element.output_caps());
  fail_if_wrong(check::difference(output.get(), check::format_of(caps.get()), in.width, in.height,
                                  check::reference_edges(picture, in, params)));
}

ROW_TEST(the_depth_changes_on_the_next_frame, kDeepFormats) {
  const Format& format = deep_format(row);
  Element element(backend);
  const Layout layout = check::plain_layout(format, 160, 90);
  const Owned<GstBuffer> picture(check::new_picture(layout, 3));
  canny::Params full, highest;
  highest.luma_depth = canny::LumaDepth::k8;
  fail_unless(check::reference_edges(picture.get(), layout, full) !=
                  check::reference_edges(picture.get(), layout, highest),
              "%s: the lower bits make no difference", format.name);
  element.send_caps(layout);
  check_frame(element, layout, picture.get(), full);
  for (const canny::Params& params : {highest, full, highest}) {
    element.set_params(params);
    check_frame(element, layout, picture.get(), params);
  }
}

/// Edges are 65535 and 0, and other views 257 times their value.
BACKEND_TEST(gray_of_16_bits) {
  using canny::View;
  Element element(__i__);
  const Layout out = check::plain_layout(check::find_format("GRAY16_LE"), 67, 45);
  check::want_format(element, "GRAY16_LE");
  for (const char* name : {"RGB", "GRAY8", "GRAY16_LE", "RGBA64_LE"}) {
    const Layout in = check::plain_layout(check::find_format(name), 67, 45);
    const Owned<GstBuffer> picture(check::new_picture(in, 8));
    element.send_caps(in);
    for (const View view : {View::kEdges, View::kGradient, View::kDirection, View::kClasses,
                            View::kPasses, View::kLuma, View::kBlurred}) {
      canny::Params params;
      params.view = view;
      element.set_params(params);
      fail_unless_equals_int(element.push(gst_buffer_ref(picture.get())), GST_FLOW_OK);
      const Owned<GstBuffer> output(element.pull());
      fail_unless(check::rows_in(output.get(), out) ==
                      check::expected_output(picture.get(), in, out, params).rows,
                  "view %d of %s", int(view), name);
    }
  }
}

/// An overlay can't be of deep samples.
PLAIN_TEST(no_overlay_of_deep_samples) {
  Element element(0);
  check::want_format(element, "GRAY16_LE");
  const Layout layout = check::plain_layout(check::find_format("GRAY16_LE"), 67, 45);
  element.send_caps(layout);
  const Owned<GstBuffer> picture(check::new_picture(layout, 8));
  check_frame(element, layout, picture.get(), {});
  gst_util_set_object_arg(G_OBJECT(element.get()), "output", "overlay");
  fail_unless_equals_int(element.push(gst_buffer_ref(picture.get())), GST_FLOW_NOT_NEGOTIATED);
}

/// A source of moving rings in this format, and the element.
static std::string play(const Format& format, int backend) {
  Pipeline pipeline(
      "videotestsrc num-buffers=3 pattern=zone-plate kx2=20 ky2=20 kt=3 ! "
      "video/x-raw,width=100,height=61,framerate=30/1,format=" +
      std::string(format.name) +
      " ! cudacanny name=canny backend=" + check::backend_in_line(backend) + " ! fakesink");
  Watch watch(pipeline["canny"]);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  std::string problem = pipeline.wait_for_end();
  if (problem.empty()) problem = watch.difference();
  if (problem.empty() && watch.frames() != 3) problem = "frames are missing";
  return problem;
}

ROW_TEST(frames_of_videotestsrc, kDeepFormats) {
  const Format& format = deep_format(row);
  const std::string problem = play(format, backend);
  fail_unless(problem.empty(), "%s: %s", format.name, problem.c_str());
}
