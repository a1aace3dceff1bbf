// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests that changes of caps and states, and elements themselves, leave no memory behind.
#include <gst/check/gstharness.h>
#include <gst/gst.h>

#include <string>

#include "growth.h"
#include "harness.h"

namespace {

harness::Tally tally;

constexpr char kElement[] = "cudacanny backend=cpu n-threads=2";

void measure(const std::string& what, int rounds, const std::function<std::string(int)>& round) {
  const std::string failure = growth::measure(what, rounds, round);
  tally.count(canny::Backend::kCpu, what, failure);
}

void send_caps(GstHarness* harness, gsize width, gsize height) {
  const std::string caps =
      "video/x-raw,format=GRAY8,framerate=30/1,width=" + std::to_string(width) +
      ",height=" + std::to_string(height);
  gst_harness_set_src_caps_str(harness, caps.c_str());
}

/// A frame of one of two sizes.
std::string push_frame(GstHarness* harness, int round) {
  const gsize width = round % 2 ? 320 : 240, height = round % 2 ? 320 : 180;
  send_caps(harness, width, height);
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, width * height, nullptr);
  gst_buffer_memset(buffer, 0, guint8(round % 255), width * height / 2);
  GST_BUFFER_PTS(buffer) = GstClockTime(round) * GST_MSECOND;
  if (gst_harness_push(harness, buffer) != GST_FLOW_OK) return "a push failed";
  GstBuffer* output = gst_harness_pull(harness);
  if (output == nullptr) return "no frame";
  gst_buffer_unref(output);
  while (GstEvent* event = gst_harness_try_pull_event(harness)) gst_event_unref(event);
  while (GstEvent* event = gst_harness_try_pull_upstream_event(harness)) gst_event_unref(event);
  return "";
}

void measure_caps(int frames_in_flight, int rounds) {
  const std::string in_flight = "frames-in-flight=" + std::to_string(frames_in_flight);
  GstHarness* harness = gst_harness_new_parse((kElement + (" " + in_flight)).c_str());
  measure("caps, " + in_flight, rounds, [&](int i) { return push_frame(harness, i); });
  gst_harness_teardown(harness);
}

std::string push_noise(GstHarness* harness, gsize side) {
  send_caps(harness, side, side);
  for (int i = 0; i < 8; i++) {
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, side * side, nullptr);
    for (gsize at = 0; at < side * side; at += side)
      gst_buffer_memset(buffer, at, at / side % 2 ? 255 : 0, side);
    if (gst_harness_push(harness, buffer) != GST_FLOW_OK) return "a push failed";
  }
  for (int i = 0; i < 8; i++) gst_buffer_unref(gst_harness_pull(harness));
  return "";
}

/// Frames with long contours, and then short ones.
void measure_contours() {
  GstHarness* harness = gst_harness_new_parse(
      (kElement + std::string(" frames-in-flight=3 contours=1 thin-edges=false low-threshold=0 "
                              "high-threshold=0"))
          .c_str());
  tally.count(canny::Backend::kCpu, "contours",
              growth::measure_return(
                  "contours", [&] { return push_noise(harness, 2048); },
                  [&] { return push_noise(harness, 16); }));
  gst_harness_teardown(harness);
}

/// Plays the pipeline to its end, and back to NULL.
std::string play(GstElement* pipeline, GstBus* bus) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus, 60 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool ended = message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  if (message != nullptr) gst_message_unref(message);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  return ended ? "" : "no end of the stream";
}

void measure_states(const std::string& element, int rounds) {
  const std::string line =
      "videotestsrc num-buffers=2 ! video/x-raw,format=RGB,width=64,height=128 ! " + element +
      " ! fakesink sync=false";
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line.c_str(), &error);
  if (error != nullptr) {
    tally.fail(canny::Backend::kCpu, line + ": " + error->message);
    g_clear_error(&error);
    gst_clear_object(&pipeline);
    return;
  }
  GstBus* bus = gst_element_get_bus(pipeline);
  measure("states, " + element, rounds, [&](int) { return play(pipeline, bus); });
  gst_object_unref(bus);
  gst_object_unref(pipeline);
}

/// Starts an element with a text that does not fit into a std::string itself, and destroys it.
std::string come_and_go() {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "backend", "cpu");
  g_object_set(element, "opencl-device", std::string(65536, '0').c_str(), nullptr);
  const GstStateChangeReturn change = gst_element_set_state(element, GST_STATE_PAUSED);
  gst_element_set_state(element, GST_STATE_NULL);
  gst_object_unref(element);
  return change == GST_STATE_CHANGE_SUCCESS ? "" : "no start";
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = growth::begin(argc, argv);
  gst_init(nullptr, nullptr);
  for (const int frames_in_flight : {1, 3}) measure_caps(frames_in_flight, rounds);
  measure_contours();
  measure("elements", rounds / 20, [](int) { return come_and_go(); });
  // These take longer. The first one shows the growth in GStreamer itself.
  for (const char* element : {"videoconvert ! video/x-raw,format=GRAY8", kElement})
    measure_states(element, rounds / 2);
  return tally.summary();
}
