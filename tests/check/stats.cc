// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the statistics: their fields, the measured stages, and the messages.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fixture.h"
#include "reference.h"
#include "worker.h"

using canny::Params;
using check::Element;
using check::Layout;
using check::Owned;

static check::Suite suite("stats");

static constexpr GstClockTime kFrame = GST_SECOND / 30;
static constexpr guint64 kDay = 86400 * GST_SECOND;

static const char* const kTimes[] = {"upload-time", "front-time", "hysteresis-time", "output-time",
                                     "download-time"};

static Layout layout_of_tests() { return check::plain_layout(check::kRgb, 64, 50); }

static GstBuffer* picture_at(int number) {
  GstBuffer* picture = check::new_picture(layout_of_tests(), std::uint64_t(number));
  GST_BUFFER_PTS(picture) = GstClockTime(number) * kFrame;
  GST_BUFFER_DURATION(picture) = kFrame;
  return picture;
}

/// The numbers of the picture, by the reference.
static canny::Result numbers_of(int number, const Params& params) {
  const Owned<GstBuffer> picture(picture_at(number));
  std::vector<std::uint8_t> bytes = check::read_bytes(picture.get());
  const reference::Candidates candidates =
      reference::front(params, check::const_frame_of(layout_of_tests(), bytes.data()));
  const reference::Bytes edges = reference::edges_of(params, candidates);
  const auto ones = [](const reference::Bytes& plane) {
    return std::uint64_t(std::count(plane.samples.begin(), plane.samples.end(), 1));
  };
  canny::Result result;
  result.edge_pixels = ones(edges);
  result.strong_pixels = ones(candidates.strong);
  result.candidate_pixels = ones(candidates.candidate);
  result.components = reference::count_components(edges);
  return result;
}

/// Pushes frames and takes as many outputs.
static void run(Element& element, int frames) {
  for (int i = 0; i < frames; i++) fail_unless_equals_int(element.push(picture_at(i)), GST_FLOW_OK);
  for (int i = 0; i < frames; i++) {
    const Owned<GstBuffer> output(element.wait());
    fail_unless(output != nullptr);
  }
}

static guint64 number(Element& element, const char* field) {
  return check::stats_number(element.get(), field);
}

static void check_fields(const GstStructure* stats) {
  const std::vector<std::pair<const char*, GType>> fields = {
      {"backend", G_TYPE_STRING},        {"device", G_TYPE_STRING},
      {"reason", G_TYPE_STRING},         {"frames", G_TYPE_UINT64},
      {"uploads", G_TYPE_UINT64},        {"downloads", G_TYPE_UINT64},
      {"uploaded-bytes", G_TYPE_UINT64}, {"downloaded-bytes", G_TYPE_UINT64},
      {"last-time", G_TYPE_UINT64},      {"mean-time", G_TYPE_UINT64},
      {"edge-pixels", G_TYPE_UINT64},    {"low", G_TYPE_DOUBLE},
      {"high", G_TYPE_DOUBLE},           {"upload-time", G_TYPE_UINT64},
      {"front-time", G_TYPE_UINT64},     {"hysteresis-time", G_TYPE_UINT64},
      {"output-time", G_TYPE_UINT64},    {"download-time", G_TYPE_UINT64},
      {"strong-pixels", G_TYPE_UINT64},  {"candidate-pixels", G_TYPE_UINT64},
      {"components", G_TYPE_UINT64},
  };
  fail_unless_equals_int(gst_structure_n_fields(stats), int(fields.size()));
  for (const auto& [name, type] : fields) {
    fail_unless(gst_structure_has_field_typed(stats, name, type), "no field '%s', or of type %s",
                name, g_type_name(gst_structure_get_field_type(stats, name)));
  }
}

PLAIN_TEST(stats_have_their_fields) {
  Element element(0);
  GstStructure* stats = nullptr;
  g_object_get(element.get(), "stats", &stats, nullptr);
  fail_unless_equals_string(gst_structure_get_name(stats), "application/x-cudacanny-stats");
  check_fields(stats);
  gst_structure_free(stats);
}

/// The numbers besides that of the edges are 0 without measuring.
static void check_numbers(Element& element, const canny::Result& expected, bool is_measured) {
  const auto measured = [&](guint64 value) { return is_measured ? value : 0; };
  fail_unless_equals_uint64(number(element, "edge-pixels"), expected.edge_pixels);
  fail_unless_equals_uint64(number(element, "strong-pixels"), measured(expected.strong_pixels));
  fail_unless_equals_uint64(number(element, "candidate-pixels"),
                            measured(expected.candidate_pixels));
  fail_unless_equals_uint64(number(element, "components"), measured(expected.components));
}

/// The last frame is measured if its settings say so, and only then.
BACKEND_TEST(stages_are_measured_on_demand) {
  const bool has_copies = __i__ == 1;
  Element element(__i__, 1);
  Params params;
  params.min_length = 5;
  element.set_params(params);
  element.send_caps(layout_of_tests());
  for (const bool has_stage_times : {false, true, true, false}) {
    g_object_set(element.get(), "measure-stages", gboolean{has_stage_times}, nullptr);
    run(element, 3);
    const canny::Result expected = numbers_of(2, params);
    fail_unless(expected.strong_pixels > 0 && expected.components > 1);
    fail_unless(expected.candidate_pixels > expected.strong_pixels);
    check_numbers(element, expected, has_stage_times);
    for (const char* time : kTimes) {
      const bool is_copy = g_str_has_suffix(time, "load-time");
      const bool expects = has_stage_times && (has_copies || !is_copy);
      if (is_copy && check::shares_memory()) continue;
      fail_unless((number(element, time) > 0) == expects, "%s", time);
    }
  }
  if (has_copies && check::shares_memory()) return;  // what is copied depends on addresses
  const guint64 frames = has_copies ? 12 : 0;
  fail_unless_equals_uint64(number(element, "uploads"), frames);
  fail_unless_equals_uint64(number(element, "downloads"), frames);
  fail_unless_equals_uint64(number(element, "uploaded-bytes"), frames * 64 * 50 * 3);
  fail_unless_equals_uint64(number(element, "downloaded-bytes"), frames * 64 * 50 * 3);
}

/// Changes between frames in flight change no edge, and each frame's numbers are its own.
FLIGHT_TEST(measuring_changes_with_frames_in_flight) {
  Element element(flight.backend, layout_of_tests(), flight.frames);
  const int frames = check::is_slow() ? 10 : 100;
  std::string differs;
  {
    const check::Repeated setter(
        [&](int i) { g_object_set(element.get(), "measure-stages", i % 2, nullptr); });
    for (int i = 0; i < frames; i++) {
      if (element.push(picture_at(i)) != GST_FLOW_OK) differs = "no push";
    }
    for (int i = 0; i < frames && differs.empty(); i++) {
      const Owned<GstBuffer> in(picture_at(i));
      const Owned<GstBuffer> out(element.wait());
      differs = check::difference(out.get(), layout_of_tests(),
                                  check::reference_edges(in.get(), layout_of_tests(), {}));
    }
  }
  fail_if_wrong(differs);
  check_numbers(element, numbers_of(frames - 1, Params()), number(element, "front-time") > 0);
}

/// Takes an info message off the bus. Returns its text, empty if there is none.
static std::string pop_info(Element& element) {
  return check::told_by(element.pop(GST_MESSAGE_INFO)).text;
}

/// Measured thresholds that are of no use are told once after each start.
BACKEND_TEST(flat_frames_are_told_once) {
  struct Case {
    const char *mode, *output, *told;
  };
  Element element(__i__, 1);
  for (const Case& now : {Case{"quantile", "edges", "are 0, so all gradients"},
                          {"median", "classes", "are 0, so all gradients"},
                          {"otsu", "overlay", "finds no threshold"},
                          {"quantile", "gradient", ""},
                          {"relative", "edges", ""},
                          {"absolute", "edges", ""}}) {
    gst_util_set_object_arg(G_OBJECT(element.get()), "threshold-mode", now.mode);
    gst_util_set_object_arg(G_OBJECT(element.get()), "output", now.output);
    element.send_caps(layout_of_tests());
    for (const bool is_first : {true, false}) {
      GstBuffer* black = picture_at(0);
      gst_buffer_memset(black, 0, 0, gst_buffer_get_size(black));
      fail_unless_equals_int(element.push(black), GST_FLOW_OK);
      fail_unless(Owned<GstBuffer>(element.wait()) != nullptr);
      const std::string text = pop_info(element);
      const bool is_told = text.find(now.told) != std::string::npos && !text.empty();
      fail_unless(is_told == (is_first && *now.told != '\0'), "%s: '%s'", now.mode, text.c_str());
    }
    gst_element_set_state(element.get(), GST_STATE_READY);
    gst_element_set_state(element.get(), GST_STATE_PLAYING);
  }
}

PLAIN_TEST(both_properties_are_controlled) {
  Element element(0, 1);
  check::control(element, "measure-stages", 0, kFrame, {1, 0, 1});
  check::control(element, "stats-interval", 0, kFrame, {0, 1, 0});
  element.send_caps(layout_of_tests());
  for (int i = 0; i < 3; i++) {
    fail_unless_equals_int(element.push(picture_at(i)), GST_FLOW_OK);
    fail_unless_equals_int(number(element, "front-time") > 0, i != 1);
    const Owned<GstMessage> message(element.pop(GST_MESSAGE_ELEMENT));
    fail_unless_equals_int(message != nullptr, i == 1);
  }
}

/// The number of frames in the next message of statistics, 0 if there is none.
static guint64 frames_of_message(Element& element) {
  const Owned<GstMessage> message(element.pop(GST_MESSAGE_ELEMENT));
  if (message == nullptr) return 0;
  fail_unless(GST_MESSAGE_SRC(message.get()) == GST_OBJECT(element.get()));
  const GstStructure* stats = gst_message_get_structure(message.get());
  fail_unless_equals_string(gst_structure_get_name(stats), "cudacanny-stats");
  check_fields(stats);
  guint64 frames = 0;
  gst_structure_get_uint64(stats, "frames", &frames);
  return frames;
}

/// After 1 ns, a message is due at every frame; after a day, at none.
FLIGHT_TEST(messages_follow_the_interval) {
  Element element(flight.backend, layout_of_tests(), flight.frames);
  guint64 frames = 0;
  for (const guint64 interval : {guint64{0}, guint64{1}, kDay, guint64{1}, guint64{0}}) {
    g_object_set(element.get(), "stats-interval", interval, nullptr);
    run(element, 4);
    for (int i = 0; i < 4; i++) {
      frames++;
      if (interval == 1) fail_unless_equals_uint64(frames_of_message(element), frames);
    }
    fail_unless_equals_uint64(frames_of_message(element), 0);
  }
}

/// Messages come, and never sooner than the interval.
PLAIN_TEST(messages_keep_their_distance) {
  constexpr GstClockTime kInterval = 20 * GST_MSECOND;
  const GstClockTime start = gst_util_get_timestamp();
  Element element(0);
  g_object_set(element.get(), "stats-interval", guint64{kInterval}, nullptr);
  element.send_caps(layout_of_tests());
  GstClockTime passed = 0;
  for (guint messages = 0; messages < 5; passed = gst_util_get_timestamp() - start) {
    fail_unless(passed < check::kPatience, "%u messages", messages);
    run(element, 1);
    if (frames_of_message(element) == 0) continue;
    messages++;
    passed = gst_util_get_timestamp() - start;
    fail_unless(passed >= messages * kInterval, "message %u after %" GST_TIME_FORMAT, messages,
                GST_TIME_ARGS(passed));
  }
}

/// Calls that take the element's locks.
static GstBusSyncReply use_element(GstBus*, GstMessage* message, gpointer) {
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ELEMENT) return GST_BUS_PASS;
  auto* element = GST_ELEMENT(GST_MESSAGE_SRC(message));
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  gst_structure_free(stats);
  g_object_set(element, "sigma", 1.0, "stats-interval", guint64{1}, nullptr);
  return GST_BUS_PASS;
}

LOOP_TEST(messages_are_posted_without_locks, std::size(check::kCounts)) {
  Element element(0, check::kCounts[__i__]);
  GstBus* bus = gst_element_get_bus(element.get());
  gst_bus_set_sync_handler(bus, use_element, nullptr, nullptr);
  g_object_set(element.get(), "stats-interval", guint64{1}, nullptr);
  element.send_caps(layout_of_tests());
  run(element, 4);
  fail_unless(frames_of_message(element) > 0);
  gst_bus_set_sync_handler(bus, nullptr, nullptr, nullptr);
  gst_object_unref(bus);
}
