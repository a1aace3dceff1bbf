// SPDX-License-Identifier: LGPL-2.1-or-later
/// Frames in flight: order, events, flushes, states, latency and flow with several at a time.
#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "fixture.h"

using canny::Params;
using check::Element;
using check::Layout;
using check::Owned;
using check::Pipeline;
using check::Watch;

static constexpr GstClockTime kFrame = GST_SECOND / 30;
static const int kCounts[] = {0, 1, 2, 3, 8};

/// Tests run once for each backend and each of kCounts.
struct Case {
  int backend;
  int frames;  ///< "frames-in-flight"
};

static Case case_of(int loop) {
  const int count = G_N_ELEMENTS(kCounts);
  return {loop / count, kCounts[loop % count]};
}

#define add_count_test(tcase, test) \
  tcase_add_loop_test(tcase, test, 0, check::kBackends* G_N_ELEMENTS(kCounts))

static Layout layout_of_tests() { return check::plain_layout(check::kRgb, 61, 43); }

static int repeats() { return check::is_slow() ? 2 : 10; }

static GstBuffer* picture_at(GstClockTime time) {
  GstBuffer* picture = check::new_picture(layout_of_tests(), time);
  GST_BUFFER_PTS(picture) = time;
  GST_BUFFER_DURATION(picture) = kFrame;
  return picture;
}

/// What upstream answers to a latency query.
struct Latency {
  gboolean live;
  GstClockTime min;
  GstClockTime max;
};

static const Latency kNotLive = {FALSE, 0, GST_CLOCK_TIME_NONE};
static const Latency kLive = {TRUE, 10 * GST_MSECOND, 500 * GST_MSECOND};

static GstPadProbeReturn answer_latency(GstPad*, GstPadProbeInfo* info, gpointer data) {
  GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_LATENCY) return GST_PAD_PROBE_OK;
  const auto* latency = static_cast<const Latency*>(data);
  gst_query_set_latency(query, latency->live, latency->min, latency->max);
  return GST_PAD_PROBE_HANDLED;
}

static void start(Element& element) {
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("frames"));
}

static void send_segment(Element& element) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  element.send_segment(segment);
}

/// Makes upstream answer so, from the start on.
static void set_upstream(Element& element, const Latency& latency) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  gst_pad_add_probe(element.harness()->srcpad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, answer_latency,
                    const_cast<Latency*>(&latency), nullptr);
  start(element);
}

/// Pulls and compares frame after frame.
static void check_outputs(Element& element, const std::vector<GstClockTime>& times) {
  const Layout layout = layout_of_tests();
  const Owned<GstCaps> caps(check::new_caps(*layout.format, layout.width, layout.height));
  for (const GstClockTime time : times) {
    const Owned<GstBuffer> out(element.wait());
    fail_unless(out != nullptr, "no frame");
    fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), time);
    const Owned<GstBuffer> in(picture_at(time));
    const std::string differs =
        check::edge_difference(in.get(), caps.get(), out.get(), caps.get(), Params());
    fail_unless(differs.empty(), "%s", differs.c_str());
  }
}

/// The times of `count` frames, the first at `first`.
static std::vector<GstClockTime> times_from(GstClockTime first, int count) {
  std::vector<GstClockTime> times;
  for (int i = 0; i < count; i++) times.push_back(first + GstClockTime(i) * kFrame);
  return times;
}

static void push_all(Element& element, const std::vector<GstClockTime>& times) {
  for (const GstClockTime time : times) {
    fail_unless_equals_int(element.push(picture_at(time)), GST_FLOW_OK);
  }
}

static void start_with_three_frames(Element& element) {
  set_upstream(element, kNotLive);
  element.send_caps(layout_of_tests());
  push_all(element, times_from(0, 3));
  check_outputs(element, times_from(0, 3));
}

/// Each frame comes without another one, an event or the end of the stream after it.
GST_START_TEST(one_frame_at_a_time) {
  const Case test = case_of(__i__);
  if (check::skip("one_frame_at_a_time", test.backend)) return;
  for (const Latency* upstream : {&kNotLive, &kLive}) {
    Element element(test.backend, test.frames);
    set_upstream(element, *upstream);
    element.send_caps(layout_of_tests());
    for (GstClockTime time = 0; time < 4 * kFrame; time += kFrame) {
      push_all(element, {time});
      check_outputs(element, {time});
    }
    fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 4);
  }
}
GST_END_TEST

/// As GStreamer's own tests of filters want it: downstream has a frame, and the caps before it,
/// when its push returns.
GST_START_TEST(one_in_flight_is_a_plain_filter) {
  if (check::skip("one_in_flight_is_a_plain_filter", __i__)) return;
  Element element(__i__, 1);
  set_upstream(element, kNotLive);
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
GST_END_TEST

GST_START_TEST(fifty_frames_in_order) {
  const Case test = case_of(__i__);
  if (check::skip("fifty_frames_in_order", test.backend)) return;
  const Layout layout = layout_of_tests();
  Element element(test.backend, test.frames);
  set_upstream(element, kNotLive);
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
  const std::string differs = watch.difference();
  fail_unless(differs.empty(), "%s", differs.c_str());
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 50);
}
GST_END_TEST

GST_START_TEST(events_keep_their_place) {
  const Case test = case_of(__i__);
  if (check::skip("events_keep_their_place", test.backend)) return;
  for (int i = 0; i < repeats(); i++) {
    Element element(test.backend, test.frames);
    set_upstream(element, kNotLive);
    const std::string differs = check::mixed_stream_difference(element);
    fail_unless(differs.empty(), "%s", differs.c_str());
  }
}
GST_END_TEST

/// Settings change from frame to frame, while others are in flight.
GST_START_TEST(settings_of_the_time_of_the_push) {
  const Case test = case_of(__i__);
  if (check::skip("settings_of_the_time_of_the_push", test.backend)) return;
  const Layout layout = layout_of_tests();
  const Owned<GstCaps> caps(check::new_caps(*layout.format, layout.width, layout.height));
  Element element(test.backend, test.frames);
  set_upstream(element, kNotLive);
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
    fail_unless(out != nullptr);
    const std::string differs =
        check::edge_difference(picture.get(), caps.get(), out.get(), caps.get(), then);
    fail_unless(differs.empty(), "%s", differs.c_str());
  }
}
GST_END_TEST

// A downstream that does not take the next frame.

class Block {
 public:
  explicit Block(GstPad* pad) : pad_(pad) {
    probe_ = gst_pad_add_probe(pad, kTypes, hold, this, nullptr);
  }
  ~Block() { release(); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void release() {
    if (probe_ != 0) gst_pad_remove_probe(pad_, probe_);
    probe_ = 0;
  }

  /// Waits for a frame that is held, and a moment for those behind it.
  bool wait() {
    if (held_.get_future().wait_for(std::chrono::seconds(60)) != std::future_status::ready) {
      return false;
    }
    g_usleep(20000);
    return true;
  }

 private:
  static constexpr auto kTypes =
      GstPadProbeType(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER);

  static GstPadProbeReturn hold(GstPad*, GstPadProbeInfo*, gpointer data) {
    auto* block = static_cast<Block*>(data);
    if (!block->is_held_.exchange(true)) block->held_.set_value();
    return GST_PAD_PROBE_OK;
  }

  GstPad* pad_;
  gulong probe_;
  std::atomic<bool> is_held_{false};
  std::promise<void> held_;
};

/// Pushes frames from a thread of its own until the element refuses one.
class Pusher {
 public:
  Pusher(Element& element, GstClockTime first) {
    thread_ = std::thread([&element, first, this] {
      for (int i = 0; i < 100 && flow_ == GST_FLOW_OK; i++) {
        flow_ = element.push(picture_at(first + GstClockTime(i) * kFrame));
      }
    });
  }

  GstFlowReturn join() {
    thread_.join();
    return flow_;
  }

 private:
  GstFlowReturn flow_ = GST_FLOW_OK;
  std::thread thread_;
};

/// Flushes while frames are in flight and downstream holds one of them: only later ones follow.
static std::string flush(Element& element, const Watch& watch, GstClockTime time) {
  Block block(element.harness()->sinkpad);
  Pusher pusher(element, time);
  const bool held = block.wait();
  gst_harness_push_event(element.harness(), gst_event_new_flush_start());
  const GstFlowReturn flow = pusher.join();
  block.release();
  gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE));
  if (!held) return "no frame came out";
  if (flow != GST_FLOW_FLUSHING) return std::string("push gave ") + gst_flow_get_name(flow);
  send_segment(element);
  const std::vector<GstClockTime> times = times_from(time + 1000 * kFrame, 5);
  const std::size_t before = watch.frames();
  push_all(element, times);
  if (!watch.wait_for_frames(before + times.size())) return "frames after the flush are missing";
  return watch.times_since_flush() == times ? "" : "frames from before the flush come after it";
}

GST_START_TEST(flushes_with_frames_in_flight) {
  const Case test = case_of(__i__);
  if (check::skip("flushes_with_frames_in_flight", test.backend)) return;
  Element element(test.backend, test.frames);
  gst_harness_set_drop_buffers(element.harness(), TRUE);
  set_upstream(element, kNotLive);
  Watch watch(element.get());
  element.send_caps(layout_of_tests());
  std::string problem;
  for (int i = 0; i < repeats() && problem.empty(); i++) {
    problem = flush(element, watch, GstClockTime(i) * 10000 * kFrame);
  }
  fail_unless(problem.empty(), "%s", problem.c_str());
  problem = watch.difference();
  fail_unless(problem.empty(), "%s", problem.c_str());
}
GST_END_TEST

static std::string stop(Element& element) {
  GstPad* src = gst_element_get_static_pad(element.get(), "src");
  Block block(src);
  Pusher pusher(element, 0);
  const bool held = block.wait();
  const gint64 begin = g_get_monotonic_time();
  const GstStateChangeReturn change = gst_element_set_state(element.get(), GST_STATE_READY);
  const gint64 end = g_get_monotonic_time();
  const GstFlowReturn flow = pusher.join();
  block.release();
  gst_object_unref(src);
  if (!held) return "no frame came out";
  if (change != GST_STATE_CHANGE_SUCCESS) return "no change to READY";
  if (end - begin > 10 * G_USEC_PER_SEC) return "READY takes more than 10 s";
  return flow == GST_FLOW_FLUSHING ? "" : std::string("push gave ") + gst_flow_get_name(flow);
}

GST_START_TEST(stops_with_frames_in_flight) {
  const Case test = case_of(__i__);
  if (check::skip("stops_with_frames_in_flight", test.backend)) return;
  Element element(test.backend, test.frames);
  set_upstream(element, kNotLive);
  for (int i = 0; i < repeats(); i++) {
    element.send_caps(layout_of_tests());
    send_segment(element);
    const std::string problem = stop(element);
    fail_unless(problem.empty(), "%s", problem.c_str());
    start(element);
    element.send_caps(layout_of_tests());
    send_segment(element);
    push_all(element, times_from(0, 5));
    check_outputs(element, times_from(0, 5));
    gst_element_set_state(element.get(), GST_STATE_READY);
    start(element);
  }
}
GST_END_TEST

/// A downstream that is in the middle of the first frame until it is let go, whatever comes after
/// it, and that keeps the buffer.
class Busy {
 public:
  explicit Busy(GstPad* pad) : pad_(pad) {
    probe_ = gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, hold, this, nullptr);
  }
  ~Busy() {
    gst_pad_remove_probe(pad_, probe_);
    gst_clear_buffer(&kept_);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

  /// Waits for the frame, and a moment for those behind it.
  bool wait() {
    if (!is_ready(came_.get_future())) return false;
    g_usleep(20000);
    return true;
  }
  void let_go() { left_.set_value(); }
  void release_buffer() { gst_clear_buffer(&kept_); }

  /// Whether what must not wait for this downstream is done.
  static bool is_ready(const std::future<void>& done) {
    return done.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  }

 private:
  static GstPadProbeReturn hold(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto* busy = static_cast<Busy*>(data);
    if (busy->has_come_.exchange(true)) return GST_PAD_PROBE_OK;
    busy->kept_ = gst_buffer_ref(GST_PAD_PROBE_INFO_BUFFER(info));
    busy->came_.set_value();
    busy->left_.get_future().wait();
    return GST_PAD_PROBE_DROP;
  }

  GstPad* pad_;
  gulong probe_;
  std::atomic<bool> has_come_{false};
  GstBuffer* kept_ = nullptr;
  std::promise<void> came_, left_;
};

/// The thread that flushes may be the one that downstream waits for.
GST_START_TEST(a_flush_does_not_wait_for_downstream) {
  const Case test = case_of(__i__);
  if (check::skip("a_flush_does_not_wait_for_downstream", test.backend)) return;
  Element element(test.backend, test.frames);
  set_upstream(element, kNotLive);
  element.send_caps(layout_of_tests());
  Busy busy(element.harness()->sinkpad);
  Pusher pusher(element, 0);
  const bool came = busy.wait();
  const std::future<void> begun = std::async(std::launch::async, [&] {
    gst_harness_push_event(element.harness(), gst_event_new_flush_start());
  });
  const bool is_begun = Busy::is_ready(begun);
  busy.let_go();
  const GstFlowReturn flow = pusher.join();
  begun.wait();
  gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE));
  fail_unless(came, "no frame came out");
  fail_unless(is_begun, "FLUSH_START waits");
  fail_unless_equals_int(flow, GST_FLOW_FLUSHING);
  send_segment(element);
  push_all(element, times_from(1000 * kFrame, 4));
  check_outputs(element, times_from(1000 * kFrame, 4));
}
GST_END_TEST

static std::string preroll_line(const Case& test) {
  return std::string(
             "videotestsrc pattern=zone-plate kx2=20 ky2=20 kt=3 ! "
             "video/x-raw,format=RGB,width=61,height=43,framerate=200/1 ! cudacanny name=canny "
             "backend=") +
         check::backend_name(test.backend) + " frames-in-flight=" + std::to_string(test.frames) +
         " ! fakesink sync=true";
}

/// A sink that waits for PLAYING holds the first frame.
GST_START_TEST(stops_in_preroll) {
  const Case test = case_of(__i__);
  if (check::skip("stops_in_preroll", test.backend)) return;
  std::string problem;
  {
    Pipeline pipeline(preroll_line(test));
    const Watch watch(pipeline["canny"]);
    for (int i = 0; i < repeats() && problem.empty(); i++) {
      if (!pipeline.reach(GST_STATE_PAUSED)) problem = "no preroll";
      if (!pipeline.reach(i % 2 != 0 ? GST_STATE_READY : GST_STATE_NULL)) problem = "no stop";
    }
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    if (!watch.wait_for_frames(watch.frames() + 10)) problem = "no frames after the stops";
    if (!pipeline.reach(GST_STATE_NULL)) problem = "no stop in PLAYING";
    if (problem.empty()) problem = watch.difference();
  }
  fail_unless(problem.empty(), "%s", problem.c_str());
}
GST_END_TEST

static Latency query_latency(Element& element) {
  const Owned<GstQuery> query(gst_query_new_latency());
  fail_unless(gst_pad_peer_query(element.harness()->sinkpad, query.get()));
  Latency latency;
  gst_query_parse_latency(query.get(), &latency.live, &latency.min, &latency.max);
  return latency;
}

/// What `frames` in flight add. The frame that is being processed is not latency.
static GstClockTime added_latency(int frames, bool live, int numerator, int denominator) {
  const bool known = numerator != 0;
  const int taken = frames != 0 ? frames : live || !known ? 1 : 3;
  if (!known) return 0;
  return gst_util_uint64_scale(guint64(taken - 1) * GST_SECOND, guint64(denominator),
                               guint64(numerator));
}

/// Equal but for the rounding of a frame's duration.
static void fail_unless_near(GstClockTime got, GstClockTime want, const char* what) {
  const GstClockTimeDiff off = GST_CLOCK_DIFF(want, got);
  fail_unless(ABS(off) <= 8, "%s is %" GST_TIME_FORMAT ", expected %" GST_TIME_FORMAT, what,
              GST_TIME_ARGS(got), GST_TIME_ARGS(want));
}

/// Sends caps of this framerate and a frame; the latency is as expected, and told if it changed.
static void check_latency(Element& element, const Latency& upstream, GstClockTime* added,
                          int frames, int numerator, int denominator) {
  const GstClockTime before = *added;
  *added = added_latency(frames, upstream.live, numerator, denominator);
  GstCaps* caps = check::new_caps(check::kRgb, 61, 43);
  gst_caps_set_simple(caps, "framerate", GST_TYPE_FRACTION, numerator, denominator, nullptr);
  element.send_caps(caps);
  push_all(element, {0});
  check_outputs(element, {0});
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

GST_START_TEST(latency_of_the_frames_in_flight) {
  const Case test = case_of(__i__);
  if (check::skip("latency_of_the_frames_in_flight", test.backend)) return;
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
  }
}
GST_END_TEST

// A downstream that refuses frames.

struct Refusal {
  GstFlowReturn flow;
  std::atomic<int> frames;  ///< to be refused from now on
};

static GstPadProbeReturn refuse(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto* refusal = static_cast<Refusal*>(data);
  if (refusal->frames == 0) return GST_PAD_PROBE_OK;
  refusal->frames--;
  gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_FLOW_RETURN(info) = refusal->flow;
  return GST_PAD_PROBE_HANDLED;
}

/// Pushes frames until `wanted` or anything but GST_FLOW_OK comes back, which must not take long.
static GstFlowReturn push_until(Element& element, GstFlowReturn wanted, GstClockTime time) {
  GstFlowReturn flow = GST_FLOW_OK;
  for (int i = 0; i < 500; i++, time += kFrame) {
    flow = element.push(picture_at(time));
    if (flow == wanted || (wanted != GST_FLOW_OK && flow != GST_FLOW_OK)) break;
    g_usleep(1000);
  }
  return flow;
}

GST_START_TEST(refusals_reach_upstream) {
  const Case test = case_of(__i__);
  if (check::skip("refusals_reach_upstream", test.backend)) return;
  for (const GstFlowReturn flow : {GST_FLOW_ERROR, GST_FLOW_EOS, GST_FLOW_NOT_LINKED,
                                   GST_FLOW_NOT_NEGOTIATED, GST_FLOW_CUSTOM_ERROR}) {
    Refusal refusal{flow, {0}};
    Element element(test.backend, test.frames);
    set_upstream(element, kNotLive);
    gst_pad_add_probe(element.harness()->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, refuse, &refusal,
                      nullptr);
    element.send_caps(layout_of_tests());
    push_all(element, times_from(0, 3));
    check_outputs(element, times_from(0, 3));
    refusal.frames = G_MAXINT;
    fail_unless_equals_int(push_until(element, flow, 3 * kFrame), flow);
  }
}
GST_END_TEST

/// The frames from `time` on go through, whatever is left before them.
static void check_flow(Element& element, GstClockTime time) {
  push_all(element, times_from(time, 4));
  for (;;) {
    const Owned<GstBuffer> out(element.wait());
    fail_unless(out != nullptr, "the frame does not come");
    if (GST_BUFFER_PTS(out.get()) == time) break;
  }
  check_outputs(element, times_from(time + kFrame, 3));
}

GST_START_TEST(a_refusal_that_ends) {
  const Case test = case_of(__i__);
  if (check::skip("a_refusal_that_ends", test.backend)) return;
  Refusal refusal{GST_FLOW_NOT_LINKED, {1}};
  Element element(test.backend, test.frames);
  set_upstream(element, kNotLive);
  gst_pad_add_probe(element.harness()->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, refuse, &refusal,
                    nullptr);
  element.send_caps(layout_of_tests());
  fail_unless_equals_int(push_until(element, GST_FLOW_NOT_LINKED, 0), GST_FLOW_NOT_LINKED);
  check_flow(element, 1000 * kFrame);
}
GST_END_TEST

GST_START_TEST(a_link_that_comes_back) {
  const Case test = case_of(__i__);
  if (check::skip("a_link_that_comes_back", test.backend)) return;
  Element element(test.backend, test.frames);
  start_with_three_frames(element);
  GstPad* src = gst_pad_get_peer(element.harness()->sinkpad);
  for (GstClockTime time = 1000 * kFrame; time < 4000 * kFrame; time += 1000 * kFrame) {
    fail_unless(gst_pad_unlink(src, element.harness()->sinkpad));
    fail_unless_equals_int(push_until(element, GST_FLOW_NOT_LINKED, time), GST_FLOW_NOT_LINKED);
    fail_unless_equals_int(gst_pad_link(src, element.harness()->sinkpad), GST_PAD_LINK_OK);
    fail_unless_equals_int(push_until(element, GST_FLOW_OK, time), GST_FLOW_OK);
    check_flow(element, time + 600 * kFrame);
  }
  gst_object_unref(src);
}
GST_END_TEST

GST_START_TEST(a_broken_frame_among_whole_ones) {
  const Case test = case_of(__i__);
  if (check::skip("a_broken_frame_among_whole_ones", test.backend)) return;
  Element element(test.backend, test.frames);
  set_upstream(element, kNotLive);
  element.send_caps(layout_of_tests());
  push_all(element, times_from(0, 3));
  GstBuffer* broken = picture_at(3 * kFrame);
  gst_buffer_set_size(broken, gssize(gst_buffer_get_size(broken) / 2));
  GstFlowReturn flow = element.push(broken);
  if (flow == GST_FLOW_OK) flow = push_until(element, GST_FLOW_ERROR, 4 * kFrame);
  fail_unless_equals_int(flow, GST_FLOW_ERROR);
  const Owned<GstMessage> message(element.wait(GST_MESSAGE_ERROR));
  fail_unless(message != nullptr, "no error message");
  fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr, "two error messages");
  check_outputs(element, times_from(0, 3));
}
GST_END_TEST

static GstPadProbeReturn offer_buffers(GstPad*, GstPadProbeInfo* info, gpointer count) {
  GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  GstBufferPool* pool = gst_video_buffer_pool_new();
  gst_query_add_allocation_pool(query, pool, guint(layout_of_tests().size), 1,
                                GPOINTER_TO_UINT(count));
  gst_object_unref(pool);
  return GST_PAD_PROBE_HANDLED;
}

static void set_pool_size(Element& element, guint count) {
  gst_pad_add_probe(element.harness()->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, offer_buffers,
                    GUINT_TO_POINTER(count), nullptr);
}

/// Downstream's pool may have fewer buffers than there are frames in flight.
GST_START_TEST(a_pool_of_one_buffer) {
  const Case test = case_of(__i__);
  if (check::skip("a_pool_of_one_buffer", test.backend)) return;
  Element element(test.backend, test.frames);
  gst_harness_set_drop_buffers(element.harness(), TRUE);
  set_pool_size(element, 1);
  set_upstream(element, kNotLive);
  Watch watch(element.get());
  element.send_caps(layout_of_tests());
  push_all(element, times_from(0, 20));
  fail_unless(watch.wait_for_frames(20), "%d frames", int(watch.frames()));
  const std::string differs = watch.difference();
  fail_unless(differs.empty(), "%s", differs.c_str());
}
GST_END_TEST

/// The pool has two buffers: downstream keeps one of them, the other one is in flight, and the
/// streaming thread waits for a third.
GST_START_TEST(a_stop_with_no_buffer_left) {
  const Case test = case_of(__i__);
  if (check::skip("a_stop_with_no_buffer_left", test.backend)) return;
  Element element(test.backend, test.frames);
  gst_harness_set_drop_buffers(element.harness(), TRUE);
  set_pool_size(element, 2);
  set_upstream(element, kNotLive);
  element.send_caps(layout_of_tests());
  GstPad* src = gst_pad_get_peer(element.harness()->sinkpad);
  Busy busy(src);
  Pusher pusher(element, 0);
  const bool came = busy.wait();
  const std::future<void> stopped = std::async(
      std::launch::async, [&] { gst_element_set_state(element.get(), GST_STATE_READY); });
  while (came && gst_pad_is_active(src)) g_usleep(1000);
  g_usleep(20000);
  busy.let_go();
  const bool is_stopped = Busy::is_ready(stopped);
  busy.release_buffer();
  stopped.wait();
  pusher.join();
  gst_object_unref(src);
  fail_unless(came, "no frame came out");
  fail_unless(is_stopped, "READY waits for a buffer");
}
GST_END_TEST

/// What one segment ended with is not said of the next one.
GST_START_TEST(a_refusal_of_the_segment_before) {
  const Case test = case_of(__i__);
  if (check::skip("a_refusal_of_the_segment_before", test.backend)) return;
  Refusal refusal{GST_FLOW_EOS, {0}};
  Element element(test.backend, test.frames);
  set_upstream(element, kNotLive);
  gst_pad_add_probe(element.harness()->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, refuse, &refusal,
                    nullptr);
  element.send_caps(layout_of_tests());
  push_all(element, {0});
  check_outputs(element, {0});
  refusal.frames = 1;
  element.push(picture_at(kFrame));
  send_segment(element);
  fail_unless_equals_int(refusal.frames, 0);
  push_all(element, times_from(2 * kFrame, 4));
  check_outputs(element, times_from(2 * kFrame, 4));
}
GST_END_TEST

/// Seeks upstream, which flushes, in the thread that pushes, every tenth frame.
static GstPadProbeReturn seek_now_and_then(GstPad* pad, GstPadProbeInfo*, gpointer data) {
  auto* frames = static_cast<std::atomic<int>*>(data);
  if (++*frames % 10 != 0 || *frames > 50) return GST_PAD_PROBE_OK;
  GstElement* element = gst_pad_get_parent_element(pad);
  GstPad* sink = gst_element_get_static_pad(element, "sink");
  gst_pad_push_event(sink, gst_event_new_seek(1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                                              GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
  gst_object_unref(sink);
  gst_object_unref(element);
  return GST_PAD_PROBE_DROP;  // the frame is of the time before
}

GST_START_TEST(flushes_by_the_thread_that_pushes) {
  const Case test = case_of(__i__);
  if (check::skip("flushes_by_the_thread_that_pushes", test.backend)) return;
  std::atomic<int> frames{0};
  Pipeline pipeline(
      "videotestsrc num-buffers=150 ! video/x-raw,format=RGB,width=64,height=48,framerate=30/1 ! "
      "cudacanny name=canny backend=" +
      std::string(check::backend_name(test.backend)) +
      " frames-in-flight=" + std::to_string(test.frames) + " ! fakesink sync=false async=false");
  GstPad* src = gst_element_get_static_pad(pipeline["canny"], "src");
  gst_pad_add_probe(src, GST_PAD_PROBE_TYPE_BUFFER, seek_now_and_then, &frames, nullptr);
  gst_object_unref(src);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const std::string end = pipeline.wait_for_end();
  fail_unless(end.empty(), "%s", end.c_str());
  fail_unless(frames > 100, "only %d frames", frames.load());
}
GST_END_TEST

/// Only the source pad goes off and on; a flush ends meanwhile.
GST_START_TEST(a_source_pad_that_comes_back) {
  const Case test = case_of(__i__);
  if (check::skip("a_source_pad_that_comes_back", test.backend)) return;
  Element element(test.backend, test.frames);
  start_with_three_frames(element);
  GstPad* src = gst_pad_get_peer(element.harness()->sinkpad);
  gst_pad_set_active(src, FALSE);
  gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE));
  fail_unless(gst_pad_get_task_state(src) == GST_TASK_STOPPED);
  gst_pad_set_active(src, TRUE);
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("again"));
  element.send_caps(layout_of_tests());
  send_segment(element);
  push_all(element, times_from(3 * kFrame, 8));
  check_outputs(element, times_from(3 * kFrame, 8));
  gst_object_unref(src);
}
GST_END_TEST

Suite* inflight_suite() {
  Suite* suite = suite_create("inflight");
  TCase* tcase = tcase_create("inflight");
  suite_add_tcase(suite, tcase);
  tcase_add_checked_fixture(tcase, nullptr, check::stop_leftovers);
  add_count_test(tcase, one_frame_at_a_time);
  add_backend_test(tcase, one_in_flight_is_a_plain_filter);
  add_count_test(tcase, fifty_frames_in_order);
  add_count_test(tcase, events_keep_their_place);
  add_count_test(tcase, settings_of_the_time_of_the_push);
  add_count_test(tcase, flushes_with_frames_in_flight);
  add_count_test(tcase, stops_with_frames_in_flight);
  add_count_test(tcase, a_flush_does_not_wait_for_downstream);
  add_count_test(tcase, stops_in_preroll);
  add_count_test(tcase, latency_of_the_frames_in_flight);
  add_count_test(tcase, refusals_reach_upstream);
  add_count_test(tcase, a_refusal_that_ends);
  add_count_test(tcase, a_link_that_comes_back);
  add_count_test(tcase, a_broken_frame_among_whole_ones);
  add_count_test(tcase, a_pool_of_one_buffer);
  add_count_test(tcase, a_stop_with_no_buffer_left);
  add_count_test(tcase, a_refusal_of_the_segment_before);
  add_count_test(tcase, flushes_by_the_thread_that_pushes);
  add_count_test(tcase, a_source_pad_that_comes_back);
  return suite;
}
