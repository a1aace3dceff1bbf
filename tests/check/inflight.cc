// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests frames in flight: order, events, settings and latency with several at a time.
#include "inflight.h"

#include <gst/base/gstbasetransform.h>

#include <string>

using canny::Params;
using check::Element;
using check::Layout;
using check::Owned;
using check::Watch;
using namespace inflight;

static check::Suite suite("inflight");

/// Each frame comes out without another frame, an event or the end of the stream after it.
COUNT_TEST(one_frame_at_a_time) {
  for (const Latency* upstream : {&kNotLive, &kLive}) {
    Element element(test.backend, test.frames);
    set_upstream(element, *upstream);
    element.send_caps(layout_of_tests());
    for (GstClockTime time = 0; time < 4 * kFrame; time += kFrame) {
      push_and_check(element, {time});
    }
    fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 4);
  }
}

/// When a push returns, downstream has the frame, and the caps before it, as GStreamer's own tests
/// of filters require.
BACKEND_TEST(one_in_flight_is_a_plain_filter) {
  NotLiveElement element(__i__, 1);
  for (const Layout& layout : {layout_of_tests(), check::plain_layout(check::kGray, 64, 48)}) {
    element.send_caps(layout);
    for (int i = 0; i < 3; i++) {
      fail_unless_equals_int(element.push(check::new_picture(layout, 1)), GST_FLOW_OK);
      const Owned<GstBuffer> out(element.pull());
      fail_unless(out != nullptr, "the push returned before the frame was out");
      const Owned<GstCaps> caps(element.output_caps());
      GstVideoInfo info;
      fail_unless(gst_video_info_from_caps(&info, caps.get()));
      fail_unless_equals_int(GST_VIDEO_INFO_WIDTH(&info), layout.width);
    }
  }
}

COUNT_TEST(fifty_frames_in_order) {
  const Layout layout = layout_of_tests();
  NotLiveElement element(test.backend, test.frames);
  Watch watch(element.get());
  element.send_caps(layout);
  for (guint i = 0; i < 50; i++) {
    GstBuffer* picture = picture_at(i * kFrame);
    GST_BUFFER_OFFSET(picture) = i;
    gst_buffer_add_video_region_of_interest_meta(picture, "frame", i, 0, 1, 1);
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  }
  for (guint i = 0; i < 50; i++) {
    const Owned<GstBuffer> out(element.wait());
    fail_unless(out != nullptr);
    fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), i * kFrame);
    fail_unless_equals_uint64(GST_BUFFER_DURATION(out.get()), kFrame);
    fail_unless_equals_uint64(GST_BUFFER_OFFSET(out.get()), i);
    const auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(
        gst_buffer_get_meta(out.get(), GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
    fail_unless(region != nullptr && region->x == i);
  }
  fail_if_wrong(watch.difference());
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 50);
}

COUNT_TEST(events_keep_their_place) {
  for (int i = 0; i < repeats(); i++) {
    NotLiveElement element(test.backend, test.frames);
    fail_if_wrong(check::mixed_stream_difference(element));
  }
}

/// Settings change from frame to frame, while others are in flight.
COUNT_TEST(settings_of_the_time_of_the_push) {
  const Layout layout = layout_of_tests();
  NotLiveElement element(test.backend, test.frames);
  element.send_caps(layout);
  const Owned<GstBuffer> picture(picture_at(0));
  std::vector<Params> params(20);
  for (std::size_t i = 0; i < params.size(); i++) {
    params[i].sigma = 0.5 * double(i % 5);
    params[i].high_threshold = i % 2 != 0 ? 150 : 600;
    params[i].norm = i % 3 != 0 ? canny::Norm::kL1 : canny::Norm::kL2;
    element.set_params(params[i]);
    fail_unless_equals_int(element.push(gst_buffer_ref(picture.get())), GST_FLOW_OK);
  }
  for (const Params& then : params) {
    const Owned<GstBuffer> out(element.wait());
    fail_if_wrong(
        check::difference(out.get(), layout, check::reference_edges(picture.get(), layout, then)));
  }
}

/// The latency that `frames` in flight add. The frame being processed is not latency.
static GstClockTime added_latency(int frames, bool live, int numerator, int denominator) {
  const bool known = numerator != 0;
  const int taken = frames != 0 ? frames : live || !known ? 1 : 3;
  if (!known) return 0;
  return gst_util_uint64_scale(guint64(taken - 1) * GST_SECOND, guint64(denominator),
                               guint64(numerator));
}

/// Equal except for the rounding of a frame's duration.
static void fail_unless_near(GstClockTime got, GstClockTime want, const char* what) {
  const GstClockTimeDiff off = GST_CLOCK_DIFF(want, got);
  fail_unless(ABS(off) <= 8, "%s is %" GST_TIME_FORMAT ", expected %" GST_TIME_FORMAT, what,
              GST_TIME_ARGS(got), GST_TIME_ARGS(want));
}

/// Sends caps of this framerate and a frame. Checks the latency, and that a change is announced.
static void check_latency(Element& element, const Latency& upstream, GstClockTime* added,
                          int frames, int numerator, int denominator) {
  const GstClockTime before = *added;
  *added = added_latency(frames, upstream.live, numerator, denominator);
  element.send_caps(check::new_caps(check::kRgb, 61, 43, numerator, denominator));
  push_and_check(element, {0});
  const Owned<GstMessage> message(element.pop(GST_MESSAGE_LATENCY));
  fail_unless((message != nullptr) == (*added != before), "%d/%d: latency message: %d", numerator,
              denominator, message != nullptr);
  const Latency latency = query_latency(element);
  fail_unless_equals_int(latency.live, upstream.live);
  fail_unless_near(latency.min, upstream.min + *added, "minimum");
  if (GST_CLOCK_TIME_IS_VALID(upstream.max)) {
    fail_unless_near(latency.max, upstream.max + *added, "maximum");
  } else {
    fail_if(GST_CLOCK_TIME_IS_VALID(latency.max));
  }
}

COUNT_TEST(latency_of_the_frames_in_flight) {
  static const Latency kFinite = {FALSE, 5 * GST_MSECOND, 900 * GST_MSECOND};
  for (const Latency* upstream : {&kNotLive, &kFinite, &kLive}) {
    Element element(test.backend, test.frames);
    set_upstream(element, *upstream);
    GstClockTime added = 0;
    check_latency(element, *upstream, &added, test.frames, 0, 1);
    check_latency(element, *upstream, &added, test.frames, 30, 1);
    check_latency(element, *upstream, &added, test.frames, 30, 1);
    check_latency(element, *upstream, &added, test.frames, 24000, 1001);
    check_latency(element, *upstream, &added, test.frames, 0, 1);
    check_latency(element, *upstream, &added, test.frames, 30, 1);
    // A stop forgets it, without a message.
    gst_element_set_state(element.get(), GST_STATE_READY);
    start(element);
    fail_unless_equals_uint64(query_latency(element).min, upstream->min);
    fail_unless(element.pop(GST_MESSAGE_LATENCY) == nullptr);
  }
}

/// The position is that of the last frame, also after a framerate that changes the number of frames
/// in flight.
BACKEND_TEST(position_of_the_last_frame) {
  NotLiveElement element(__i__);
  GstClockTime time = 0;
  for (const int framerate : {0, 30, 0, 30}) {
    element.send_caps(check::new_caps(check::kRgb, 61, 43, framerate));
    time += 10 * GST_SECOND;
    push_and_check(element, {time});
    gint64 position = 0;
    fail_unless(
        gst_pad_peer_query_position(element.harness()->sinkpad, GST_FORMAT_TIME, &position));
    fail_unless_equals_int64(position, gint64(time + kFrame));
  }
}

/// Upstream's answers to questions that are not about times of frames stay as they are.
COUNT_TEST(positions_that_upstream_knows) {
  NotLiveElement element(test.backend, test.frames);
  constexpr gint64 upstream = 1234;
  gint64 position = 0;
  check::on_query(element.harness()->srcpad, GST_QUERY_POSITION, [](GstQuery* query) {
    GstFormat format;
    gst_query_parse_position(query, &format, nullptr);
    gst_query_set_position(query, format, upstream);
    return GST_PAD_PROBE_HANDLED;
  });
  GstPad* sink = element.harness()->sinkpad;
  element.send_caps(layout_of_tests());
  push_and_check(element, times_from(0, 3));
  fail_unless(gst_pad_peer_query_position(sink, GST_FORMAT_DEFAULT, &position));
  fail_unless_equals_int64(position, upstream);
  GstSegment bytes;
  gst_segment_init(&bytes, GST_FORMAT_BYTES);
  element.send_segment(bytes);
  push_and_check(element, {3 * kFrame});
  fail_unless(gst_pad_peer_query_position(sink, GST_FORMAT_TIME, &position));
  fail_unless_equals_int64(position, upstream);
}

static GstFlowReturn read_picture(GstPad*, GstObject*, guint64 offset, guint, GstBuffer** buffer) {
  *buffer = picture_at(offset * kFrame);
  return GST_FLOW_OK;
}

/// An upstream from which the element pulls, and a downstream that pulls from the element.
COUNT_TEST(frames_that_downstream_pulls) {
  const Layout layout = layout_of_tests();
  Element element(test.backend, test.frames);
  GstPad *source = element.harness()->srcpad, *sink = element.harness()->sinkpad;
  gst_element_set_state(element.get(), GST_STATE_READY);
  gst_pad_set_active(source, FALSE);
  gst_pad_set_active(sink, FALSE);
  gst_pad_set_getrange_function(source, read_picture);
  fail_unless(gst_pad_activate_mode(sink, GST_PAD_MODE_PULL, TRUE));
  start(element);
  element.send_caps(layout);
  for (guint64 i = 0; i < 4; i++) {
    GstBuffer* pulled = nullptr;
    fail_unless_equals_int(gst_pad_pull_range(sink, i, 1, &pulled), GST_FLOW_OK);
    const Owned<GstBuffer> out(pulled), picture(picture_at(i * kFrame));
    fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), i * kFrame);
    fail_if_wrong(
        check::difference(out.get(), layout, check::reference_edges(picture.get(), layout, {})));
  }
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 4);
}

/// Frames of an unknown framerate come before the push returns.
BACKEND_TEST(frames_of_an_unknown_framerate) {
  NotLiveElement element(__i__);
  element.send_caps(check::new_caps(check::kRgb, 61, 43, 0));
  for (GstClockTime time = 0; time < 20 * kFrame; time += kFrame) {
    push_all(element, {time});
    const Owned<GstBuffer> out(element.pull());
    fail_unless(out != nullptr && GST_BUFFER_PTS(out.get()) == time);
  }
}

/// Times whose sum is too large end at the longest time.
COUNT_TEST(times_that_are_too_long) {
  constexpr GstClockTime kLongest = GST_CLOCK_TIME_NONE - 1;
  static const Latency kEndless = {TRUE, kLongest - 1, kLongest - 1};
  Element element(test.backend, test.frames);
  set_upstream(element, kEndless);
  element.send_caps(layout_of_tests());
  GstBuffer* picture = picture_at(kFrame);
  GST_BUFFER_DURATION(picture) = kLongest;
  fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  check_outputs(element, {kFrame});
  const bool adds = test.frames > 1;
  const Latency latency = query_latency(element);
  fail_unless_equals_uint64(latency.min, kLongest - !adds);
  fail_unless_equals_uint64(latency.max, kLongest - !adds);
  if (adds)
    fail_unless_equals_uint64(GST_BASE_TRANSFORM(element.get())->segment.position, kLongest);
}
