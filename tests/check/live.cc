// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests changes while frames run: live properties, control bindings, statistics.
#include <atomic>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "shapedpool.h"
#include "worker.h"

using canny::Params;
using check::Element;
using check::Layout;
using check::Owned;
using check::Repeated;
using Edges = std::vector<std::uint8_t>;

static check::Suite suite("live");

static constexpr GstClockTime kFrame = GST_SECOND / 30;

static Layout layout_of_tests() { return check::plain_layout(check::kRgb, 70, 50); }

/// The defaults with another operator, and thresholds in its unit.
static Params with_operator(canny::Operator op, double low, double high) {
  Params params;
  params.gradient_operator = op;
  params.low_threshold = low;
  params.high_threshold = high;
  return params;
}

static Params with_mode(canny::ThresholdMode mode, double high_ratio = 0, double low_ratio = 0) {
  Params params;
  params.threshold_mode = mode;
  params.high_ratio = high_ratio;
  params.low_ratio = low_ratio;
  return params;
}

/// The defaults, and settings that differ from them in every live property that changes edges.
static std::vector<Params> variants() {
  using canny::Operator;
  using canny::ThresholdMode;
  std::vector<Params> all(9);
  all[1].low_threshold = 148;
  all[2].high_threshold = 200.5;
  all[3].sigma = 0;
  all[4].norm = canny::Norm::kL1;
  all[5].hysteresis_passes = 1;
  all[6].thin_edges = false;
  all[7].color_mode = canny::ColorMode::kLargestChannel;
  all[8].min_length = 12;
  for (const Params& params :
       {with_operator(Operator::kSobel5, 600, 1800), with_operator(Operator::kSobel7, 8000, 24000),
        with_operator(Operator::kScharr, 200, 600), with_operator(Operator::kPrewitt, 37.5, 112.5),
        with_operator(Operator::kKroon, 1200, 3600), with_operator(Operator::kRoberts, 12.5, 37.5),
        with_operator(Operator::kRobinson, 50, 150), with_operator(Operator::kKirsch, 180, 560)})
    all.push_back(params);
  const std::pair<ThresholdMode, double> modes[] = {{ThresholdMode::kRelative, 0.5},
                                                    {ThresholdMode::kQuantile, 0.5},
                                                    {ThresholdMode::kOtsu, 0.5},
                                                    {ThresholdMode::kMedian, 0.8}};
  for (const auto& [mode, high_ratio] : modes) {
    all.push_back(with_mode(mode));
    all.push_back(with_mode(mode, high_ratio));
    all.push_back(with_mode(mode, high_ratio, 0.9));
  }
  return all;
}

/// Pushes the picture and compares its edges.
static void check_frame(Element& element, GstBuffer* picture, const Edges& edges,
                        const char* what) {
  const std::string differs =
      check::push_difference(element, gst_buffer_ref(picture), layout_of_tests(), edges);
  fail_unless(differs.empty(), "%s: %s", what, differs.c_str());
}

BACKEND_TEST(changes_take_effect_on_the_next_frame) {
  const Layout layout = layout_of_tests();
  Element element(__i__, layout);
  GstBuffer* picture = check::new_picture(layout, 11);
  std::set<Edges> seen;
  for (const Params& params : variants()) {
    const Edges edges = check::reference_edges(picture, layout, params);
    fail_unless(check::count_edges(edges) > 0, "no edges");
    fail_unless(seen.insert(edges).second, "two settings give the same edges");
    element.set_params(params);
    check_frame(element, picture, edges, "first frame after a change");
    check_frame(element, picture, edges, "second frame after a change");
  }
  gst_buffer_unref(picture);
}

BACKEND_TEST(reversed_thresholds_are_swapped) {
  const Layout layout = layout_of_tests();
  Element element(__i__);
  g_object_set(element.get(), "low-threshold", 150.0, "high-threshold", 50.0, nullptr);
  element.send_caps(layout);
  GstBuffer* picture = check::new_picture(layout, 11);
  for (const int warnings : {1, 0}) {
    check_frame(element, picture, check::reference_edges(picture, layout, Params()), "swapped");
    for (int i = 0; i <= warnings; i++) {
      const check::Told told = check::told_by(element.pop(GST_MESSAGE_WARNING));
      fail_unless((told.domain != 0) == (i < warnings), "warning %d", i);
      fail_unless(told.domain == 0 || told.has("Set high-threshold"), "%s", told.text.c_str());
    }
  }
  gst_buffer_unref(picture);
}

/// Largest-channel reads red, green and blue, wherever they are, and luma where they are not.
BACKEND_TEST(the_largest_channel_of_every_format) {
  Params params;
  params.color_mode = canny::ColorMode::kLargestChannel;
  Element element(__i__);
  element.set_params(params);
  for (const check::Format& format : check::kFormats) {
    const Layout layout = check::plain_layout(format, 70, 50);
    element.send_caps(layout);
    const std::string differs =
        check::push_difference(element, check::new_picture(layout, 11), layout, params);
    fail_unless(differs.empty(), "%s: %s", format.name, differs.c_str());
  }
}

/// Pushes the picture again and again. Returns how many frames have edges that are allowed.
static int count_allowed(Element& element, GstBuffer* picture, int frames,
                         const std::set<Edges>& allowed) {
  int good = 0;
  for (int i = 0; i < frames && element.push(gst_buffer_ref(picture)) == GST_FLOW_OK; i++) {
    const Owned<GstBuffer> output(element.wait());
    for (const Edges& edges : allowed)
      good += check::difference(output.get(), layout_of_tests(), edges).empty();
  }
  return good;
}

/// Every frame follows one setting as a whole, whenever another thread changes it.
BACKEND_TEST(changes_from_another_thread) {
  const Layout layout = layout_of_tests();
  Element element(__i__, layout);
  const Owned<GstBuffer> picture(check::new_picture(layout, 12));
  Params other;
  other.sigma = 0.5;
  const std::set<Edges> allowed = {check::reference_edges(picture.get(), layout, Params()),
                                   check::reference_edges(picture.get(), layout, other)};
  fail_unless_equals_int(int(allowed.size()), 2);
  const int frames = check::is_slow() ? 10 : 200;
  int good = 0;
  {
    const Repeated sigmas(
        [&](int i) { g_object_set(element.get(), "sigma", i % 2 ? 0.5 : 1.4, nullptr); });
    good = count_allowed(element, picture.get(), frames, allowed);
  }
  fail_unless_equals_int(good, frames);
}

/// Two threads change different properties. Every frame has one value of each.
BACKEND_TEST(changes_from_two_threads) {
  const Layout layout = layout_of_tests();
  Element element(__i__, layout);
  const Owned<GstBuffer> picture(check::new_picture(layout, 12));
  std::set<Edges> allowed;
  for (const double sigma : {0.5, 1.4}) {
    for (const double high : {100.0, 150.0}) {
      Params params;
      params.sigma = sigma;
      params.high_threshold = high;
      params.low_threshold = high / 3;  // follows in the same frame
      allowed.insert(check::reference_edges(picture.get(), layout, params));
    }
  }
  fail_unless_equals_int(int(allowed.size()), 4);
  const int frames = check::is_slow() ? 10 : 200;
  int good = 0;
  {
    const Repeated sigmas(
        [&](int i) { g_object_set(element.get(), "sigma", i % 2 ? 0.5 : 1.4, nullptr); });
    const Repeated thresholds([&](int i) {
      g_object_set(element.get(), "high-threshold", i % 2 ? 100.0 : 150.0, nullptr);
    });
    good = count_allowed(element, picture.get(), frames, allowed);
  }
  fail_unless_equals_int(good, frames);
}

/// The output for the picture, if the preset is loaded now.
static Edges with_preset(Element& element, const char* preset, GstBuffer* picture) {
  fail_unless(gst_preset_load_preset(GST_PRESET(element.get()), preset));
  return check::output_bytes(element, picture);
}

/// A preset sets one property after the other, in PLAYING and while another thread sets one. All
/// frames come out, and later ones follow the preset that was loaded last.
BACKEND_TEST(presets_are_loaded_while_frames_run) {
  // Rows of a multiple of 4 bytes have no padding, whose bytes would be undefined.
  const Layout layout = check::plain_layout(check::kGray, 72, 50);
  GstBuffer* picture = check::new_picture(layout, 12);
  Element fresh(__i__), element(__i__);
  fresh.send_caps(layout);
  element.send_caps(layout);
  const int frames = check::is_slow() ? 10 : 100;
  int pulled = 0;
  {
    const Repeated presets([&](int i) {
      gst_preset_load_preset(GST_PRESET(element.get()), i % 2 ? "fine" : "opencv");
    });
    const Repeated measuring([&](int i) {
      g_object_set(element.get(), "measure-stages", i % 2, "sigma", 2.0, nullptr);
    });
    for (int i = 0; i < frames && element.push(gst_buffer_ref(picture)) == GST_FLOW_OK; i++) {
      if (GstBuffer* output = element.wait()) {
        gst_buffer_unref(output);
        pulled++;
      }
    }
  }
  fail_unless_equals_int(pulled, frames);
  fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr);
  const Edges fine = with_preset(fresh, "fine", picture);
  fail_unless(with_preset(element, "fine", picture) == fine);
  const Edges opencv = with_preset(fresh, "opencv", picture);
  fail_unless(with_preset(element, "opencv", picture) == opencv);
  fail_if(fine == opencv);
  gst_buffer_unref(picture);
}

static void bind_all(Element& element, GstClockTime start, const std::vector<Params>& frames) {
  for (const check::LiveProperty& property : check::live_properties()) {
    std::vector<double> values;
    for (const Params& params : frames) values.push_back(property.number(params));
    check::control(element, property.name, start, kFrame, values);
  }
}

/// The control sources count stream time, which is not the buffers' time here.
BACKEND_TEST(control_bindings_hit_the_right_frame) {
  const Layout layout = layout_of_tests();
  const std::vector<Params> frames = variants();
  Element element(__i__);
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = 10 * GST_SECOND;
  segment.time = 100 * GST_SECOND;
  segment.base = 5 * GST_SECOND;
  bind_all(element, segment.time, frames);
  element.send_caps(layout);
  element.send_segment(segment);

  GstBuffer* picture = check::new_picture(layout, 13);
  for (std::size_t i = 0; i < frames.size(); i++) {
    GST_BUFFER_PTS(picture) = segment.start + i * kFrame;
    check_frame(element, picture, check::reference_edges(picture, layout, frames[i]), "bound");
  }
  GST_BUFFER_PTS(picture) = GST_CLOCK_TIME_NONE;
  const Edges last = check::reference_edges(picture, layout, frames.back());
  check_frame(element, picture, last, "without a timestamp the last values stay");
  gst_segment_init(&segment, GST_FORMAT_BYTES);
  element.send_segment(segment);
  GST_BUFFER_PTS(picture) = 0;
  check_frame(element, picture, last, "in a segment of bytes the last values stay");
  gst_buffer_unref(picture);
}

static void check_stats(Element& element, guint64 frames, const canny::Result& last) {
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), frames);
  fail_unless_equals_uint64(check::stats_number(element.get(), "edge-pixels"), last.edge_pixels);
  fail_unless_equals_float(check::stats_double(element.get(), "low"), last.low_threshold);
  fail_unless_equals_float(check::stats_double(element.get(), "high"), last.high_threshold);
  fail_unless_equals_int(check::stats_number(element.get(), "last-time") > 0, frames > 0);
  fail_unless_equals_int(check::stats_number(element.get(), "mean-time") > 0, frames > 0);
}

BACKEND_TEST(stats_from_start_to_stop) {
  const Layout layout = layout_of_tests();
  Element element(__i__);
  fail_unless(check::stats_string(element.get(), "backend") == check::backend_name(__i__));
  fail_if(check::stats_string(element.get(), "device").empty());
  fail_if(check::stats_string(element.get(), "reason").empty());
  check_stats(element, 0, {});
  element.send_caps(layout);
  canny::Result last;
  for (guint64 frame = 1; frame < 5; frame++) {
    GstBuffer* picture = check::new_picture(layout, frame);
    Params params;
    params.high_threshold += double(frame);
    element.set_params(params);
    check::reference_edges(picture, layout, params, &last);
    fail_unless(last.edge_pixels > 0 && last.high_threshold == params.high_threshold);
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
    gst_buffer_unref(element.pull());
    check_stats(element, frame, last);
  }
  gst_element_set_state(element.get(), GST_STATE_READY);
  fail_unless(check::stats_string(element.get(), "backend") == "none");
  fail_unless(check::stats_string(element.get(), "device").empty());
  check_stats(element, 4, last);

  // A failed start has no frames.
  gst_util_set_object_arg(G_OBJECT(element.get()), "backend", "cuda");
  g_object_set(element.get(), "cuda-device-id", 4096, nullptr);
  fail_unless_equals_int(gst_element_set_state(element.get(), GST_STATE_PAUSED),
                         GST_STATE_CHANGE_FAILURE);
  fail_unless(check::stats_string(element.get(), "backend") == "none");
  fail_if(check::stats_string(element.get(), "reason").empty());
  check_stats(element, 0, {});

  gst_element_set_state(element.get(), GST_STATE_READY);
  check::set_backend(element.get(), __i__);
  g_object_set(element.get(), "cuda-device-id", -1, nullptr);
  gst_element_set_state(element.get(), GST_STATE_PAUSED);
  fail_unless(check::stats_string(element.get(), "backend") == check::backend_name(__i__));
  check_stats(element, 0, {});
}

/// Whether a snapshot is not torn. Frames alternate between two numbers of edge pixels, which must
/// match the frame count.
static bool is_consistent(const GstStructure* stats, const guint64 (&edge_pixels)[2]) {
  guint64 frames = 0, edges = 0, last = 0, mean = 0;
  gst_structure_get(stats, "frames", G_TYPE_UINT64, &frames, "edge-pixels", G_TYPE_UINT64, &edges,
                    "last-time", G_TYPE_UINT64, &last, "mean-time", G_TYPE_UINT64, &mean, nullptr);
  if (frames == 0) return edges == 0 && last == 0 && mean == 0;
  return edges == edge_pixels[(frames - 1) % 2] && last > 0 && mean > 0;
}

BACKEND_TEST(stats_from_another_thread) {
  const Layout layout = layout_of_tests();
  Element element(__i__, layout);
  GstBuffer* pictures[] = {check::new_picture(layout, 1), check::new_picture(layout, 2)};
  guint64 edge_pixels[2];
  for (int i = 0; i < 2; i++) {
    edge_pixels[i] = check::count_edges(check::reference_edges(pictures[i], layout, Params()));
  }
  fail_if(edge_pixels[0] == edge_pixels[1]);

  std::atomic<bool> consistent{true};
  const guint64 frames = check::is_slow() ? 20 : 1000;
  bool flows = true;
  {
    const Repeated reader([&](int) {
      GstStructure* stats = nullptr;
      g_object_get(element.get(), "stats", &stats, nullptr);
      if (!is_consistent(stats, edge_pixels)) consistent = false;
      gst_structure_free(stats);
    });
    for (guint64 i = 0; i < frames && flows; i++) {
      flows = element.push(gst_buffer_ref(pictures[i % 2])) == GST_FLOW_OK;
      if (flows) gst_buffer_unref(element.pull());
    }
  }
  fail_unless(flows);
  fail_unless(consistent, "a snapshot mixes two frames");
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), frames);
  for (GstBuffer* picture : pictures) gst_buffer_unref(picture);
}

/// The element's messages of one level in GStreamer's log, from the test's own thread.
struct Log {
  GstDebugLevel level;
  std::vector<std::string> lines{};

  explicit Log(GstDebugLevel of) : level(of) {
    gst_debug_add_log_function(keep, this, nullptr);
    gst_debug_set_active(TRUE);
    gst_debug_set_threshold_for_name("cudacanny", level);
  }
  ~Log() {
    gst_debug_set_threshold_for_name("cudacanny", gst_debug_get_default_threshold());
    gst_debug_remove_log_function(keep);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  static void keep(GstDebugCategory* category, GstDebugLevel level, const gchar*, const gchar*,
                   gint, GObject*, GstDebugMessage* message, gpointer data) {
    auto* log = static_cast<Log*>(data);
    if (level != log->level) return;
    if (std::strcmp(gst_debug_category_get_name(category), "cudacanny") != 0) return;
    log->lines.push_back(gst_debug_message_get(message));
  }
};

BACKEND_TEST(a_start_is_one_info_line) {
  const Log log(GST_LEVEL_INFO);
  const Element element(__i__);
  const std::string reason = check::stats_string(element.get(), "reason");
  fail_unless_equals_int(log.lines.size(), 1);
  fail_unless(log.lines[0].find(check::backend_name(__i__)) != std::string::npos);
  fail_unless(log.lines[0].find(reason) != std::string::npos);
}

/// The log states the memory and the route of each frame. Each output is the next input, the last
/// one as a part of its memory.
BACKEND_TEST(every_frame_is_logged) {
  const std::string backend = check::backend_name(__i__);
  const std::string own = backend == "cuda" ? "page-locked" : "pageable";
  const Log log(GST_LEVEL_LOG);
  Element element(__i__, layout_of_tests(), 1);
  GstBuffer* frame = check::new_picture(layout_of_tests(), 1);
  for (gsize i = 0; i < 3; i++) {
    GST_BUFFER_PTS(frame) = i * GST_SECOND;
    fail_unless_equals_int(element.push(frame), GST_FLOW_OK);
    fail_unless_equals_int(log.lines.size(), 2 * i + 2);
    const std::string memory =
        "from " + (i > 0 ? own : "pageable") + " to " + own + " memory, on " + backend;
    fail_unless_equals_string(log.lines[2 * i].c_str(), memory.c_str());
    const std::string route = "frame 0:00:0" + std::to_string(i) + ".000000000 took the route ";
    fail_unless(log.lines[2 * i + 1].find(route) == 0 && log.lines[2 * i + 1].size() > route.size(),
                "'%s'", log.lines[2 * i + 1].c_str());
    frame = element.wait();
    if (i == 1) frame = check::split(frame, 1);
  }
  gst_buffer_unref(frame);
}
