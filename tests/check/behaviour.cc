// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests what GStreamer expects of a filter: QoS, latency, events, queries and metas.
#include <gst/base/gstbasetransform.h>

#include <string>

#include "behaviour.h"

using behaviour::layout_of_tests;
using behaviour::transform;
using check::Element;
using check::Layout;
using check::Owned;

static check::Suite suite("behaviour");

static constexpr GstClockTime kFrame = GST_SECOND / 30;

Layout behaviour::layout_of_tests() { return check::plain_layout(check::kRgb, 39, 25); }

Owned<GstBuffer> behaviour::transform(Element& element, GstBuffer* picture) {
  const Layout layout = layout_of_tests();
  const Owned<GstCaps> caps(check::new_caps(*layout.format, layout.width, layout.height));
  return check::transform(element, picture, check::layout_of(picture, caps.get()));
}

// QoS. Running time 0 is this long after PTS 0 and before stream time 0.
static constexpr GstClockTime kStart = 10 * GST_SECOND;

static void send_late_segment(Element& element) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = kStart;
  segment.time = 2 * kStart;
  element.send_caps(layout_of_tests());
  element.send_segment(segment);
}

static GstBuffer* picture_at(guint frame) {
  GstBuffer* picture = check::new_picture(layout_of_tests(), frame);
  GST_BUFFER_PTS(picture) = kStart + frame * kFrame;
  GST_BUFFER_DURATION(picture) = kFrame;
  return picture;
}

/// Downstream received the frame at running time 2 frames one frame late, at half speed.
static void send_qos(Element& element) {
  fail_unless(gst_harness_push_upstream_event(
      element.harness(),
      gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, GstClockTimeDiff(kFrame), 2 * kFrame)));
}

static void check_qos_message(Element& element, guint frame, guint64 dropped_so_far) {
  const Owned<GstMessage> message(element.wait(GST_MESSAGE_QOS));
  fail_unless(message != nullptr);
  gboolean live = TRUE;
  guint64 running = 0, stream = 0, timestamp = 0, duration = 0, processed = 0, dropped = 0;
  gint64 jitter = 0;
  gdouble proportion = 0;
  gint quality = 0;
  GstFormat format = GST_FORMAT_UNDEFINED;
  gst_message_parse_qos(message.get(), &live, &running, &stream, &timestamp, &duration);
  gst_message_parse_qos_values(message.get(), &jitter, &proportion, &quality);
  gst_message_parse_qos_stats(message.get(), &format, &processed, &dropped);
  fail_unless_equals_uint64(running, frame * kFrame);
  fail_unless_equals_uint64(stream, 2 * kStart + frame * kFrame);
  fail_unless_equals_uint64(timestamp, kStart + frame * kFrame);
  fail_unless_equals_uint64(duration, kFrame);
  fail_unless_equals_int64(jitter, gint64((3 - frame) * kFrame));
  fail_unless_equals_float(proportion, 2.0);
  fail_unless_equals_int(format, GST_FORMAT_BUFFERS);
  fail_unless_equals_uint64(processed, 2);
  fail_unless_equals_uint64(dropped, dropped_so_far);
}

BACKEND_TEST(late_frames_are_dropped_and_told) {
  for (const int in_flight : {1, 3}) {
    Element element(__i__, in_flight);
    send_late_segment(element);
    transform(element, picture_at(0));
    transform(element, picture_at(1));
    send_qos(element);
    for (const guint frame : {2u, 3u}) {
      fail_unless_equals_int(element.push(picture_at(frame)), GST_FLOW_OK);
      check_qos_message(element, frame, frame - 1);
    }
    // If a late frame came, it would be pulled instead of the next one.
    fail_unless(GST_BUFFER_IS_DISCONT(transform(element, picture_at(4)).get()));
    fail_if(GST_BUFFER_IS_DISCONT(transform(element, picture_at(5)).get()));
    fail_unless(element.pop(GST_MESSAGE_QOS) == nullptr);
    fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 4);
  }
}

BACKEND_TEST(nothing_is_dropped_without_qos) {
  Element element(__i__);
  g_object_set(element.get(), "qos", FALSE, nullptr);
  send_late_segment(element);
  send_qos(element);
  for (guint frame = 0; frame < 4; frame++) {
    const Owned<GstBuffer> out = transform(element, picture_at(frame));
    fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), kStart + frame * kFrame);
    fail_if(GST_BUFFER_IS_DISCONT(out.get()));
  }
  fail_unless(element.pop(GST_MESSAGE_QOS) == nullptr);
}

BACKEND_TEST(a_live_pipeline_keeps_its_latency) {
  Element element(__i__);
  check::on_query(element.harness()->srcpad, GST_QUERY_LATENCY, [](GstQuery* query) {
    gst_query_set_latency(query, TRUE, 20 * GST_MSECOND, 70 * GST_MSECOND);
    return GST_PAD_PROBE_HANDLED;
  });
  element.send_caps(layout_of_tests());
  transform(element, check::new_picture(layout_of_tests(), 1));
  const Owned<GstQuery> query(gst_query_new_latency());
  fail_unless(gst_pad_peer_query(element.harness()->sinkpad, query.get()));
  gboolean live = FALSE;
  GstClockTime min = 0, max = 0;
  gst_query_parse_latency(query.get(), &live, &min, &max);
  fail_unless(live);
  fail_unless_equals_uint64(min, 20 * GST_MSECOND);
  fail_unless_equals_uint64(max, 70 * GST_MSECOND);
}

static GstPadProbeReturn answer_context(GstQuery* query) {
  const gchar* type = nullptr;
  gst_query_parse_context_type(query, &type);
  GstContext* context = gst_context_new(type, TRUE);
  gst_query_set_context(query, context);
  gst_context_unref(context);
  return GST_PAD_PROBE_HANDLED;
}

/// Checks that a context query from pad `from` of the test reaches the pad on the element's other
/// side.
static void check_context(GstPad* from, GstPad* to) {
  const gulong probe = check::on_query(to, GST_QUERY_CONTEXT, answer_context);
  const Owned<GstQuery> query(gst_query_new_context("canny.test.context"));
  fail_unless(gst_pad_peer_query(from, query.get()));
  GstContext* context = nullptr;
  gst_query_parse_context(query.get(), &context);
  fail_unless(context != nullptr && gst_context_has_context_type(context, "canny.test.context"));
  fail_unless(gst_context_is_persistent(context));
  gst_pad_remove_probe(to, probe);
}

BACKEND_TEST(contexts_go_through) {
  Element element(__i__, layout_of_tests());
  for (std::uint64_t seed = 0; seed < 2; seed++) {
    check_context(element.harness()->srcpad, element.harness()->sinkpad);
    check_context(element.harness()->sinkpad, element.harness()->srcpad);
    transform(element, check::new_picture(layout_of_tests(), seed));
  }
}

static std::vector<GstEvent*> upstream_events() {
  return {
      gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM,
                           gst_structure_new("custom", "value", G_TYPE_INT, 42, nullptr)),
      gst_event_new_reconfigure(),
      gst_event_new_seek(1.5, GST_FORMAT_TIME, GST_SEEK_FLAG_ACCURATE, GST_SEEK_TYPE_SET, 12345,
                         GST_SEEK_TYPE_END, 0),
      gst_event_new_latency(33 * GST_MSECOND),
      gst_event_new_navigation(gst_structure_new(
          "application/x-gst-navigation", "event", G_TYPE_STRING, "mouse-move", "pointer_x",
          G_TYPE_DOUBLE, 7.5, "pointer_y", G_TYPE_DOUBLE, 8.25, nullptr)),
      gst_event_new_qos(GST_QOS_TYPE_THROTTLE, 1.0, -5, 100),
  };
}

static bool equal_structures(GstEvent* left, GstEvent* right) {
  const GstStructure* one = gst_event_get_structure(left);
  const GstStructure* other = gst_event_get_structure(right);
  if (one == nullptr || other == nullptr) return one == other;
  return gst_structure_is_equal(one, other);
}

BACKEND_TEST(upstream_events_go_through) {
  Element element(__i__, layout_of_tests());
  transform(element, check::new_picture(layout_of_tests(), 1));
  while (GstEvent* old = gst_harness_try_pull_upstream_event(element.harness())) {
    gst_event_unref(old);
  }
  for (GstEvent* event : upstream_events()) {
    const Owned<GstEvent> sent(gst_event_ref(event));
    fail_unless(gst_harness_push_upstream_event(element.harness(), event));
    const Owned<GstEvent> got(gst_harness_try_pull_upstream_event(element.harness()));
    fail_unless(got != nullptr, "no %s", GST_EVENT_TYPE_NAME(sent.get()));
    fail_unless_equals_int(GST_EVENT_TYPE(got.get()), GST_EVENT_TYPE(sent.get()));
    fail_unless(gst_event_get_seqnum(got.get()) == gst_event_get_seqnum(sent.get()));
    fail_unless(equal_structures(got.get(), sent.get()), "%s", GST_EVENT_TYPE_NAME(sent.get()));
    transform(element, check::new_picture(layout_of_tests(), 2));
  }
}

BACKEND_TEST(downstream_events_keep_their_place) {
  Element element(__i__);
  fail_if_wrong(check::mixed_stream_difference(element));
}

static void add_crop(GstBuffer* buffer) {
  GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer);
  crop->x = 3;
  crop->y = 4;
  crop->width = 11;
  crop->height = 12;
}

static void add_region(GstBuffer* buffer) {
  GstVideoRegionOfInterestMeta* region =
      gst_buffer_add_video_region_of_interest_meta(buffer, "face", 5, 6, 7, 8);
  region->id = 9;
  region->parent_id = 10;
  gst_video_region_of_interest_meta_add_param(
      region, gst_structure_new("detection", "confidence", G_TYPE_DOUBLE, 0.75, nullptr));
  gst_video_region_of_interest_meta_add_param(
      region, gst_structure_new("tracking", "age", G_TYPE_INT, 17, nullptr));
}

static void check_region(GstBuffer* buffer) {
  GstVideoRegionOfInterestMeta* region = gst_buffer_get_video_region_of_interest_meta_id(buffer, 9);
  fail_unless(region != nullptr && region->parent_id == 10);
  fail_unless_equals_string(g_quark_to_string(region->roi_type), "face");
  fail_unless(region->x == 5 && region->y == 6 && region->w == 7 && region->h == 8);
  gdouble confidence = 0;
  gint age = 0;
  const GstStructure* params = gst_video_region_of_interest_meta_get_param(region, "detection");
  fail_unless(params != nullptr && gst_structure_get_double(params, "confidence", &confidence));
  params = gst_video_region_of_interest_meta_get_param(region, "tracking");
  fail_unless(params != nullptr && gst_structure_get_int(params, "age", &age));
  fail_unless(confidence == 0.75 && age == 17);
}

static void check_reference_timestamp(GstBuffer* buffer, GstCaps* reference) {
  const auto* meta = gst_buffer_get_reference_timestamp_meta(buffer, reference);
  fail_unless(meta != nullptr && meta->timestamp == 1234567 && meta->duration == 89);
}

/// The frame is processed as a whole, and metas about its parts hold for the edges.
BACKEND_TEST(metas_keep_their_numbers) {
  Element element(__i__, layout_of_tests());
  const Owned<GstCaps> reference(gst_caps_new_empty_simple("timestamp/x-test"));
  GstBuffer* picture = check::new_picture(layout_of_tests(), 1);
  add_crop(picture);
  add_region(picture);
  gst_buffer_add_reference_timestamp_meta(picture, reference.get(), 1234567, 89);
  const Owned<GstBuffer> out = transform(element, picture);
  const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(out.get());
  fail_unless(crop != nullptr && crop->x == 3 && crop->y == 4);
  fail_unless(crop->width == 11 && crop->height == 12);
  check_region(out.get());
  check_reference_timestamp(out.get(), reference.get());
  fail_unless_equals_int(gst_buffer_get_n_meta(out.get(), GST_VIDEO_CROP_META_API_TYPE), 1);
}

BACKEND_TEST(times_offsets_and_flags_are_copied) {
  const guint kept = GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_CORRUPTED | GST_BUFFER_FLAG_GAP |
                     GST_BUFFER_FLAG_DELTA_UNIT | GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_RESYNC;
  Element element(__i__, layout_of_tests());
  for (const guint flags : {kept, 0u}) {
    GstBuffer* picture = picture_at(flags % 7);
    GST_BUFFER_DTS(picture) = 12345;
    GST_BUFFER_OFFSET(picture) = 678;
    GST_BUFFER_OFFSET_END(picture) = 679;
    GST_BUFFER_FLAG_SET(picture, flags);
    const Owned<GstBuffer> out = transform(element, picture);
    fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), kStart + flags % 7 * kFrame);
    fail_unless_equals_uint64(GST_BUFFER_DTS(out.get()), 12345);
    fail_unless_equals_uint64(GST_BUFFER_DURATION(out.get()), kFrame);
    fail_unless_equals_uint64(GST_BUFFER_OFFSET(out.get()), 678);
    fail_unless_equals_uint64(GST_BUFFER_OFFSET_END(out.get()), 679);
    fail_unless_equals_int(GST_BUFFER_FLAGS(out.get()) & kept, flags);
  }
}

/// Even if both sides have the same caps and nobody else holds the input.
BACKEND_TEST(input_is_never_passed_through) {
  Element element(__i__, layout_of_tests());
  for (std::uint64_t seed = 0; seed < 4; seed++) {
    GstBuffer* picture = check::new_picture(layout_of_tests(), seed);
    const Owned<GstMemory> memory(gst_buffer_get_memory(picture, 0));
    const gpointer in = picture;
    if (seed % 2 != 0) GST_BUFFER_FLAG_SET(picture, GST_BUFFER_FLAG_GAP);
    const Owned<GstBuffer> kept(seed < 2 ? gst_buffer_ref(picture) : nullptr);
    const Owned<GstBuffer> out = transform(element, picture);
    fail_if(kept != nullptr && out.get() == in);
    fail_if(gst_buffer_peek_memory(out.get(), 0) == memory.get());
    fail_if(gst_base_transform_is_passthrough(GST_BASE_TRANSFORM(element.get())));
  }
}
