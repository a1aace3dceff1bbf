// SPDX-License-Identifier: LGPL-2.1-or-later
/// The element under test, pipelines, and the tally of cases.
#include "fixture.h"

#include <gst/controller/controller.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <tuple>

#include "introspection.h"

namespace check {

/// Whether the device under test is one of OpenCL.
static bool is_on_opencl() {
  const char* device = std::getenv("CANNY_TEST_DEVICE");
  return device != nullptr && std::strcmp(device, "opencl") == 0;
}

static std::string opencl_device() {
  const char* name = std::getenv("CANNY_TEST_OPENCL_DEVICE");
  return name != nullptr ? name : "0";
}

const char* backend_name(int backend) {
  return backend == 0 ? "cpu" : is_on_opencl() ? "opencl" : "cuda";
}

std::string backend_in_line(int backend) {
  const std::string name = backend_name(backend);
  return name != "opencl" ? name : name + " opencl-device=\"" + opencl_device() + '"';
}

void set_backend(GstElement* element, int backend) {
  gst_util_set_object_arg(G_OBJECT(element), "backend", backend_name(backend));
  if (backend != 0 && is_on_opencl())
    g_object_set(element, "opencl-device", opencl_device().c_str(), nullptr);
}

/// Starts on a backend and returns the debug details of the error, empty if there is none.
static std::string try_backend(void (*set)(GstElement* element)) {
  const Owned<GstElement> element(gst_element_factory_make("cudacanny", nullptr));
  if (element == nullptr) return "there is no element cudacanny";
  const Owned<GstBus> bus(gst_bus_new());
  gst_element_set_bus(element.get(), bus.get());
  set(element.get());
  std::string reason;
  if (gst_element_set_state(element.get(), GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE) {
    reason = stats_string(element.get(), "reason");
  }
  gst_element_set_state(element.get(), GST_STATE_NULL);
  gst_element_set_bus(element.get(), nullptr);
  return reason;
}

const std::string& no_cuda_reason() {
  static const std::string reason = try_backend(
      [](GstElement* element) { gst_util_set_object_arg(G_OBJECT(element), "backend", "cuda"); });
  return reason;
}

/// Likewise for the device under test.
static const std::string& no_device_reason() {
  static const std::string reason =
      try_backend([](GstElement* element) { set_backend(element, 1); });
  return reason;
}

const char* auto_backend(bool has_cuda) {
  static const bool has_opencl_gpu =
      try_backend([](GstElement* element) {
        gst_util_set_object_arg(G_OBJECT(element), "backend", "opencl");
      }).empty();
  return has_cuda ? "cuda" : has_opencl_gpu ? "opencl" : "cpu";
}

bool shares_memory() {
  static const bool does = [] {
    canny::Options options;
    options.backend = canny::Backend::kOpenCl;
    options.opencl_device = opencl_device();
    canny::Detector detector;
    return is_on_opencl() && canny::Detector::create(options, &detector).ok() &&
           detector.info().zero_copy_alignment > 0;
  }();
  return does;
}

/// The exit status of a test that was skipped.
static constexpr int kMesonSkipped = 77;

static struct {
  int cases[kBackends] = {};
  int skipped = 0;
} the_tally;

/// Prints each reason once.
static void count_skip(const char* test, const std::string& reason) {
  static std::set<std::string> told;
  if (told.insert(test).second) std::printf("skipped: %s %s\n", test, reason.c_str());
  the_tally.skipped++;
}

bool skip(const char* test, int backend) {
  if (backend == 0 || no_device_reason().empty()) {
    the_tally.cases[backend]++;
    return false;
  }
  const char* variable = is_on_opencl() ? "CANNY_REQUIRE_OPENCL" : "CANNY_REQUIRE_CUDA";
  const char* required = std::getenv(variable);
  fail_if(required != nullptr && std::strcmp(required, "1") == 0,
          "%s=1, but the device can't be used: %s", variable, no_device_reason().c_str());
  count_skip(test, std::string("on ") + backend_name(backend) + ": " + no_device_reason());
  return true;
}

bool skip_without_element(const char* test, const char* element) {
  GstElementFactory* factory = gst_element_factory_find(element);
  if (factory == nullptr) count_skip(test, std::string("without element ") + element);
  const bool is_missing = factory == nullptr;
  gst_clear_object(&factory);
  return is_missing;
}

bool skip_without(const char* test, const char* element) {
  if (is_on_opencl()) {
    count_skip(test, "on opencl: it is about CUDA");
    return true;
  }
  if (!no_device_reason().empty()) return skip(test, 1);
  return skip_without_element(test, element) || skip(test, 1);
}

bool is_slow() { return std::getenv("CANNY_TEST_SLOW") != nullptr; }

static void set_frames_in_flight(GstElement* element, int frames) {
  fail_unless(g_object_class_find_property(G_OBJECT_GET_CLASS(element), "frames-in-flight"),
              "no property frames-in-flight");
  g_object_set(element, "frames-in-flight", guint(frames), nullptr);
}

/// If a member is added to Params but not here, this does not compile.
const std::vector<LiveProperty>& live_properties() {
  static const auto count_members = [](const canny::Params& params) {
    const auto& [low, high, sigma, passes, norm, op, is_thin, color, depth, mode, high_ratio,
                 low_ratio, min_length, view, edge_color, measures] = params;
    static_cast<void>(measures);  // changes no pixel
    return std::tie(low, high, sigma, passes, norm, op, is_thin, color, depth, mode, high_ratio,
                    low_ratio, min_length, view, edge_color);
  };
  using canny::Params;
  static const std::vector<LiveProperty> all = {
      {"low-threshold", [](const Params& params) { return params.low_threshold; }},
      {"high-threshold", [](const Params& params) { return params.high_threshold; }},
      {"threshold-mode", [](const Params& params) { return double(params.threshold_mode); }},
      {"high-ratio", [](const Params& params) { return params.high_ratio; }},
      {"low-ratio", [](const Params& params) { return params.low_ratio; }},
      {"sigma", [](const Params& params) { return params.sigma; }},
      {"color-mode", [](const Params& params) { return double(params.color_mode); }},
      {"luma-depth", [](const Params& params) { return double(params.luma_depth); }},
      {"operator", [](const Params& params) { return double(params.gradient_operator); }},
      {"norm", [](const Params& params) { return double(params.norm == canny::Norm::kL1); }},
      {"thin-edges", [](const Params& params) { return double(params.thin_edges); }},
      {"hysteresis-passes", [](const Params& params) { return double(params.hysteresis_passes); }},
      {"min-length", [](const Params& params) { return double(params.min_length); }},
      {"output", [](const Params& params) { return double(params.view); }},
      {"edge-color", [](const Params& params) { return double(params.edge_color); }},
  };
  g_assert(all.size() == std::tuple_size<decltype(count_members({}))>::value);
  return all;
}

/// Elements and pipelines that have not been stopped yet.
static std::set<GstElement*> running;

static void stop(GstElement* element) {
  gst_element_set_state(element, GST_STATE_NULL);
  running.erase(element);
}

/// Stops those of a failed test, whose threads would block gst-check.
static void stop_leftovers() {
  while (!running.empty()) stop(*running.begin());
}

std::vector<const Suite*>& Suite::all() {
  static std::vector<const Suite*> suites;
  return suites;
}

int run() {
  SRunner* runner = srunner_create(nullptr);
  for (const Suite* each : Suite::all()) {
    ::Suite* suite = suite_create(each->name);
    TCase* tcase = tcase_create(each->name);
    tcase_add_checked_fixture(tcase, nullptr, stop_leftovers);
    tcase_add_checked_fixture(tcase, each->set_up, each->tear_down);
    for (const auto add_test : each->tests) add_test(tcase);
    suite_add_tcase(suite, tcase);
    srunner_add_suite(runner, suite);
  }
  // The tally is kept in this process, and CUDA does not survive a fork.
  srunner_set_fork_status(runner, CK_NOFORK);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  const int skipped = the_tally.skipped;
  const int passed = srunner_ntests_run(runner) - failed - skipped;
  srunner_free(runner);
  const int on_device = the_tally.cases[1];
  if (is_on_opencl()) std::printf("opencl: %d cases\n", on_device);
  std::printf("cpu: %d cases, cuda: %d cases\n", the_tally.cases[0],
              is_on_opencl() ? 0 : on_device);
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  if (failed > 0 || passed + skipped == 0) return 1;
  return passed > 0 ? 0 : kMesonSkipped;
}

Element::Element(int backend, int frames_in_flight) {
  element_ = gst_element_factory_make("cudacanny", nullptr);
  fail_unless(element_ != nullptr, "no element cudacanny: check GST_PLUGIN_PATH");
  gst_object_ref_sink(element_);
  running.insert(element_);
  set_backend(element_, backend);
  if (frames_in_flight != kDefault) set_frames_in_flight(element_, frames_in_flight);
  bus_ = gst_bus_new();
  gst_element_set_bus(element_, bus_);
  harness_ = gst_harness_new_with_element(element_, "sink", "src");
}

Element::~Element() {
  stop(element_);
  gst_harness_teardown(harness_);
  gst_element_set_bus(element_, nullptr);
  gst_object_unref(element_);
  gst_object_unref(bus_);
}

void Element::set_params(const canny::Params& params) {
  for (const LiveProperty& property : live_properties()) {
    set_number(element_, spec_of(element_, property.name), property.number(params));
  }
}

void Element::send_caps(GstCaps* caps) {
  gst_harness_push_event(harness_, gst_event_new_caps(caps));
  gst_caps_unref(caps);
  if (!has_segment_) send_segment();
}

void Element::send_caps(const Layout& layout) {
  send_caps(new_caps(*layout.format, layout.width, layout.height));
}

void Element::send_segment() {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  send_segment(segment);
}

void Element::send_segment(const GstSegment& segment) {
  fail_unless(gst_harness_push_event(harness_, gst_event_new_segment(&segment)));
  has_segment_ = true;
}

GstFlowReturn Element::push(GstBuffer* buffer) { return gst_harness_push(harness_, buffer); }

GstBuffer* Element::pull() { return gst_harness_try_pull(harness_); }

GstBuffer* Element::wait() { return gst_harness_pull(harness_); }

GstCaps* Element::output_caps() const { return gst_pad_get_current_caps(harness_->sinkpad); }

GstMessage* Element::pop(GstMessageType type) { return gst_bus_pop_filtered(bus_, type); }

GstMessage* Element::wait(GstMessageType type) {
  return gst_bus_timed_pop_filtered(bus_, kPatience, type);
}

void want_format(const Element& element, const char* format) {
  gst_harness_set_sink_caps(element.harness(), gst_caps_new_simple("video/x-raw", "format",
                                                                   G_TYPE_STRING, format, nullptr));
}

std::string push_difference(Element& element, GstBuffer* picture, const Layout& layout,
                            const std::vector<std::uint8_t>& edges, const Format* out) {
  const GstFlowReturn flow = element.push(picture);
  const Owned<GstBuffer> output(element.pull());
  if (flow != GST_FLOW_OK || output == nullptr) {
    return std::string("flow ") + gst_flow_get_name(flow) + " " +
           told_by(element.pop(GST_MESSAGE_ERROR)).details;
  }
  return difference(output.get(), out != nullptr ? *out : output_of(*layout.format), layout.width,
                    layout.height, edges);
}

std::string push_difference(Element& element, GstBuffer* picture, const Layout& layout,
                            const canny::Params& params, const Format* out) {
  const std::vector<std::uint8_t> edges = reference_edges(picture, layout, params);
  return push_difference(element, picture, layout, edges, out);
}

Owned<GstBuffer> transform(Element& element, GstBuffer* picture, const Layout& layout) {
  const std::vector<std::uint8_t> edges = reference_edges(picture, layout, {});
  fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  Owned<GstBuffer> output(element.wait());
  fail_if_wrong(difference(output.get(), layout, edges));
  return output;
}

std::vector<std::uint8_t> output_bytes(Element& element, GstBuffer* picture) {
  fail_unless_equals_int(element.push(gst_buffer_ref(picture)), GST_FLOW_OK);
  const Owned<GstBuffer> output(element.wait());
  fail_unless(output != nullptr, "no frame");
  return read_bytes(output.get());
}

/// What a control source has to say for a number or the place of a choice. Direct bindings spread
/// the choices of an enum over 0 to 1 and round down.
static double control_value(Element& element, const char* property, double number) {
  GParamSpec* pspec = spec_of(element.get(), property);
  if (!G_IS_PARAM_SPEC_ENUM(pspec)) return number;
  return (number + 1e-6) / (G_PARAM_SPEC_ENUM(pspec)->enum_class->n_values - 1);
}

void control(Element& element, const char* property, GstClockTime start, GstClockTime step,
             const std::vector<double>& values) {
  GstControlSource* source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, nullptr);
  for (std::size_t i = 0; i < values.size(); i++) {
    fail_unless(gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source),
                                                   start + i * step,
                                                   control_value(element, property, values[i])));
  }
  fail_unless(gst_object_add_control_binding(
      GST_OBJECT(element.get()),
      gst_direct_control_binding_new_absolute(GST_OBJECT(element.get()), property, source)));
  gst_object_unref(source);
}

Pipeline::Pipeline(const std::string& line) {
  GError* error = nullptr;
  pipeline_ = gst_parse_launch(line.c_str(), &error);
  fail_unless(pipeline_ != nullptr && error == nullptr, "%s: %s", line.c_str(),
              error != nullptr ? error->message : "");
  running.insert(pipeline_);
}

Pipeline::~Pipeline() {
  stop(pipeline_);
  gst_object_unref(pipeline_);
}

GstElement* Pipeline::operator[](const char* name) const {
  GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline_), name);
  fail_unless(element != nullptr, "no element %s", name);
  gst_object_unref(element);
  return element;
}

bool Pipeline::reach(GstState state) {
  gst_element_set_state(pipeline_, state);
  GstState reached = GST_STATE_NULL;
  const GstStateChangeReturn change =
      gst_element_get_state(pipeline_, &reached, nullptr, kPatience);
  return reached == state && change != GST_STATE_CHANGE_FAILURE;
}

std::string Pipeline::wait_for_end() {
  const Owned<GstBus> bus(gst_element_get_bus(pipeline_));
  const Owned<GstMessage> message(gst_bus_timed_pop_filtered(
      bus.get(), kPatience, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  if (message == nullptr) return "the stream does not end";
  if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) return "";
  gchar* text = gst_structure_to_string(gst_message_get_structure(message.get()));
  const std::string copy = text;
  g_free(text);
  return copy;
}

static void push_frames(Element& element, const Layout& layout, int count, GstClockTime* time) {
  for (int i = 0; i < count; i++) {
    GstBuffer* picture = new_picture(layout, *time);
    GST_BUFFER_PTS(picture) = *time;
    *time += GST_SECOND / 30;
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  }
}

static std::vector<GstEvent*> serialized_events(GstClockTime time) {
  const auto structure = [&](const char* name) {
    return gst_structure_new(name, "time", G_TYPE_UINT64, time, nullptr);
  };
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = time;
  segment.time = 2 * time;
  segment.base = 3 * time;
  const std::string title = std::to_string(time);
  return {
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, structure("once")),
      gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, title.c_str(), nullptr)),
      gst_event_new_gap(time, GST_SECOND / 60),
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, structure("sticky")),
      gst_event_new_segment(&segment),
  };
}

std::string mixed_stream_difference(Element& element) {
  const Layout layouts[] = {plain_layout(kRgb, 41, 27), plain_layout(kNv12, 64, 36),
                            plain_layout(kGray, 33, 47)};
  Watch watch(element.get());
  GstClockTime time = 0;
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("mixed"));
  for (const Layout& layout : layouts) {
    element.send_caps(layout);
    push_frames(element, layout, 2, &time);
    for (GstEvent* event : serialized_events(time)) {
      fail_unless(gst_harness_push_event(element.harness(), event));
      push_frames(element, layout, 1, &time);
    }
  }
  GstStructure* structure = gst_structure_new_empty("out-of-band");
  gst_harness_push_event(element.harness(),
                         gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, structure));
  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_eos()));
  if (!watch.wait_for_event(GST_EVENT_EOS)) return "no EOS";
  if (!watch.wait_for_event(GST_EVENT_CUSTOM_DOWNSTREAM_OOB)) return "no event out of band";
  const std::string order = watch.order_difference();
  return order.empty() ? watch.difference() : order;
}

static GstStructure* get_stats(GstElement* element) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  fail_unless(stats != nullptr);
  fail_unless_equals_string(gst_structure_get_name(stats), "application/x-cudacanny-stats");
  return stats;
}

Told told_by(GstMessage* message) {
  if (message == nullptr) return {};
  GError* error = nullptr;
  gchar* debug = nullptr;
  const auto parse = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR     ? gst_message_parse_error
                     : GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING ? gst_message_parse_warning
                                                                        : gst_message_parse_info;
  parse(message, &error, &debug);
  const Told told = {error->domain, error->code, error->message, debug != nullptr ? debug : ""};
  g_error_free(error);
  g_free(debug);
  gst_message_unref(message);
  const std::string source = told.details.substr(0, told.details.find('('));
  fail_unless(parse != gst_message_parse_error || source.find('.') != std::string::npos,
              "'%s' does not begin with a file's name", told.details.c_str());
  return told;
}

std::string text_of(gpointer element, const char* property) {
  gchar* text = nullptr;
  g_object_get(element, property, &text, nullptr);
  const std::string copy = text != nullptr ? text : "null";
  g_free(text);
  return copy;
}

std::string stats_string(GstElement* element, const char* field) {
  GstStructure* stats = get_stats(element);
  const char* value = gst_structure_get_string(stats, field);
  fail_unless(value != nullptr, "stats have no string '%s'", field);
  const std::string text = value;
  gst_structure_free(stats);
  return text;
}

guint64 stats_number(GstElement* element, const char* field) {
  GstStructure* stats = get_stats(element);
  guint64 value = 0;
  fail_unless(gst_structure_get_uint64(stats, field, &value), "stats have no number '%s'", field);
  gst_structure_free(stats);
  return value;
}

double stats_double(GstElement* element, const char* field) {
  GstStructure* stats = get_stats(element);
  double value = 0;
  fail_unless(gst_structure_get_double(stats, field, &value), "stats have no double '%s'", field);
  gst_structure_free(stats);
  return value;
}

}  // namespace check
