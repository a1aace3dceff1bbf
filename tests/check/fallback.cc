// SPDX-License-Identifier: LGPL-2.1-or-later
/// Makes each CUDA call in turn fail mid-stream, or run out of memory: with backend=auto the CPU
/// takes over, and no frame is lost.
#include <cstdlib>
#include <string>
#include <vector>

#include "fixture.h"

using check::Element;
using check::Layout;
using check::Owned;

static check::Suite suite("fallback");

static constexpr int kFrames = 8;
/// The kind of failure, the number of frames in flight, and whether they have regions.
static constexpr struct Loop {
  const char* kind;
  int in_flight;
  bool has_regions;
} kLoops[] = {{"", 1, true}, {"", 3, false}, {":memory", 1, false}, {":memory", 3, true}};
/// Only builds that can make a call fail have cases.
static constexpr int kCount = CANNY_CUDA_FAULTS ? int(std::size(kLoops)) : 0;

/// Regions of a frame, more than a kernel gets as arguments.
static std::vector<canny::Rectangle> rectangles_of(int frame) {
  std::vector<canny::Rectangle> rectangles;
  for (int i = 0; i < 20; i++) rectangles.push_back({3 * i, (i * 7 + frame) % 20, 9, 20});
  return rectangles;
}

static Layout layout_of_tests() { return check::plain_layout(check::kRgb, 61, 43); }

static GstBuffer* picture_at(int i) { return check::new_picture(layout_of_tests(), guint64(i)); }

static Owned<GstBuffer> picture_with_regions(int frame) {
  Owned<GstBuffer> picture(picture_at(frame));
  for (const canny::Rectangle& at : rectangles_of(frame)) {
    gst_buffer_add_video_region_of_interest_meta(picture.get(), "any", guint(at.x), guint(at.y),
                                                 guint(at.width), guint(at.height));
  }
  return picture;
}

/// Restarts the element so that call number `call` fails in that way.
static void restart(Element& element, const char* backend, int call, const char* kind) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  gst_util_set_object_arg(G_OBJECT(element.get()), "backend", backend);
  g_setenv("CANNY_CUDA_FAULT", (std::to_string(call) + kind).c_str(), TRUE);
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
  g_unsetenv("CANNY_CUDA_FAULT");
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("frames"));
}

/// Pushes, pulls and compares frames. Returns an error, empty if all are there, exact and in order.
static std::string run_frames(Element& element, bool has_regions) {
  gst_util_set_object_arg(G_OBJECT(element.get()), "roi-mode", has_regions ? "meta" : "none");
  const Layout layout = layout_of_tests();
  element.send_caps(layout);
  element.send_segment();
  bool flows = true;
  for (int i = 0; i < kFrames && flows; i++)
    flows = element.push(picture_with_regions(i).release()) == GST_FLOW_OK;
  if (!flows) return "a push failed";
  gst_harness_push_event(element.harness(), gst_event_new_eos());  // returns after all frames
  for (int i = 0; i < kFrames; i++) {
    const Owned<GstBuffer> out(element.pull());
    if (out == nullptr) return "frame " + std::to_string(i) + " is lost";
    const Owned<GstBuffer> in(picture_at(i));
    const auto edges = has_regions ? check::edges_in(in.get(), layout, rectangles_of(i))
                                   : check::reference_edges(in.get(), layout, canny::Params());
    const std::string differs = check::difference(out.get(), layout, edges);
    if (!differs.empty()) return "frame " + std::to_string(i) + ": " + differs;
  }
  return "";
}

/// Whether the CPU took over. If so, checks that there is one warning and that all reports agree.
static bool check_takeover(Element& element) {
  const Owned<GstMessage> warning(element.pop(GST_MESSAGE_WARNING));
  const bool on_cpu = check::stats_string(element.get(), "backend") == "cpu";
  const Owned<GstMessage> error(element.pop(GST_MESSAGE_ERROR));
  fail_unless(error == nullptr, "an error message");
  fail_unless_equals_int(on_cpu, warning != nullptr);
  if (!on_cpu) return false;
  const std::string reason = check::stats_string(element.get(), "reason");
  fail_unless(reason.find("the device failed: ") == 0, "%s", reason.c_str());
  const Owned<GstMessage> second(element.pop(GST_MESSAGE_WARNING));
  fail_unless(second == nullptr, "a second warning");
  return true;
}

DEVICE_TEST(the_cpu_takes_over, kCount) {
  Element element(1, kLoops[__i__].in_flight);
  const int takeovers = check::fail_each_call([&](int call) {
    restart(element, "auto", call, kLoops[__i__].kind);
    const std::string backend = check::stats_string(element.get(), "backend");
    fail_unless_equals_string(backend.c_str(), "cuda");
    const std::string wrong = run_frames(element, kLoops[__i__].has_regions);
    fail_unless(wrong.empty(), "call %d: %s", call, wrong.c_str());
    return check_takeover(element);
  });
  fail_unless(takeovers > 20, "only %d calls failed", takeovers);
}

/// Whether an error was posted. If not, checks that all frames came.
static bool run_to_error(Element& element, int call, const Loop& loop) {
  restart(element, "cuda", call, loop.kind);
  const std::string wrong = run_frames(element, loop.has_regions);
  const Owned<GstMessage> error(element.pop(GST_MESSAGE_ERROR));
  fail_unless(error != nullptr || wrong.empty(), "call %d: %s, and no error", call, wrong.c_str());
  while (GstMessage* another = element.pop(GST_MESSAGE_ERROR)) gst_message_unref(another);
  while (GstBuffer* left = element.pull()) gst_buffer_unref(left);
  return error != nullptr;
}

/// With backend=cuda the frames end, and the message states the reason.
DEVICE_TEST(an_error_without_the_cpu, kCount) {
  Element element(1, kLoops[__i__].in_flight);
  int errors = 0;
  for (int call = 1; call < 80; call += 3) errors += run_to_error(element, call, kLoops[__i__]);
  fail_unless(errors > 10, "only %d calls failed", errors);
}
