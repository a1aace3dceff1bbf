// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests every pair of events at the same time, with frames in flight. The sanitizers see errors
/// that frames do not show.
#include "races.h"

#include <atomic>
#include <thread>

using check::Element;
using check::Layout;
using check::Owned;
using check::RaceStream;

static check::Suite suite("races");

namespace {

constexpr GstClockTime kFrame = GST_SECOND / 30;
constexpr int kFramesAfter = 4;

void send_start(Element& element, const RaceStream& stream, int caps) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("race"));
  const Owned<GstCaps> sent(stream.caps(caps));
  gst_harness_push_event(element.harness(), gst_event_new_caps(sent.get()));
  gst_harness_push_event(element.harness(), gst_event_new_segment(&segment));
}

void push(Element& element, const RaceStream& stream) {
  send_start(element, stream, 0);
  for (int i = 0; i < 3; i++) element.push(stream.buffer(GstClockTime(i) * kFrame));
}

void change_caps(Element& element, const RaceStream& stream) {
  for (const int caps : {1, 0}) {
    const Owned<GstCaps> sent(stream.caps(caps));
    gst_harness_push_event(element.harness(), gst_event_new_caps(sent.get()));
    element.push(stream.buffer(0));
  }
}

void end(Element& element, const RaceStream& stream) {
  gst_harness_push_event(element.harness(), gst_event_new_eos());
  send_start(element, stream, 0);
}

void flush(Element& element, const RaceStream&) {
  gst_harness_push_event(element.harness(), gst_event_new_flush_start());
  gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE));
}

/// Begins a flush. The next flush ends it, unless the element is restarted before.
void begin_flush(Element& element, const RaceStream&) {
  gst_harness_push_event(element.harness(), gst_event_new_flush_start());
}

void end_flush(Element& element, const RaceStream&) {
  gst_harness_push_event(element.harness(), gst_event_new_flush_stop(FALSE));
}

/// In GStreamer two threads must not change the activation of a pad: the deactivating thread would
/// wait for the task that the other one starts. State changes hold this lock too.
void restart_source_pad(Element& element, const RaceStream&) {
  const Owned<GstPad> src(gst_element_get_static_pad(element.get(), "src"));
  GST_STATE_LOCK(element.get());
  gst_pad_set_active(src.get(), FALSE);
  gst_pad_set_active(src.get(), TRUE);
  GST_STATE_UNLOCK(element.get());
}

/// Stops while upstream continues. At the start upstream has to wait, since GstBaseTransform
/// initializes itself without a lock.
void restart(Element& element, const RaceStream&) {
  const Owned<GstPad> sink(gst_element_get_static_pad(element.get(), "sink"));
  gst_element_set_state(element.get(), GST_STATE_READY);
  GST_STATE_LOCK(element.get());
  GST_PAD_STREAM_LOCK(sink.get());
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
  GST_PAD_STREAM_UNLOCK(sink.get());
  GST_STATE_UNLOCK(element.get());
}

void ask(Element& element, const RaceStream& stream) {
  g_object_set(element.get(), "sigma", 2.0, "sigma", 1.4, nullptr);
  check::stats_number(element.get(), "frames");
  const Owned<GstQuery> latency(gst_query_new_latency());
  gst_pad_peer_query(element.harness()->sinkpad, latency.get());
  const Owned<GstCaps> caps(stream.caps(0));
  const Owned<GstQuery> allocation(gst_query_new_allocation(caps.get(), TRUE));
  gst_pad_peer_query(element.harness()->srcpad, allocation.get());
  GstStructure* note = gst_structure_new_empty("note");
  gst_harness_push_event(element.harness(),
                         gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, note));
}

struct Event {
  const char* name;
  void (*happen)(Element&, const RaceStream&);
};

const Event kEvents[] = {
    {"push", push},
    {"caps", change_caps},
    {"end of the stream", end},
    {"flush", flush},
    {"begin of a flush", begin_flush},
    {"end of a flush", end_flush},
    {"source pad", restart_source_pad},
    {"READY and PLAYING", restart},
    {"property, queries and an event out of band", ask},
};

/// GStreamer warns of frames and segments if a flush or a stop has just removed the events that
/// must precede them.
void allow_broken_order() {
  GRegex* regex = g_regex_new("Got data flow before|Sticky event misordering",
                              GRegexCompileFlags(0), GRegexMatchFlags(0), nullptr);
  gst_check_add_log_filter(
      "GStreamer", G_LOG_LEVEL_WARNING, regex,
      [](const gchar*, GLogLevelFlags, const gchar*, gpointer) -> gboolean { return TRUE; },
      nullptr, nullptr);
}

void drop_outputs(Element& element) {
  while (const Owned<GstBuffer> out{element.pull()}) continue;
}

void race(Element& element, const RaceStream& stream, const Event& a, const Event& b) {
  std::atomic<int> left{2};
  const auto repeat = [&](const Event& event) {
    for (int i = 0; i < stream.rounds; i++) event.happen(element, stream);
    --left;
  };
  std::thread first(repeat, a);
  std::thread second(repeat, b);
  while (left > 0) {
    push(element, stream);
    drop_outputs(element);  // each caps event creates a pool, with file descriptors
  }
  first.join();
  second.join();
}

/// Neighbors forget a flush at a start too.
void restart_neighbors(Element& element) {
  for (GstPad* pad : {element.harness()->sinkpad, element.harness()->srcpad}) {
    gst_pad_set_active(pad, FALSE);
    gst_pad_set_active(pad, TRUE);
  }
}

void start_anew(Element& element, const RaceStream& stream) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  restart_neighbors(element);
  drop_outputs(element);
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
  send_start(element, stream, 0);
  for (int i = 0; i < kFramesAfter; i++) {
    const GstFlowReturn flow = element.push(stream.buffer(GstClockTime(i) * kFrame));
    fail_unless(flow == GST_FLOW_OK, "push gave %s", gst_flow_get_name(flow));
  }
  stream.judge(element, kFramesAfter);
}

}  // namespace

void check::race_all_pairs(Element& element, const RaceStream& stream) {
  allow_broken_order();
  int pairs = 0;
  for (const Event& a : kEvents) {
    for (const Event* b = &a; b != std::end(kEvents); b++) {
      if (pairs++ % (is_slow() ? 3 : 1) != 0) continue;
      GST_INFO("%s and %s", a.name, b->name);
      race(element, stream, a, *b);
      const Told told = told_by(element.pop(GST_MESSAGE_ERROR));
      fail_unless(told.domain == 0, "%s and %s: %s", a.name, b->name, told.details.c_str());
      start_anew(element, stream);
    }
  }
  gst_check_clear_log_filter();
}

static Layout layout_of_caps(int caps) {
  return caps == 0 ? check::plain_layout(check::kRgb, 61, 43)
                   : check::plain_layout(check::kRgb, 45, 31);
}

static GstBuffer* new_buffer(GstClockTime time) {
  GstBuffer* picture = check::new_picture(layout_of_caps(0), time);
  GST_BUFFER_PTS(picture) = time;
  GST_BUFFER_DURATION(picture) = kFrame;
  return picture;
}

static GstCaps* new_caps(int caps) {
  const Layout layout = layout_of_caps(caps);
  return check::new_caps(*layout.format, layout.width, layout.height);
}

static void judge(Element& element, int frames) {
  const Layout layout = layout_of_caps(0);
  for (int i = 0; i < frames; i++) {
    const Owned<GstBuffer> in(new_buffer(GstClockTime(i) * kFrame));
    const Owned<GstBuffer> out(element.wait());
    const std::string differs =
        check::difference(out.get(), layout, check::reference_edges(in.get(), layout, {}));
    fail_unless(differs.empty(), "frame %d: %s", i, differs.c_str());
  }
}

FLIGHT_TEST(two_things_at_a_time) {
  Element element(flight.backend, flight.frames);
  check::race_all_pairs(element, {new_caps, new_buffer, judge});
}

/// A flush that READY cuts off is over at the next start.
FLIGHT_TEST(a_flush_cut_off_by_a_stop) {
  Element element(flight.backend, flight.frames);
  const RaceStream stream = {new_caps, new_buffer, judge};
  for (const bool with_frames : {false, true, true}) {
    if (with_frames) push(element, stream);
    gst_harness_push_event(element.harness(), gst_event_new_flush_start());
    start_anew(element, stream);
  }
}

/// A stop of the source pad waits for the task, which is finishing a frame, while flushes come.
static void flush_while_stopping(Element& element, const RaceStream& stream, GstPad* src) {
  std::atomic<bool> is_stopped{false};
  std::thread stop([&] {
    gst_pad_set_active(src, FALSE);
    is_stopped = true;
  });
  while (gst_pad_is_active(src)) std::this_thread::yield();
  while (!is_stopped) flush(element, stream);
  stop.join();
  gst_pad_set_active(src, TRUE);
}

/// Frames large enough that the task is finishing one when the stop begins.
static GstCaps* new_large_caps() { return check::new_caps(check::kRgb, 1280, 720); }

static GstBuffer* new_large_buffer(GstClockTime time) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 1280 * 720 * 3, nullptr);
  gst_buffer_memset(buffer, 0, 0x80, 1280 * 720 * 3);
  GST_BUFFER_PTS(buffer) = time;
  return buffer;
}

FLIGHT_TEST(flushes_while_the_source_pad_stops) {
  Element element(flight.backend, flight.frames);
  const RaceStream large = {[](int) { return new_large_caps(); }, new_large_buffer, nullptr};
  const Owned<GstPad> src(gst_element_get_static_pad(element.get(), "src"));
  for (int i = 0; i < (check::is_slow() ? 3 : 10); i++) {
    push(element, large);
    flush_while_stopping(element, large, src.get());
    drop_outputs(element);
  }
  start_anew(element, {new_caps, new_buffer, judge});
}
