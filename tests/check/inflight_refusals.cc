// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests frames in flight that downstream or the element refuses.
#include <gst/base/gstbasetransform.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "inflight.h"
#include "worker.h"

using check::Element;
using check::Owned;
using namespace inflight;

static check::Suite suite("inflight");

/// A downstream that refuses frames.
struct Refusal {
  GstFlowReturn flow;
  std::atomic<int> frames;  ///< frames to refuse from now on
};

static GstPadProbeReturn refuse(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto* refusal = static_cast<Refusal*>(data);
  if (refusal->frames == 0) return GST_PAD_PROBE_OK;
  refusal->frames--;
  gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_PAD_PROBE_INFO_FLOW_RETURN(info) = refusal->flow;
  return GST_PAD_PROBE_HANDLED;
}

/// Sends the caps of frames of which downstream refuses some.
static void start_refused(Element& element, Refusal* refusal) {
  set_upstream(element, kNotLive);
  gst_pad_add_probe(element.harness()->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, refuse, refusal,
                    nullptr);
  element.send_caps(layout_of_tests());
}

/// Pushes frames until `wanted` or an error comes back. The last of their times, which increase, is
/// less than 500 frames after the first.
static GstFlowReturn push_until(Element& element, GstFlowReturn wanted, GstClockTime time) {
  const GstClockTime last = time + 499 * kFrame;
  GstFlowReturn flow = GST_FLOW_OK;
  check::wait_until([&] {
    flow = element.push(picture_at(time));
    time = std::min(time + kFrame, last);
    return flow == wanted || (wanted != GST_FLOW_OK && flow != GST_FLOW_OK);
  });
  return flow;
}

COUNT_TEST(refusals_reach_upstream) {
  for (const GstFlowReturn flow : {GST_FLOW_ERROR, GST_FLOW_EOS, GST_FLOW_NOT_LINKED,
                                   GST_FLOW_NOT_NEGOTIATED, GST_FLOW_CUSTOM_ERROR}) {
    Refusal refusal{flow, {0}};
    Element element(test.backend, test.frames);
    start_refused(element, &refusal);
    push_and_check(element, times_from(0, 3));
    refusal.frames = G_MAXINT;
    fail_unless_equals_int(push_until(element, flow, 3 * kFrame), flow);
  }
}

/// Checks that the frames from `time` on come out, after any earlier frames.
static void check_flow(Element& element, GstClockTime time) {
  push_all(element, times_from(time, 4));
  for (;;) {
    const Owned<GstBuffer> out(element.wait());
    fail_unless(out != nullptr, "the frame does not come");
    if (GST_BUFFER_PTS(out.get()) == time) break;
  }
  check_outputs(element, times_from(time + kFrame, 3));
}

COUNT_TEST(a_refusal_that_ends) {
  Refusal refusal{GST_FLOW_NOT_LINKED, {1}};
  Element element(test.backend, test.frames);
  start_refused(element, &refusal);
  fail_unless_equals_int(push_until(element, GST_FLOW_NOT_LINKED, 0), GST_FLOW_NOT_LINKED);
  check_flow(element, 1000 * kFrame);
}

COUNT_TEST(a_link_that_comes_back) {
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

COUNT_TEST(a_broken_frame_among_whole_ones) {
  NotLiveElement element(test.backend, test.frames);
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

/// Pushes two frames, of which downstream refuses the second one.
static GstFlowReturn push_two(Element& element, Refusal* refusal) {
  start_refused(element, refusal);
  push_and_check(element, {0});
  refusal->frames = 1;
  return element.push(picture_at(kFrame));
}

/// The return value that ended one segment is not returned in the next one.
COUNT_TEST(a_refusal_of_the_segment_before) {
  Refusal refusal{GST_FLOW_EOS, {0}};
  Element element(test.backend, test.frames);
  push_two(element, &refusal);
  element.send_segment();
  fail_unless_equals_int(refusal.frames, 0);
  push_and_check(element, times_from(2 * kFrame, 4));
}

/// Downstream refuses the last frame. The end of the stream tells, unless upstream knows already.
COUNT_TEST(a_refusal_before_the_end) {
  for (const GstFlowReturn flow :
       {GST_FLOW_ERROR, GST_FLOW_NOT_LINKED, GST_FLOW_NOT_NEGOTIATED, GST_FLOW_EOS}) {
    Refusal refusal{flow, {0}};
    Element element(test.backend, test.frames);
    const GstFlowReturn known = push_two(element, &refusal);
    gst_harness_push_event(element.harness(), gst_event_new_eos());
    fail_unless_equals_int(refusal.frames, 0);
    const Owned<GstMessage> message(element.pop(GST_MESSAGE_ERROR));
    const bool tells = known == GST_FLOW_OK && flow != GST_FLOW_EOS;
    fail_unless((message != nullptr) == tells, "%s after %s", gst_flow_get_name(flow),
                gst_flow_get_name(known));
  }
}

/// A downstream that asks for all frames before while it gets one.
static GstPadProbeReturn ask(GstPad* pad, GstPadProbeInfo*, gpointer questions) {
  const Owned<GstElement> element(gst_pad_get_parent_element(GST_PAD_PEER(pad)));
  const Owned<GstQuery> query(gst_query_new_drain());
  gst_pad_query(GST_BASE_TRANSFORM_SINK_PAD(element.get()), query.get());
  ++*static_cast<std::atomic<int>*>(questions);
  return GST_PAD_PROBE_OK;
}

COUNT_TEST(a_question_about_the_frame_itself) {
  NotLiveElement element(test.backend, test.frames);
  std::atomic<int> questions{0};
  gst_pad_add_probe(element.harness()->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, ask, &questions,
                    nullptr);
  element.send_caps(layout_of_tests());
  for (GstClockTime time = 0; time < 3 * kFrame; time += kFrame) {
    push_and_check(element, {time});
  }
  fail_unless_equals_int(questions, 3);
}

/// A downstream that accepts caps when it is asked, and may refuse them when they come.
struct CapsRefusal {
  GstPadEventFunction receive;
  bool is_on = false;
};

static gboolean refuse_caps(GstPad* pad, GstObject* parent, GstEvent* event) {
  const auto* refusal = static_cast<const CapsRefusal*>(pad->eventdata);
  if (!refusal->is_on || GST_EVENT_TYPE(event) != GST_EVENT_CAPS)
    return refusal->receive(pad, parent, event);
  gst_event_unref(event);
  return FALSE;
}

/// If the caps before come again after refused ones, frames have their size.
COUNT_TEST(caps_that_are_refused) {
  Element element(test.backend, test.frames);
  GstPad* sink = element.harness()->sinkpad;
  CapsRefusal refusal{GST_PAD_EVENTFUNC(sink)};
  gst_pad_set_event_function_full(sink, refuse_caps, &refusal, nullptr);
  set_upstream(element, kNotLive);
  element.send_caps(layout_of_tests());
  push_and_check(element, times_from(0, 3));
  refusal.is_on = true;
  element.send_caps(check::plain_layout(check::kGray, 20, 10));
  refusal.is_on = false;
  element.send_caps(layout_of_tests());
  push_and_check(element, times_from(3 * kFrame, 3));
}

/// Downstream changes the format. The new caps come out while the source pad is flushing: the pad
/// keeps them, but can't push them.
static void change_format_in_a_flush(const check::Flight& test, const check::Format& before,
                                     const check::Format& after, bool by_caps) {
  NotLiveElement element(test.backend, test.frames);
  gst_harness_set_sink_caps(element.harness(), check::new_caps(before, 61, 43));
  element.send_caps(layout_of_tests());
  push_all(element, {0});
  check_outputs(element, {0}, before);
  gst_harness_set_sink_caps(element.harness(), check::new_caps(after, 61, 43));
  GstPad* src = GST_PAD_PEER(element.harness()->sinkpad);
  fail_unless(gst_pad_push_event(src, gst_event_new_flush_start()));
  if (by_caps) {
    element.send_caps(layout_of_tests());
  } else {
    fail_unless_equals_int(element.push(picture_at(kFrame)), GST_FLOW_FLUSHING);
  }
  fail_unless(gst_pad_push_event(src, gst_event_new_flush_stop(TRUE)));
  element.send_segment();
  push_all(element, times_from(2 * kFrame, 3));
  check_outputs(element, times_from(2 * kFrame, 3), after);
}

COUNT_TEST(formats_that_change_in_a_flush) {
  for (const bool by_caps : {false, true}) {
    change_format_in_a_flush(test, check::kGray, check::kRgb, by_caps);
    change_format_in_a_flush(test, check::kRgb, check::kGray, by_caps);
  }
}
