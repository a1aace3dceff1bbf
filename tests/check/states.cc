// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests state changes in any order, several elements side by side, events, and failing starts.
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fixture.h"
#include "random.h"

using check::Element;
using check::Layout;
using check::Owned;
using check::Pipeline;

static check::Suite suite("states");

static Layout layout_of_tests() { return check::plain_layout(check::kRgb, 45, 31); }

/// Pushes a picture and compares its edges with the reference.
static bool is_exact(Element& element, std::uint64_t seed, const canny::Params& params) {
  const Layout layout = layout_of_tests();
  return check::push_difference(element, check::new_picture(layout, seed), layout, params).empty();
}

static int repeats() { return check::is_slow() ? 10 : 200; }

BACKEND_TEST(up_and_down) {
  Element element(__i__);
  for (int i = 0; i < repeats(); i++) {
    for (const GstState state : {GST_STATE_PAUSED, GST_STATE_PLAYING}) {
      fail_unless_equals_int(gst_element_set_state(element.get(), state), GST_STATE_CHANGE_SUCCESS);
    }
    element.send_caps(layout_of_tests());
    element.send_segment();
    fail_unless(is_exact(element, std::uint64_t(i), canny::Params()));
    fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 1);
    for (const GstState state : {GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL}) {
      fail_unless_equals_int(gst_element_set_state(element.get(), state), GST_STATE_CHANGE_SUCCESS);
    }
  }
}

BACKEND_TEST(up_and_down_without_frames) {
  Element element(__i__);
  for (int i = 0; i < repeats(); i++) {
    const GstState state = i % 2 ? GST_STATE_PLAYING : GST_STATE_NULL;
    fail_unless_equals_int(gst_element_set_state(element.get(), state), GST_STATE_CHANGE_SUCCESS);
  }
}

/// The first error on the pipeline's bus, empty if there is none.
static std::string first_error(const Pipeline& pipeline) {
  const Owned<GstBus> bus(gst_element_get_bus(pipeline.get()));
  return check::told_by(gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR)).text;
}

/// A running pipeline goes through states in random order, often before it has reached the last
/// one.
BACKEND_TEST(odd_orders) {
  Pipeline pipeline(
      "videotestsrc ! video/x-raw,format=RGB,width=33,height=17 ! cudacanny backend=" +
      check::backend_in_line(__i__) + " ! fakesink sync=false");
  reference::Random random(2008);
  std::string error;
  int changes = 0;
  for (; changes < repeats() && error.empty(); changes++) {
    const auto state = GstState(random.between(GST_STATE_NULL, GST_STATE_PLAYING));
    if (gst_element_set_state(pipeline.get(), state) == GST_STATE_CHANGE_FAILURE)
      error = "no change";
    if (random.between(0, 1)) gst_element_get_state(pipeline.get(), nullptr, nullptr, GST_SECOND);
    if (error.empty()) error = first_error(pipeline);
  }
  fail_unless(error.empty(), "after %d changes: %s", changes, error.c_str());
}

BACKEND_TEST(two_in_one_pipeline) {
  const std::string canny = "cudacanny backend=" + check::backend_in_line(__i__);
  Pipeline pipeline(
      "videotestsrc num-buffers=20 ! video/x-raw,format=RGB,width=65,height=49 ! tee name=t "
      "t. ! queue ! " +
      canny + " name=a ! " + canny +
      " name=b ! fakesink sync=false "
      "t. ! queue ! " +
      canny + " name=c sigma=0 ! fakesink sync=false");
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  fail_if_wrong(pipeline.wait_for_end());
  for (const char* name : {"a", "b", "c"}) {
    fail_unless_equals_uint64(check::stats_number(pipeline[name], "frames"), 20);
    fail_unless(check::stats_string(pipeline[name], "backend") == check::backend_name(__i__));
  }
}

/// Pushes frames through all elements at the same time. Returns how many were exact, by element.
static std::vector<int> count_exact(const std::vector<Element*>& elements,
                                    const std::vector<canny::Params>& params, int frames) {
  std::vector<int> exact(elements.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < elements.size(); i++) {
    threads.emplace_back([&, i] {
      for (int frame = 0; frame < frames; frame++) {
        exact[i] += is_exact(*elements[i], std::uint64_t(frame) * 16 + i, params[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return exact;
}

/// Elements of several threads don't disturb each other.
BACKEND_TEST(two_at_the_same_time) {
  std::vector<canny::Params> params(2);
  params[1].sigma = 3;
  params[1].norm = canny::Norm::kL1;
  Element calm(__i__), strong(__i__);
  strong.set_params(params[1]);
  for (Element* element : {&calm, &strong}) element->send_caps(layout_of_tests());
  const int frames = check::is_slow() ? 5 : 50;
  fail_unless(count_exact({&calm, &strong}, params, frames) == std::vector<int>(2, frames));
}

/// One element plays on each device.
static std::vector<std::unique_ptr<Element>> one_on_each_device() {
  std::vector<std::unique_ptr<Element>> elements;
  for (int id = 0;; id++) {
    auto element = std::make_unique<Element>(1);
    gst_element_set_state(element->get(), GST_STATE_READY);
    if (check::backend_name(1) == std::string("opencl"))
      g_object_set(element->get(), "opencl-device", std::to_string(id).c_str(), nullptr);
    else
      g_object_set(element->get(), "cuda-device-id", id, nullptr);
    const auto change = gst_element_set_state(element->get(), GST_STATE_PLAYING);
    if (change == GST_STATE_CHANGE_FAILURE) return elements;
    gst_harness_push_event(element->harness(), gst_event_new_stream_start("frames"));
    element->send_caps(layout_of_tests());
    elements.push_back(std::move(element));
  }
}

DEVICE_TEST(all_devices_at_the_same_time, 1) {
  const auto elements = one_on_each_device();
  const auto more = one_on_each_device();
  std::vector<Element*> all;
  for (const auto& element : elements) all.push_back(element.get());
  for (const auto& element : more) all.push_back(element.get());
  fail_if(all.empty());
  const int frames = check::is_slow() ? 5 : 50;
  const auto exact = count_exact(all, std::vector<canny::Params>(all.size()), frames);
  std::printf("%zu elements on %zu devices\n", all.size(), elements.size());
  fail_unless(exact == std::vector<int>(all.size(), frames));
}

/// Takes events until one of the type comes.
static Owned<GstEvent> pull_event(Element& element, GstEventType type) {
  for (;;) {
    Owned<GstEvent> event(gst_harness_try_pull_event(element.harness()));
    fail_unless(event != nullptr, "no %s event", gst_event_type_get_name(type));
    if (GST_EVENT_TYPE(event.get()) == type) return event;
  }
}

BACKEND_TEST(gaps_flushes_and_the_end) {
  Element element(__i__, layout_of_tests());
  fail_unless(is_exact(element, 1, canny::Params()));
  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_gap(7, 9)));
  GstClockTime time = 0, duration = 0;
  gst_event_parse_gap(pull_event(element, GST_EVENT_GAP).get(), &time, &duration);
  fail_unless(time == 7 && duration == 9);

  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_flush_start()));
  fail_unless_equals_int(element.push(check::new_picture(layout_of_tests(), 2)), GST_FLOW_FLUSHING);
  fail_unless(element.pull() == nullptr);
  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE)));
  pull_event(element, GST_EVENT_FLUSH_START);
  pull_event(element, GST_EVENT_FLUSH_STOP);
  element.send_segment();
  fail_unless(is_exact(element, 3, canny::Params()));
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 2);

  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_eos()));
  pull_event(element, GST_EVENT_EOS);
  fail_unless_equals_int(element.push(check::new_picture(layout_of_tests(), 4)), GST_FLOW_EOS);
  fail_unless(element.pull() == nullptr);
}

/// A frame before caps is refused, not processed.
PLAIN_TEST(a_frame_before_caps) {
  Element element(0);
  element.send_segment();
  fail_unless_equals_int(element.push(check::new_picture(layout_of_tests(), 1)),
                         GST_FLOW_NOT_NEGOTIATED);
  fail_unless(element.pull() == nullptr);
}

/// An element that is not playing, and its bus.
struct Bare {
  Bare() { gst_element_set_bus(element.get(), bus.get()); }
  ~Bare() { gst_element_set_bus(element.get(), nullptr); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  Owned<GstElement> element{gst_element_factory_make("cudacanny", nullptr)};
  Owned<GstBus> bus{gst_bus_new()};
};

/// Checks the error of a failing start: it states the missing part of this kind, and advice.
static void check_start_error(const Bare& bare, const char* kind = "") {
  GstElement* element = bare.element.get();
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  const check::Told told = check::told_by(gst_bus_pop_filtered(bare.bus.get(), GST_MESSAGE_ERROR));
  fail_unless(told.is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless(told.has("backend=cpu") && told.has(kind), "%s", told.text.c_str());
  const std::string reason = check::stats_string(element, "reason");
  fail_unless(!reason.empty() && told.has_detail(reason));
  fail_unless(check::stats_string(element, "backend") == "none");
  gst_element_set_state(element, GST_STATE_NULL);
}

/// Without a usable device the first start fails. With one, only the start with an id out of range
/// fails.
PLAIN_TEST(starts_without_the_device) {
  const Bare bare;
  GstElement* element = bare.element.get();
  gst_util_set_object_arg(G_OBJECT(element), "backend", "cuda");
  if (!check::no_cuda_reason().empty()) check_start_error(bare);
  g_object_set(element, "cuda-device-id", 4096, nullptr);
  check_start_error(bare);

  // The other backends do not need the device.
  for (const char* backend : {"auto", "cpu"}) {
    gst_util_set_object_arg(G_OBJECT(element), "backend", backend);
    fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED),
                           GST_STATE_CHANGE_SUCCESS);
    fail_unless(check::stats_string(element, "backend") ==
                (backend == std::string("cpu") ? backend : check::auto_backend(false)));
    fail_if(check::stats_string(element, "reason").empty());
    gst_element_set_state(element, GST_STATE_NULL);
  }
}

/// Whatever is missing: the backend in this build, the loader, a driver, or the device.
PLAIN_TEST(starts_without_the_opencl_device) {
  const Bare bare;
  gst_util_set_object_arg(G_OBJECT(bare.element.get()), "backend", "opencl");
  for (const char* device : {"no such device", "4096"}) {
    g_object_set(bare.element.get(), "opencl-device", device, nullptr);
    check_start_error(bare, "OpenCL");
  }
}

PLAIN_TEST(auto_takes_a_device_where_it_is) {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  fail_unless(check::stats_string(element, "backend") == "none");
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED),
                         GST_STATE_CHANGE_SUCCESS);
  const std::string backend = check::auto_backend(check::no_cuda_reason().empty());
  fail_unless(check::stats_string(element, "backend") == backend);
  const std::string reason = check::stats_string(element, "reason");
  fail_unless(reason.find(check::no_cuda_reason()) != std::string::npos, "%s", reason.c_str());
  gst_element_set_state(element, GST_STATE_NULL);
  gst_object_unref(element);
}
