// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the element when the detector runs out of memory. Each of its allocations fails in turn
/// and causes an error message, and after a restart frames are exact. Only allocations of the
/// library and of the element's lists and pictures count, since failures in GLib and in the
/// element's own strings end the process.
#include <gst/check/gstcheck.h>

#include <initializer_list>
#include <string>

#include "check/fixture.h"
#include "failing.h"

using check::Element;
using check::Layout;
using check::Owned;
using failing::Fault;

static check::Suite suite("memory");

static constexpr int kCounts[] = {1, 3};  // frames in flight
static constexpr long kFaultCounts[] = {1, failing::kAllAfter};
static constexpr long kEnough = 1000;

static Layout layout_of_tests() { return check::plain_layout(check::kRgb, 61, 203); }

/// Takes the error off the bus and checks it. Returns a problem, empty if there is none.
static std::string take_error(Element& element) {
  const check::Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
  if (told.domain == 0) return "no error message";
  const bool is_right = told.is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
  return is_right ? "" : told.text + " " + told.details;
}

static void send_stream(Element& element) {
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("frames"));
  element.send_caps(layout_of_tests());
  element.send_segment();
}

static GstBuffer* new_frame() { return check::new_picture(layout_of_tests(), 7); }

/// Takes the pushed frame and compares it. Returns a difference, empty if it is exact.
static std::string take_frame(Element& element) {
  const Layout layout = layout_of_tests();
  const Owned<GstBuffer> out(element.wait());
  const Owned<GstBuffer> in(new_frame());
  return check::difference(out.get(), layout, check::reference_edges(in.get(), layout, {}));
}

static void drop_errors(Element& element) {
  while (GstMessage* error = element.pop(GST_MESSAGE_ERROR)) gst_message_unref(error);
}

static void restart(Element& element) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  fail_unless_equals_int(gst_element_set_state(element.get(), GST_STATE_PLAYING),
                         GST_STATE_CHANGE_SUCCESS);
  drop_errors(element);
}

/// Starts without memory. Returns whether an allocation failed.
static bool fail_start(Element& element, Fault fault) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  bool failed = false;
  GstStateChangeReturn change;
  {
    const failing::Failing failing(fault);
    change = gst_element_set_state(element.get(), GST_STATE_PLAYING);
    failed = failing.any();
  }
  if (!failed) return false;
  fail_unless_equals_int(change, GST_STATE_CHANGE_FAILURE);
  const std::string wrong = take_error(element);
  fail_unless(wrong.empty(), "allocation %ld: %s", fault.first, wrong.c_str());
  return true;
}

/// Sends caps and a frame without memory. Refused caps come again with the frame, when there may be
/// memory.
static bool fail_stream(Element& element, Fault fault) {
  restart(element);
  bool failed = false;
  GstFlowReturn flow;
  {
    const failing::Failing failing(fault);
    send_stream(element);
    flow = element.push(new_frame());
    failed = failing.any();
  }
  std::string wrong = flow == GST_FLOW_OK ? take_frame(element) : "";
  if (flow == GST_FLOW_OK && fault.count > 1 && failed) wrong = "a frame went through";
  if (failed && wrong.empty()) wrong = take_error(element);
  fail_unless(wrong.empty(), "allocation %ld: %s", fault.first, wrong.c_str());
  return failed;
}

/// Sends other caps without memory. The caps before come again, and a frame, for which there is
/// memory: if all allocations failed, only after another frame without memory.
static bool fail_other_caps(Element& element, Fault fault) {
  restart(element);
  send_stream(element);
  bool failed = false;
  {
    const failing::Failing failing(fault);
    element.send_caps(check::plain_layout(check::kGray, 122, 406));
    failed = failing.any();
  }
  std::string wrong = failed ? take_error(element) : "";
  fail_unless(wrong.empty(), "allocation %ld: %s", fault.first, wrong.c_str());
  element.send_caps(layout_of_tests());
  if (failed && fault.count > 1) {
    drop_errors(element);
    {
      const failing::Failing failing({1, failing::kAllAfter});
      fail_unless_equals_int(element.push(new_frame()), GST_FLOW_ERROR);
    }
    wrong = take_error(element);
    fail_unless(wrong.empty(), "allocation %ld, a frame: %s", fault.first, wrong.c_str());
  }
  fail_unless_equals_int(element.push(new_frame()), GST_FLOW_OK);
  wrong = take_frame(element);
  fail_unless(wrong.empty(), "allocation %ld: %s", fault.first, wrong.c_str());
  return failed;
}

/// Makes each allocation of `run` fail in turn. Returns their number.
static long fail_each(Element& element, bool (*run)(Element&, Fault)) {
  long failures = 0;
  for (const long count : kFaultCounts) {
    for (long number = 1; run(element, {number, count}); number++) {
      failures++;
      fail_unless(number < kEnough);
      restart(element);
      send_stream(element);
      fail_unless_equals_int(element.push(new_frame()), GST_FLOW_OK);
      const std::string wrong = take_frame(element);
      fail_unless(wrong.empty(), "after allocation %ld: %s", number, wrong.c_str());
    }
  }
  return failures;
}

LOOP_TEST(a_start_without_memory, std::size(kCounts)) {
  if (check::skip("a_start_without_memory", 0)) return;
  Element element(0, kCounts[__i__]);
  fail_unless(fail_each(element, fail_start) > 0);
}

LOOP_TEST(a_stream_without_memory, std::size(kCounts)) {
  if (check::skip("a_stream_without_memory", 0)) return;
  Element element(0, kCounts[__i__]);
  fail_unless(fail_each(element, fail_stream) > 10);
}

/// Returns how many allocations of a frame can fail, with these start-only settings. One thread
/// alone needs the same memory for each of two equal frames.
static long fail_frame(std::initializer_list<const char*> settings) {
  Element element(0, 1);
  gst_util_set_object_arg(G_OBJECT(element.get()), "n-threads", "1");
  for (const char* setting : settings)
    gst_util_set_object_arg(G_OBJECT(element.get()), setting, "1");
  for (long number = 1;; number++) {
    restart(element);
    send_stream(element);
    fail_unless_equals_int(element.push(new_frame()), GST_FLOW_OK);
    fail_if_wrong(take_frame(element));
    const failing::Failing failing({number, 1});
    const GstFlowReturn flow = element.push(new_frame());
    if (!failing.any()) return number - 1;
    fail_unless_equals_int(flow, GST_FLOW_ERROR);
    const std::string wrong = take_error(element);
    fail_unless(wrong.empty(), "allocation %ld: %s", number, wrong.c_str());
  }
}

/// The element copies points, offsets, ends and what is closed, and four lists of components.
PLAIN_TEST(lists_without_memory) {
  if (check::skip("lists_without_memory", 0)) return;
  const long without = fail_frame({});
  fail_unless_equals_int(fail_frame({"contours"}), without + 3);
  fail_unless_equals_int(fail_frame({"contours", "contour-precision"}), without + 4);
  fail_unless_equals_int(fail_frame({"components"}), without + 4);
}

/// The element makes a picture that the detector can read.
PLAIN_TEST(an_unpacked_frame_without_memory) {
  if (check::skip("an_unpacked_frame_without_memory", 0)) return;
  constexpr gsize kBytes = 64 * 48 * 5 / 2;
  Element element(0, 1);
  element.send_caps(gst_caps_from_string("video/x-raw,format=A420,width=64,height=48"));
  {
    const failing::Failing failing({1, 1});
    fail_unless_equals_int(element.push(gst_buffer_new_allocate(nullptr, kBytes, nullptr)),
                           GST_FLOW_ERROR);
  }
  fail_if_wrong(take_error(element));
  GstBuffer* zeros = gst_buffer_new_allocate(nullptr, kBytes, nullptr);
  gst_buffer_memset(zeros, 0, 0, kBytes);
  fail_unless_equals_int(element.push(zeros), GST_FLOW_OK);
}

LOOP_TEST(other_caps_without_memory, std::size(kCounts)) {
  if (check::skip("other_caps_without_memory", 0)) return;
  Element element(0, kCounts[__i__]);
  fail_unless(fail_each(element, fail_other_caps) > 5);
}

int main(int argc, char** argv) {
  static const char* const watched[] = {"/libcudacanny.so", "/libhwy.so", nullptr};
  failing::watch(watched, failing::Functions::kAll);
  gst_check_init(&argc, &argv);
  return check::run();
}
