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

static Layout layout_of_tests() { return check::plain_layout(check::kRgb, 45, 31); }

/// Pushes a picture and compares its edges with the reference.
static bool is_exact(Element& element, std::uint64_t seed, const canny::Params& params) {
  const Layout layout = layout_of_tests();
  GstBuffer* picture = check::new_picture(layout, seed);
  const auto edges = check::reference_edges(picture, layout, params);
  if (element.push(picture) != GST_FLOW_OK) return false;
  GstBuffer* output = element.pull();
  if (output == nullptr) return false;
  const bool same =
      check::difference(output, *layout.format, layout.width, layout.height, edges).empty();
  gst_buffer_unref(output);
  return same;
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
GST_END_TEST

BACKEND_TEST(up_and_down_without_frames) {
  Element element(__i__);
  for (int i = 0; i < repeats(); i++) {
    const GstState state = i % 2 ? GST_STATE_PLAYING : GST_STATE_NULL;
    fail_unless_equals_int(gst_element_set_state(element.get(), state), GST_STATE_CHANGE_SUCCESS);
  }
}
GST_END_TEST

static GstElement* parse(const std::string& line) {
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line.c_str(), &error);
  fail_unless(pipeline != nullptr && error == nullptr, "%s: %s", line.c_str(),
              error != nullptr ? error->message : "");
  return pipeline;
}

/// The first error on the pipeline's bus, empty if there is none.
static std::string first_error(GstElement* pipeline) {
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  gst_object_unref(bus);
  return check::told_by(message).text;
}

// A test that leaves its pipeline running would hang at its end. So these tests look first, then
// stop the pipeline, then check.

/// A running pipeline goes through states in random order, often before it has reached the last
/// one.
BACKEND_TEST(odd_orders) {
  GstElement* pipeline =
      parse(std::string("videotestsrc ! video/x-raw,format=RGB,width=33,height=17 ! cudacanny "
                        "backend=") +
            check::backend_in_line(__i__) + " ! fakesink sync=false");
  reference::Random random(2008);
  std::string error;
  int changes = 0;
  for (; changes < repeats() && error.empty(); changes++) {
    const auto state = GstState(random.between(GST_STATE_NULL, GST_STATE_PLAYING));
    if (gst_element_set_state(pipeline, state) == GST_STATE_CHANGE_FAILURE) error = "no change";
    if (random.between(0, 1)) gst_element_get_state(pipeline, nullptr, nullptr, GST_SECOND);
    if (error.empty()) error = first_error(pipeline);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  fail_unless(error.empty(), "after %d changes: %s", changes, error.c_str());
}
GST_END_TEST

/// Whether the pipeline reaches the end of its stream.
static bool run(GstElement* pipeline) {
  GstBus* bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus, 60 * GST_SECOND, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool ended = message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  if (message != nullptr) gst_message_unref(message);
  gst_object_unref(bus);
  return ended;
}

BACKEND_TEST(two_in_one_pipeline) {
  const std::string canny = std::string("cudacanny backend=") + check::backend_in_line(__i__);
  GstElement* pipeline = parse(
      "videotestsrc num-buffers=20 ! video/x-raw,format=RGB,width=65,height=49 ! tee name=t "
      "t. ! queue ! " +
      canny + " name=a ! " + canny +
      " name=b ! fakesink sync=false "
      "t. ! queue ! " +
      canny + " name=c sigma=0 ! fakesink sync=false");
  const bool ended = run(pipeline);
  std::vector<guint64> frames;
  std::vector<std::string> backends;
  for (const char* name : {"a", "b", "c"}) {
    GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline), name);
    frames.push_back(check::stats_number(element, "frames"));
    backends.push_back(check::stats_string(element, "backend"));
    gst_object_unref(element);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  fail_unless(ended);
  fail_unless(frames == std::vector<guint64>(3, 20));
  fail_unless(backends == std::vector<std::string>(3, check::backend_name(__i__)));
}
GST_END_TEST

/// Elements of several threads don't disturb each other.
BACKEND_TEST(two_at_the_same_time) {
  canny::Params params[2];
  params[1].sigma = 3;
  params[1].norm = canny::Norm::kL1;
  Element calm(__i__), strong(__i__);
  Element* elements[] = {&calm, &strong};
  int exact[2] = {};
  const int frames = check::is_slow() ? 5 : 50;
  std::thread threads[2];
  for (int i = 0; i < 2; i++) {
    elements[i]->set_params(params[i]);
    elements[i]->send_caps(layout_of_tests());
    threads[i] = std::thread([&, i] {
      for (int frame = 0; frame < frames; frame++) {
        exact[i] += is_exact(*elements[i], std::uint64_t(frame * 2 + i), params[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  fail_unless_equals_int(exact[0], frames);
  fail_unless_equals_int(exact[1], frames);
}
GST_END_TEST

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

DEVICE_TEST(all_devices_at_the_same_time) {
  const auto elements = one_on_each_device();
  const auto more = one_on_each_device();
  std::vector<Element*> all;
  for (const auto& element : elements) all.push_back(element.get());
  for (const auto& element : more) all.push_back(element.get());
  fail_if(all.empty());
  const int frames = check::is_slow() ? 5 : 50;
  std::vector<int> exact(all.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all.size(); i++) {
    threads.emplace_back([&, i] {
      for (int frame = 0; frame < frames; frame++) {
        exact[i] += is_exact(*all[i], std::uint64_t(frame) * 16 + i, canny::Params());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%zu elements on %zu devices\n", all.size(), elements.size());
  fail_unless(exact == std::vector<int>(all.size(), frames));
}
GST_END_TEST

/// Takes events until one of the type comes, and returns it (transfer full), null if none comes.
static GstEvent* pull_event(Element& element, GstEventType type) {
  while (GstEvent* event = gst_harness_try_pull_event(element.harness())) {
    if (GST_EVENT_TYPE(event) == type) return event;
    gst_event_unref(event);
  }
  return nullptr;
}

static void fail_unless_event(Element& element, GstEventType type) {
  GstEvent* event = pull_event(element, type);
  fail_unless(event != nullptr, "no %s event", gst_event_type_get_name(type));
  gst_event_unref(event);
}

BACKEND_TEST(gaps_flushes_and_the_end) {
  Element element(__i__);
  element.send_caps(layout_of_tests());
  fail_unless(is_exact(element, 1, canny::Params()));
  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_gap(7, 9)));
  GstEvent* gap = pull_event(element, GST_EVENT_GAP);
  fail_unless(gap != nullptr);
  GstClockTime time = 0, duration = 0;
  gst_event_parse_gap(gap, &time, &duration);
  fail_unless(time == 7 && duration == 9);
  gst_event_unref(gap);

  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_flush_start()));
  fail_unless_equals_int(element.push(check::new_picture(layout_of_tests(), 2)), GST_FLOW_FLUSHING);
  fail_unless(element.pull() == nullptr);
  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_flush_stop(TRUE)));
  fail_unless_event(element, GST_EVENT_FLUSH_START);
  fail_unless_event(element, GST_EVENT_FLUSH_STOP);
  element.send_segment();
  fail_unless(is_exact(element, 3, canny::Params()));
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 2);

  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_eos()));
  fail_unless_event(element, GST_EVENT_EOS);
  fail_unless_equals_int(element.push(check::new_picture(layout_of_tests(), 4)), GST_FLOW_EOS);
  fail_unless(element.pull() == nullptr);
}
GST_END_TEST

/// A frame before caps is refused, not processed.
GST_START_TEST(a_frame_before_caps) {
  Element element(0);
  element.send_segment();
  fail_unless_equals_int(element.push(check::new_picture(layout_of_tests(), 1)),
                         GST_FLOW_NOT_NEGOTIATED);
  fail_unless(element.pull() == nullptr);
}
GST_END_TEST

/// Checks the error of a failing start: it states the missing part of this kind, and advice.
static void check_start_error(GstElement* element, GstBus* bus, const char* kind = "") {
  fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  const check::Told told = check::told_by(gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR));
  fail_unless(told.is(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless(told.has("backend=cpu") && told.has(kind), "%s", told.text.c_str());
  const std::string reason = check::stats_string(element, "reason");
  fail_unless(!reason.empty() && told.has_detail(reason));
  fail_unless(check::stats_string(element, "backend") == "none");
  gst_element_set_state(element, GST_STATE_NULL);
}

/// Without a usable device the first start fails. With one, only the start with an id out of range
/// fails.
GST_START_TEST(starts_without_the_device) {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  gst_util_set_object_arg(G_OBJECT(element), "backend", "cuda");
  if (!check::no_cuda_reason().empty()) check_start_error(element, bus);
  g_object_set(element, "cuda-device-id", 4096, nullptr);
  check_start_error(element, bus);

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
  gst_element_set_bus(element, nullptr);
  gst_object_unref(bus);
  gst_object_unref(element);
}
GST_END_TEST

/// Whatever is missing: the backend in this build, the loader, a driver, or the device.
GST_START_TEST(starts_without_the_opencl_device) {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  gst_util_set_object_arg(G_OBJECT(element), "backend", "opencl");
  for (const char* device : {"no such device", "4096"}) {
    g_object_set(element, "opencl-device", device, nullptr);
    check_start_error(element, bus, "OpenCL");
  }
  gst_element_set_bus(element, nullptr);
  gst_object_unref(bus);
  gst_object_unref(element);
}
GST_END_TEST

GST_START_TEST(auto_takes_a_device_where_it_is) {
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
GST_END_TEST

void states_suite(TCase* tcase) {
  add_backend_test(tcase, up_and_down);
  add_backend_test(tcase, up_and_down_without_frames);
  add_backend_test(tcase, odd_orders);
  add_backend_test(tcase, two_in_one_pipeline);
  add_backend_test(tcase, two_at_the_same_time);
  tcase_add_test(tcase, all_devices_at_the_same_time);
  add_backend_test(tcase, gaps_flushes_and_the_end);
  tcase_add_test(tcase, a_frame_before_caps);
  tcase_add_test(tcase, starts_without_the_device);
  tcase_add_test(tcase, starts_without_the_opencl_device);
  tcase_add_test(tcase, auto_takes_a_device_where_it_is);
}
