// SPDX-License-Identifier: LGPL-2.1-or-later
/// Pushes frames at their times and compares the output.
#include "inflight.h"

using check::Element;
using check::Layout;
using check::Owned;

namespace inflight {

check::Flight flight_of(int loop) {
  const int count = G_N_ELEMENTS(kCounts);
  return {loop / count, kCounts[loop % count]};
}

Layout layout_of_tests() { return check::plain_layout(check::kRgb, 61, 43); }

int repeats() { return check::is_slow() ? 2 : 10; }

GstBuffer* picture_at(GstClockTime time) {
  GstBuffer* picture = check::new_picture(layout_of_tests(), time);
  GST_BUFFER_PTS(picture) = time;
  GST_BUFFER_DURATION(picture) = kFrame;
  return picture;
}

Latency query_latency(Element& element) {
  const Owned<GstQuery> query(gst_query_new_latency());
  fail_unless(gst_pad_peer_query(element.harness()->sinkpad, query.get()));
  Latency latency;
  gst_query_parse_latency(query.get(), &latency.live, &latency.min, &latency.max);
  return latency;
}

void start(Element& element) {
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("frames"));
}

void set_upstream(Element& element, const Latency& latency) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  check::on_query(element.harness()->srcpad, GST_QUERY_LATENCY, [latency](GstQuery* query) {
    gst_query_set_latency(query, latency.live, latency.min, latency.max);
    return GST_PAD_PROBE_HANDLED;
  });
  start(element);
}

void check_outputs(Element& element, const std::vector<GstClockTime>& times,
                   const check::Format& format) {
  const Layout layout = layout_of_tests();
  for (const GstClockTime time : times) {
    const Owned<GstBuffer> out(element.wait());
    fail_unless(out != nullptr, "no frame");
    fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), time);
    const Owned<GstBuffer> in(picture_at(time));
    fail_if_wrong(check::difference(out.get(), format, layout.width, layout.height,
                                    check::reference_edges(in.get(), layout, {})));
  }
}

std::vector<GstClockTime> times_from(GstClockTime first, int count) {
  std::vector<GstClockTime> times;
  for (int i = 0; i < count; i++) times.push_back(first + GstClockTime(i) * kFrame);
  return times;
}

void push_all(Element& element, const std::vector<GstClockTime>& times) {
  for (const GstClockTime time : times) {
    fail_unless_equals_int(element.push(picture_at(time)), GST_FLOW_OK);
  }
}

void push_and_check(Element& element, const std::vector<GstClockTime>& times) {
  push_all(element, times);
  check_outputs(element, times);
}

void start_with_three_frames(Element& element) {
  set_upstream(element, kNotLive);
  element.send_caps(layout_of_tests());
  push_and_check(element, times_from(0, 3));
}

}  // namespace inflight
