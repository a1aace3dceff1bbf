// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the errors that explain why the element refuses the caps of its input.
#include <string>

#include "fixture.h"

using check::Element;
using check::Owned;
using check::Pipeline;
using check::Told;

static check::Suite suite("refusals");

struct Refusal {
  const char* caps;
  const char* text;  ///< the whole message
};

static const Refusal kRefusals[] = {
    {"video/x-raw,format=ENCODED,width=64,height=48,framerate=25/1",
     "cudacanny does not accept format ENCODED. Put videoconvert before it."},
    {"video/x-raw,format=RGB,width=16385,height=48,framerate=25/1",
     "cudacanny does not accept frames of 16385x48 pixels. Put videoscale before it."},
    {"video/x-raw,format=ENCODED,width=64,height=16385,framerate=25/1",
     "cudacanny does not accept this video (format ENCODED). Put videoconvert before it."},
    {"image/jpeg,width=64,height=48,framerate=25/1",
     "cudacanny accepts raw video, not image/jpeg. Put a decoder such as decodebin before it."},
    {"video/x-raw(memory:CUDAMemory),format=RGB,width=64,height=48,framerate=25/1",
     "cudacanny does not accept video with feature memory:CUDAMemory here. Put cudadownload before "
     "it."},
    {"video/x-raw(memory:CUDAMemory),format=A420,width=64,height=48,framerate=25/1",
     "cudacanny does not accept video with feature memory:CUDAMemory here. Put cudadownload before "
     "it."},
    {"video/x-raw(memory:GLMemory),format=RGBA,width=64,height=48,framerate=25/1",
     "cudacanny does not accept video with feature memory:GLMemory here. Put gldownload before "
     "it."},
    {"video/x-raw(memory:DMABuf),format=DMA_DRM,drm-format=NV12,width=64,height=48,framerate=25/1",
     "cudacanny does not accept video with feature memory:DMABuf here. Put vapostproc or "
     "glupload ! gldownload before it."},
    {"video/x-raw(memory:HIPMemory),format=NV12,width=64,height=48,framerate=25/1",
     "cudacanny does not accept video with feature memory:HIPMemory here. Put hipdownload before "
     "it."},
    {"video/x-raw(memory:Other),format=RGBA,width=64,height=48,framerate=25/1",
     "cudacanny does not accept video with feature memory:Other here. Put an element before it "
     "that outputs system memory."},
    {"video/x-raw,width=64,height=48,framerate=25/1",
     "The input's caps have no format. Add it where they are set, such as in appsrc or a "
     "capsfilter."},
    {"video/x-raw,format=(int)1,width=64,height=48,framerate=25/1",
     "The input's caps have no format. Add it where they are set, such as in appsrc or a "
     "capsfilter."},
    {"video/x-raw,format=RGB,width=64,framerate=25/1",
     "The input's caps have no height. Add it where they are set, such as in appsrc or a "
     "capsfilter."},
};

static GstBuffer* any_picture() {
  return check::new_picture(check::plain_layout(check::kRgb, 64, 48), 1);
}

/// Expects one error although upstream continues, and another one for caps that are sent again.
LOOP_TEST(refused_caps_are_told, std::size(kRefusals)) {
  const Refusal& refusal = kRefusals[__i__];
  Element element(0);
  for (int i = 0; i < 2; i++) {
    element.send_caps(gst_caps_from_string(refusal.caps));
    for (int frame = 0; frame < 3; frame++) {
      fail_unless_equals_int(element.push(any_picture()), GST_FLOW_NOT_NEGOTIATED);
    }
    const Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
    fail_unless_equals_string(told.text.c_str(), refusal.text);
    const Owned<GstCaps> caps(gst_caps_from_string(refusal.caps));
    gchar* text = gst_caps_to_string(caps.get());
    fail_unless(told.has_detail(text), "'%s' lacks '%s'", told.details.c_str(), text);
    g_free(text);
    fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr, "two errors");
  }
  // Accepted caps end the refusal.
  element.send_caps(check::plain_layout(check::kRgb, 64, 48));
  fail_unless_equals_int(element.push(any_picture()), GST_FLOW_OK);
  fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr, "an error for accepted caps");
}

struct Downstream {
  const char *caps, *text, *listed;
};

static const Downstream kDownstreams[] = {
    {"video/x-raw,format=RGB,width=65",
     "The element after cudacanny does not accept its output for this video. Put videoconvert "
     "after cudacanny, or videoscale to change the size.",
     "downstream accepts: video/x-raw, format=(string)RGB, width=(int)65"},
    {"EMPTY",
     "The element after cudacanny does not accept its output. Put videoconvert after cudacanny, or "
     "videoscale to change the size.",
     "downstream accepts: EMPTY"},
};

LOOP_TEST(output_that_nothing_takes_is_told, std::size(kDownstreams)) {
  const Downstream& downstream = kDownstreams[__i__];
  Element element(0);
  gst_harness_set_sink_caps_str(element.harness(), downstream.caps);
  element.send_caps(check::plain_layout(check::kRgb, 64, 48));
  fail_unless_equals_int(element.push(any_picture()), GST_FLOW_NOT_NEGOTIATED);
  const Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
  fail_unless_equals_string(told.text.c_str(), downstream.text);
  fail_unless(told.has_detail("format=(string)RGB") && told.has_detail(downstream.listed), "%s",
              told.details.c_str());
  fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr, "two errors");
}

/// Takes frames of 8 bits.
static const std::string kOverlay = "cudacanny name=canny backend=cpu output=overlay ! fakesink";

/// The first error of a stream of I420_10BE, pushed by an element that does not query caps, and the
/// element that posts it. Empty if the stream ends and a question about its caps follows.
static std::pair<std::string, std::string> first_error(const std::string& rest) {
  Pipeline pipeline(
      "appsrc name=source format=time caps=\"video/x-raw,format=I420_10BE,width=64,"
      "height=48,framerate=25/1\" ! " +
      rest);
  GstElement* source = pipeline["source"];
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  GstFlowReturn flow = GST_FLOW_OK;
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 64 * 48 * 3, nullptr);
  gst_buffer_memset(buffer, 0, 0, 64 * 48 * 3);
  GST_BUFFER_PTS(buffer) = 0;
  g_signal_emit_by_name(source, "push-buffer", buffer, &flow);
  gst_buffer_unref(buffer);
  g_signal_emit_by_name(source, "end-of-stream", &flow);
  const Owned<GstBus> bus(gst_element_get_bus(pipeline.get()));
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus.get(), check::kPatience, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  if (message == nullptr) return {"neither an error nor the end", ""};
  const std::string who = GST_MESSAGE_SRC_NAME(message);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) return {check::told_by(message).text, who};
  gst_message_unref(message);
  const Owned<GstPad> from(gst_element_get_static_pad(source, "src"));
  const Owned<GstCaps> caps(gst_pad_get_current_caps(from.get()));
  const Owned<GstPad> to(gst_element_get_static_pad(pipeline["canny"], "sink"));
  if (gst_pad_query_accept_caps(to.get(), caps.get())) return {"accepted", "canny"};
  return {check::told_by(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR)).text, "canny"};
}

/// Elements that ask the next one whether it accepts caps, and refuse them for it.
PLAIN_TEST(refused_caps_are_told_through_others) {
  for (const char* before :
       {"", "identity ! ", "queue ! ", "( identity ) ! ", "( queue ) ! queue ! ",
        "tee ! queue ! identity ! ", "( queue ! ( identity ) ) ! "}) {
    const auto [text, who] = first_error(before + kOverlay);
    fail_unless(who == "canny", "%s: '%s' from %s", before, text.c_str(), who.c_str());
    fail_unless_equals_string(text.c_str(),
                              "cudacanny does not accept format I420_10BE with output=overlay, "
                              "which needs 8 bits. Put videoconvert before it.");
  }
}

/// Queries of elements that then try other caps, and of applications.
PLAIN_TEST(questions_are_no_refusals) {
  for (const char* between :
       {"videoconvert", "queue ! videoconvert ! queue", "videoconvert ! identity", "compositor"}) {
    const std::string line = std::string(between) + " ! " + kOverlay;
    const auto [text, who] = first_error(line);
    fail_unless(text.empty(), "%s: '%s' from %s", between, text.c_str(), who.c_str());
  }
  Element element(0, check::plain_layout(check::kRgb, 64, 48));
  const Owned<GstPad> pad(gst_element_get_static_pad(element.get(), "sink"));
  for (const Refusal& refusal : kRefusals) {
    const Owned<GstCaps> caps(gst_caps_from_string(refusal.caps));
    fail_if(gst_pad_query_accept_caps(pad.get(), caps.get()));
  }
  fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr, "an error for a query");
}

/// What precedes cudacanny: nothing, or an element that has sent no caps.
PLAIN_TEST(questions_without_caps_events) {
  for (const char* before : {"", "fakesrc ! "}) {
    const Pipeline pipeline(before + kOverlay);
    gst_element_set_state(pipeline["canny"], GST_STATE_PAUSED);
    const Owned<GstPad> pad(gst_element_get_static_pad(pipeline["canny"], "sink"));
    for (const Refusal& refusal : kRefusals) {
      const Owned<GstCaps> caps(gst_caps_from_string(refusal.caps));
      fail_if(gst_pad_query_accept_caps(pad.get(), caps.get()), "%s: %s", before, refusal.caps);
    }
    const Owned<GstBus> bus(gst_element_get_bus(pipeline.get()));
    fail_unless(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR) == nullptr, "%s", before);
  }
}
