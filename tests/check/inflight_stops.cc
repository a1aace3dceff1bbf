// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests frames in flight that downstream does not accept: flushes, stops, and pools without a
/// buffer.
#include <atomic>
#include <chrono>
#include <future>
#include <string>

#include "inflight.h"
#include "worker.h"

using check::Element;
using check::Owned;
using check::Pipeline;
using check::Watch;
using check::Worker;
using namespace inflight;

static check::Suite suite("inflight");

static bool has_come(const std::future<void>& event) {
  return event.wait_for(std::chrono::nanoseconds(check::kPatience)) == std::future_status::ready;
}

/// A downstream that blocks on the next frame.
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

  /// Waits for a held frame.
  bool wait() { return has_come(held_.get_future()); }

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

/// Pushes frames from its own thread until the element refuses one.
class Pusher {
 public:
  Pusher(Element& element, GstClockTime first)
      : worker_([&element, first, this] {
          for (int i = 0; i < 100 && flow_ == GST_FLOW_OK; i++) {
            flow_ = element.push(picture_at(first + GstClockTime(i) * kFrame));
          }
        }) {}

  /// Waits until there is no room for another frame: downstream holds one.
  void wait() { worker_.wait_until_asleep(); }

  GstFlowReturn join() {
    worker_.join();
    return flow_;
  }

 private:
  GstFlowReturn flow_ = GST_FLOW_OK;
  Worker worker_;
};

/// Flushes while frames are in flight and downstream holds one of them: only later ones follow.
static std::string flush(Element& element, const Watch& watch, GstClockTime time) {
  Block block(element.harness()->sinkpad);
  Pusher pusher(element, time);
  const bool held = block.wait();
  pusher.wait();
  gst_harness_push_event(element.harness(), gst_event_new_flush_start());
  const GstFlowReturn flow = pusher.join();
  block.release();
  gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE));
  if (!held) return "no frame came out";
  if (flow != GST_FLOW_FLUSHING) return std::string("push gave ") + gst_flow_get_name(flow);
  element.send_segment();
  const std::vector<GstClockTime> times = times_from(time + 1000 * kFrame, 5);
  const std::size_t before = watch.frames();
  push_all(element, times);
  if (!watch.wait_for_frames(before + times.size())) return "frames after the flush are missing";
  return watch.times_since_flush() == times ? "" : "frames from before the flush come after it";
}

COUNT_TEST(flushes_with_frames_in_flight) {
  Element element(test.backend, test.frames);
  gst_harness_set_drop_buffers(element.harness(), TRUE);
  set_upstream(element, kNotLive);
  Watch watch(element.get());
  element.send_caps(layout_of_tests());
  std::string problem;
  for (int i = 0; i < repeats() && problem.empty(); i++) {
    problem = flush(element, watch, GstClockTime(i) * 10000 * kFrame);
  }
  fail_if_wrong(problem);
  fail_if_wrong(watch.difference());
}

static std::string stop(Element& element) {
  const Owned<GstPad> src(gst_element_get_static_pad(element.get(), "src"));
  Block block(src.get());
  Pusher pusher(element, 0);
  const bool held = block.wait();
  pusher.wait();
  const gint64 begin = g_get_monotonic_time();
  const GstStateChangeReturn change = gst_element_set_state(element.get(), GST_STATE_READY);
  const gint64 end = g_get_monotonic_time();
  const GstFlowReturn flow = pusher.join();
  block.release();
  if (!held) return "no frame came out";
  if (change != GST_STATE_CHANGE_SUCCESS) return "no change to READY";
  if (end - begin > 10 * G_USEC_PER_SEC) return "READY takes more than 10 s";
  return flow == GST_FLOW_FLUSHING ? "" : std::string("push gave ") + gst_flow_get_name(flow);
}

COUNT_TEST(stops_with_frames_in_flight) {
  NotLiveElement element(test.backend, test.frames);
  for (int i = 0; i < repeats(); i++) {
    element.send_caps(layout_of_tests());
    element.send_segment();
    fail_if_wrong(stop(element));
    start(element);
    element.send_caps(layout_of_tests());
    element.send_segment();
    push_and_check(element, times_from(0, 5));
    gst_element_set_state(element.get(), GST_STATE_READY);
    start(element);
  }
}

/// A downstream that blocks in the first frame until it is released, whatever follows, and keeps
/// the buffer.
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

  /// Waits for the frame.
  bool wait() { return has_come(came_.get_future()); }
  void let_go() { left_.set_value(); }
  void release_buffer() { gst_clear_buffer(&kept_); }

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

/// Downstream may be waiting for the thread that flushes.
COUNT_TEST(a_flush_does_not_wait_for_downstream) {
  NotLiveElement element(test.backend, test.frames);
  element.send_caps(layout_of_tests());
  Busy busy(element.harness()->sinkpad);
  Pusher pusher(element, 0);
  const bool came = busy.wait();
  pusher.wait();
  Worker flush([&] { gst_harness_push_event(element.harness(), gst_event_new_flush_start()); });
  const bool is_begun = flush.ends();
  busy.let_go();
  const GstFlowReturn flow = pusher.join();
  flush.join();
  gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE));
  fail_unless(came, "no frame came out");
  fail_unless(is_begun, "FLUSH_START waits");
  fail_unless_equals_int(flow, GST_FLOW_FLUSHING);
  element.send_segment();
  push_and_check(element, times_from(1000 * kFrame, 4));
}

/// Events precede the allocation query, so no other thread may push meanwhile.
COUNT_TEST(a_new_link_waits_for_downstream) {
  NotLiveElement element(test.backend, test.frames);
  element.send_caps(layout_of_tests());
  GstPad* sink = element.harness()->sinkpad;
  GstPad* src = gst_pad_get_peer(sink);
  std::atomic<int> queries{0};
  Busy busy(sink);
  GstFlowReturn flow_before = GST_FLOW_ERROR, flow_after = GST_FLOW_ERROR;
  Worker before([&] { flow_before = element.push(picture_at(0)); });
  const bool came = busy.wait();
  check::on_query(src, GST_QUERY_ALLOCATION, [&](GstQuery*) {
    ++queries;
    return GST_PAD_PROBE_OK;
  });
  gst_pad_mark_reconfigure(src);
  Worker after([&] { flow_after = element.push(picture_at(kFrame)); });
  const bool is_waiting = after.wait_until_asleep();
  const int early = queries;
  busy.let_go();
  gst_object_unref(src);
  before.join();
  after.join();
  fail_unless_equals_int(flow_before, GST_FLOW_OK);
  fail_unless_equals_int(flow_after, GST_FLOW_OK);
  fail_unless(came, "no frame came out");
  fail_unless(is_waiting, "the push does not come to rest");
  fail_unless_equals_int(early, 0);
  fail_unless(queries > 0, "the new link was not negotiated");
  check_outputs(element, {kFrame});
}

static std::string preroll_line(const check::Flight& test) {
  return std::string(
             "videotestsrc pattern=zone-plate kx2=20 ky2=20 kt=3 ! "
             "video/x-raw,format=RGB,width=61,height=43,framerate=200/1 ! cudacanny name=canny "
             "backend=") +
         check::backend_in_line(test.backend) + " frames-in-flight=" + std::to_string(test.frames) +
         " ! fakesink sync=true";
}

/// A sink that waits for PLAYING holds the first frame.
COUNT_TEST(stops_in_preroll) {
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
  fail_if_wrong(problem);
}

/// Gives the element downstream's pool of `count` buffers. Downstream keeps no output.
static void limit_pool(Element& element, guint count) {
  gst_harness_set_drop_buffers(element.harness(), TRUE);
  check::on_query(element.harness()->sinkpad, GST_QUERY_ALLOCATION, [count](GstQuery* query) {
    GstBufferPool* pool = gst_video_buffer_pool_new();
    gst_query_add_allocation_pool(query, pool, guint(layout_of_tests().size), 1, count);
    gst_object_unref(pool);
    return GST_PAD_PROBE_HANDLED;
  });
}

/// Downstream's pool may have fewer buffers than there are frames in flight.
COUNT_TEST(a_pool_of_one_buffer) {
  Element element(test.backend, test.frames);
  limit_pool(element, 1);
  set_upstream(element, kNotLive);
  Watch watch(element.get());
  element.send_caps(layout_of_tests());
  push_all(element, times_from(0, 20));
  fail_unless(watch.wait_for_frames(20), "%d frames", int(watch.frames()));
  fail_if_wrong(watch.difference());
}

/// The pool has two buffers: downstream keeps one of them, the other one is in flight, and the
/// streaming thread waits for a third.
COUNT_TEST(a_stop_with_no_buffer_left) {
  Element element(test.backend, test.frames);
  limit_pool(element, 2);
  set_upstream(element, kNotLive);
  element.send_caps(layout_of_tests());
  GstPad* src = gst_pad_get_peer(element.harness()->sinkpad);
  Busy busy(src);
  Pusher pusher(element, 0);
  const bool came = busy.wait();
  pusher.wait();
  Worker stop([&] { gst_element_set_state(element.get(), GST_STATE_READY); });
  const bool is_inactive = check::wait_until([&] { return !gst_pad_is_active(src); });
  const bool is_waiting = stop.wait_until_asleep();
  busy.let_go();
  const bool is_stopped = stop.ends();
  busy.release_buffer();
  stop.join();
  pusher.join();
  gst_object_unref(src);
  fail_unless(came, "no frame came out");
  fail_unless(is_inactive, "READY does not begin");
  fail_unless(is_waiting, "READY does not come to rest");
  fail_unless(is_stopped, "READY waits for a buffer");
}

/// Seeks upstream, which flushes, in the thread that pushes, every tenth frame.
static GstPadProbeReturn seek_now_and_then(GstPad* pad, GstPadProbeInfo*, gpointer data) {
  auto* frames = static_cast<std::atomic<int>*>(data);
  if (++*frames % 10 != 0 || *frames > 50) return GST_PAD_PROBE_OK;
  const Owned<GstElement> element(gst_pad_get_parent_element(pad));
  const Owned<GstPad> sink(gst_element_get_static_pad(element.get(), "sink"));
  gst_pad_push_event(sink.get(), gst_event_new_seek(1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                                                    GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
  return GST_PAD_PROBE_DROP;  // the frame precedes the seek
}

COUNT_TEST(flushes_by_the_thread_that_pushes) {
  std::atomic<int> frames{0};
  Pipeline pipeline(
      "videotestsrc num-buffers=150 ! video/x-raw,format=RGB,width=64,height=48,framerate=30/1 ! "
      "cudacanny name=canny backend=" +
      std::string(check::backend_in_line(test.backend)) +
      " frames-in-flight=" + std::to_string(test.frames) + " ! fakesink sync=false async=false");
  const Owned<GstPad> src(gst_element_get_static_pad(pipeline["canny"], "src"));
  gst_pad_add_probe(src.get(), GST_PAD_PROBE_TYPE_BUFFER, seek_now_and_then, &frames, nullptr);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  fail_if_wrong(pipeline.wait_for_end());
  fail_unless(frames > 100, "only %d frames", frames.load());
}

/// Deactivates and activates only the source pad; a flush ends meanwhile.
COUNT_TEST(a_source_pad_that_comes_back) {
  Element element(test.backend, test.frames);
  start_with_three_frames(element);
  GstPad* src = gst_pad_get_peer(element.harness()->sinkpad);
  gst_pad_set_active(src, FALSE);
  gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE));
  fail_unless(gst_pad_get_task_state(src) == GST_TASK_STOPPED);
  gst_pad_set_active(src, TRUE);
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("again"));
  element.send_caps(layout_of_tests());
  element.send_segment();
  push_and_check(element, times_from(3 * kFrame, 8));
  gst_object_unref(src);
}

/// Upstream sends events and a frame while only the source pad is inactive, as in the middle of a
/// state change. They are refused, but that is no error.
COUNT_TEST(a_source_pad_that_is_gone) {
  Element element(test.backend, test.frames);
  start_with_three_frames(element);
  GstPad* src = gst_pad_get_peer(element.harness()->sinkpad);
  gst_pad_set_active(src, FALSE);
  element.send_segment();
  fail_unless_equals_int(element.push(picture_at(3 * kFrame)), GST_FLOW_FLUSHING);
  check::Layout other = layout_of_tests();
  other.width++;
  element.send_caps(other);
  fail_unless_equals_int(element.push(picture_at(3 * kFrame)), GST_FLOW_FLUSHING);
  gst_object_unref(src);
}
