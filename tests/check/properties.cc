// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the properties: ranges, defaults, sentences, and when a new value takes effect.
#include <gst/controller/controller.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "fixture.h"
#include "introspection.h"

using check::Element;
using check::get_number;
using check::set_number;

static GstElement* new_element() {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  fail_unless(element != nullptr);
  return GST_ELEMENT(gst_object_ref_sink(element));
}

/// Each test has an element that is not playing.
static GstElement* idle;
static void set_up() { idle = new_element(); }
static void tear_down() { gst_clear_object(&idle); }
static check::Suite suite("properties", set_up, tear_down);

/// The element's own writable properties but one that is another one as a text, as the element
/// describes them. docs/reference/properties.md and
/// docs/reference/element.md define them; the suite "docs" compares.
static const std::vector<GParamSpec*>& settings() {
  static const std::vector<GParamSpec*> found = [] {
    GstElement* element = gst_element_factory_make("cudacanny", nullptr);
    g_assert(element != nullptr);
    const std::vector<GParamSpec*> all = check::own_properties(element);
    std::vector<GParamSpec*> writable;
    std::copy_if(all.begin(), all.end(), std::back_inserter(writable), [](const GParamSpec* pspec) {
      return check::is_writable(pspec) && !check::is_twin(pspec);
    });
    gst_object_unref(element);
    g_assert(!writable.empty());
    return writable;
  }();
  return found;
}

static bool is_live(const GParamSpec* pspec) { return pspec->flags & GST_PARAM_MUTABLE_PLAYING; }

/// A value in the middle of the range.
static double middle(GParamSpec* pspec) {
  const check::Limits limits = check::limits(pspec);
  const double number = (limits.minimum + limits.maximum) / 2;
  return G_IS_PARAM_SPEC_DOUBLE(pspec) ? number : std::floor(number);
}

LOOP_TEST(flags_and_defaults, settings().size()) {
  GParamSpec* pspec = settings()[__i__];
  fail_unless_equals_float(get_number(idle, pspec), check::limits(pspec).initial);

  fail_unless((pspec->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE);
  const bool is_controllable = is_live(pspec) && !G_IS_PARAM_SPEC_STRING(pspec);
  fail_unless_equals_int((pspec->flags & GST_PARAM_CONTROLLABLE) != 0, is_controllable);
  fail_unless_equals_int((pspec->flags & GST_PARAM_MUTABLE_READY) != 0, !is_live(pspec));
}

/// A sentence without its period, which gst-inspect-1.0 prints above the range.
static bool is_sentence(const std::string& text, std::size_t least) {
  return text.size() >= least && text.size() <= 120 && text.back() != '.' &&
         text.find(". ") == text.npos;
}

/// gst-inspect-1.0 and tooltips show a label and a sentence of each property and choice.
PLAIN_TEST(labels_and_sentences) {
  for (GParamSpec* pspec : check::own_properties(idle)) {
    const std::string nick = g_param_spec_get_nick(pspec), blurb = g_param_spec_get_blurb(pspec);
    fail_unless(!nick.empty() && nick != pspec->name, "nick of %s", pspec->name);
    fail_unless(is_sentence(blurb, 30), "blurb of %s: %s", pspec->name, blurb.c_str());
    if (check::is_writable(pspec) && !G_IS_PARAM_SPEC_STRING(pspec))
      fail_unless(blurb.find(check::range(pspec)) == blurb.npos, "%s repeats its range",
                  pspec->name);
    if (!G_IS_PARAM_SPEC_ENUM(pspec)) continue;
    const GEnumClass* choices = G_PARAM_SPEC_ENUM(pspec)->enum_class;
    for (guint i = 0; i < choices->n_values; i++)
      fail_unless(is_sentence(choices->values[i].value_name, 3), "%s",
                  choices->values[i].value_name);
  }
}

/// A value is kept, and no other property changes. Both thresholds are set.
LOOP_TEST(values_are_kept, settings().size()) {
  GParamSpec* pspec = settings()[__i__];
  const check::Limits limits = check::limits(pspec);
  g_object_set(idle, "low-threshold", 50.0, "high-threshold", 150.0, nullptr);
  for (double number : {limits.maximum, limits.minimum, middle(pspec)}) {
    set_number(idle, pspec, number);
    fail_unless_equals_float(get_number(idle, pspec), number);
    for (GParamSpec* other : settings()) {
      if (other == pspec) continue;
      fail_unless(get_number(idle, other) == check::limits(other).initial, "%s changes %s",
                  pspec->name, other->name);
    }
  }
}

/// GLib logs a refusal as a warning or, since 2.84, as a critical message.
static GstCheckLogFilter* allow_refusals(const GParamSpec* pspec) {
  const auto levels = GLogLevelFlags(G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL);
  GRegex* name = g_regex_new(pspec->name, GRegexCompileFlags(0), GRegexMatchFlags(0), nullptr);
  return gst_check_add_log_filter("GLib-GObject", levels, name, nullptr, nullptr, nullptr);
}

/// Sets a value out of range and expects the old value.
static void refuse_number(GstElement* element, GParamSpec* pspec, double number) {
  const double before = get_number(element, pspec);
  GstCheckLogFilter* filter = allow_refusals(pspec);
  set_number(element, pspec, number);
  gst_check_remove_log_filter(filter);
  const double after = get_number(element, pspec);
  fail_unless(after == before, "%s was %g, is %g after %g", pspec->name, before, after, number);
}

LOOP_TEST(values_out_of_range_are_refused, settings().size()) {
  GParamSpec* pspec = settings()[__i__];
  // No value of these is out of range.
  if (G_IS_PARAM_SPEC_BOOLEAN(pspec) || G_IS_PARAM_SPEC_STRING(pspec)) return;
  const check::Limits limits = check::limits(pspec);
  for (double start : {limits.initial, limits.minimum, middle(pspec)}) {
    set_number(idle, pspec, start);
    fail_unless_equals_float(get_number(idle, pspec), start);
    const bool is_unsigned = G_IS_PARAM_SPEC_UINT(pspec) || G_IS_PARAM_SPEC_UINT64(pspec);
    if (limits.minimum > 0 || !is_unsigned) {
      refuse_number(idle, pspec, limits.minimum - 1);
    }
    if (limits.maximum < G_MAXINT || G_IS_PARAM_SPEC_UINT64(pspec))
      refuse_number(idle, pspec, limits.maximum + 1);
    if (!G_IS_PARAM_SPEC_DOUBLE(pspec)) continue;
    for (double number : {double(NAN), double(INFINITY), -double(INFINITY)}) {
      refuse_number(idle, pspec, number);
    }
  }
}

/// GObject takes a number just below a limit, which the element raises.
LOOP_TEST(values_next_to_the_limits_are_in_range, settings().size()) {
  GParamSpec* pspec = settings()[__i__];
  if (!G_IS_PARAM_SPEC_DOUBLE(pspec)) return;
  const check::Limits limits = check::limits(pspec);
  GstCheckLogFilter* filter = allow_refusals(pspec);
  for (double number : {-DBL_TRUE_MIN, -DBL_MIN, -1e-91, -1e-80,
                        std::nextafter(limits.maximum, 2 * limits.maximum)}) {
    set_number(idle, pspec, number);
    const double after = get_number(idle, pspec);
    fail_unless(after >= limits.minimum && after <= limits.maximum, "%s is %g after %g",
                pspec->name, after, number);
  }
  gst_check_remove_log_filter(filter);
}

/// Applications may set a choice by its number, which is its place in the documentation's list.
PLAIN_TEST(choices_count_from_zero) {
  for (GParamSpec* pspec : settings()) {
    if (!G_IS_PARAM_SPEC_ENUM(pspec)) continue;
    const GEnumClass* choices = G_PARAM_SPEC_ENUM(pspec)->enum_class;
    for (guint i = 0; i < choices->n_values; i++) {
      fail_unless_equals_int(choices->values[i].value, gint(i));
    }
  }
}

/// Until a threshold is set, it follows the other one, and tells so.
PLAIN_TEST(a_threshold_follows_the_other_one) {
  struct Case {
    const char *set, *other;
    double value, followed;
  };
  for (const Case& now : {Case{"high-threshold", "low-threshold", 30, 10},
                          {"low-threshold", "high-threshold", 200, 600},
                          {"low-threshold", "high-threshold", 999999, 1000000},
                          {"high-threshold", "low-threshold", 0, 0}}) {
    GstElement* element = new_element();
    int notified = 0;
    g_signal_connect_swapped(element, (std::string("notify::") + now.other).c_str(),
                             G_CALLBACK(+[](int* count) { ++*count; }), &notified);
    g_object_set(element, now.set, now.value, nullptr);
    fail_unless_equals_float(check::number_of(element, now.set), now.value);
    fail_unless_equals_float(check::number_of(element, now.other), now.followed);
    fail_unless_equals_int(notified, 1);
    g_object_set(element, now.set, now.value, nullptr);
    fail_unless_equals_int(notified, 1);
    g_object_set(element, now.other, 7.0, now.set, 20.0, nullptr);
    fail_unless_equals_float(check::number_of(element, now.other), 7);
    g_object_set(element, now.other, 8.0, nullptr);
    fail_unless_equals_float(check::number_of(element, now.set), 20);
    gst_object_unref(element);
  }
}

/// The digits of a number, as in a sentence.
static std::string digits(double number) {
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd(text, sizeof text, "%g", number);
}

/// Until a threshold is set, both are the operator's defaults, which its description states.
PLAIN_TEST(thresholds_follow_the_operator) {
  constexpr double kGains[] = {4, 48, 640, 16, 3, 95, 1, 4, 15};  // largest response to a step
  int notified = 0;
  g_signal_connect_swapped(idle, "notify::low-threshold", G_CALLBACK(+[](int* count) { ++*count; }),
                           &notified);
  auto* choices =
      static_cast<GEnumClass*>(g_type_class_ref(g_type_from_name("GstCudaCannyOperator")));
  fail_unless_equals_int(choices->n_values, std::size(kGains));
  double before = 50;
  for (guint i = 0; i < choices->n_values; i++) {
    const GEnumValue& choice = choices->values[i];
    notified = 0;
    g_object_set(idle, "operator", choice.value, nullptr);
    const double low = check::number_of(idle, "low-threshold");
    const double high = check::number_of(idle, "high-threshold");
    fail_unless(low == 12.5 * kGains[i] && high == 3 * low, "%s: %g, %g", choice.value_nick, low,
                high);
    fail_unless_equals_int(notified, low != std::exchange(before, low));
    const std::string stated = digits(low) + " and " + digits(high), text = choice.value_name;
    fail_unless(text.size() > stated.size() &&
                    text.compare(text.size() - stated.size() - 1, text.npos, ' ' + stated) == 0,
                "%s does not end in %s", text.c_str(), stated.c_str());
  }
  g_object_set(idle, "high-threshold", 90.0, nullptr);
  gst_util_set_object_arg(G_OBJECT(idle), "operator", "scharr");
  fail_unless_equals_float(check::number_of(idle, "low-threshold"), 30);
  fail_unless_equals_float(check::number_of(idle, "high-threshold"), 90);
  g_type_class_unref(choices);
}

static guint color_of(GstElement* element) {
  return guint(check::number_of(element, "edge-color"));
}

struct Color {
  const char* text;
  guint argb;
};

/// The names of CSS 2.1, and other texts.
static const Color kColors[] = {
    {"aqua", 0xff00ffff},       {"black", 0xff000000},      {"blue", 0xff0000ff},
    {"fuchsia", 0xffff00ff},    {"gray", 0xff808080},       {"green", 0xff008000},
    {"lime", 0xff00ff00},       {"maroon", 0xff800000},     {"navy", 0xff000080},
    {"olive", 0xff808000},      {"orange", 0xffffa500},     {"purple", 0xff800080},
    {"red", 0xffff0000},        {"silver", 0xffc0c0c0},     {"teal", 0xff008080},
    {"white", 0xffffffff},      {"yellow", 0xffffff00},     {"Orange", 0xffffa500},
    {"LIME", 0xff00ff00},       {"#00ff00", 0xff00ff00},    {"#8000Ff40", 0x8000ff40},
    {"0x8000ff40", 0x8000ff40}, {"0xFF00ff00", 0xff00ff00}, {"#00000000", 0},
};

PLAIN_TEST(a_color_as_a_text) {
  fail_unless(check::text_of(idle, "edge-color-name") == "#ffff0000");
  int notified = 0;
  g_signal_connect_swapped(idle, "notify::edge-color", G_CALLBACK(+[](int* n) { ++*n; }),
                           &notified);
  for (const Color& color : kColors) {
    g_object_set(idle, "edge-color", 0x12345678u, nullptr);
    fail_unless(check::text_of(idle, "edge-color-name") == "#12345678");
    notified = 0;
    g_object_set(idle, "edge-color-name", color.text, nullptr);
    fail_unless(color_of(idle) == color.argb, "%s is %08x", color.text, color_of(idle));
    fail_unless_equals_int(notified, 1);
    const std::string line = std::string("cudacanny edge-color-name=") + color.text;
    GstElement* parsed = gst_parse_launch(line.c_str(), nullptr);
    fail_unless(parsed != nullptr && color_of(parsed) == color.argb, "%s", line.c_str());
    gst_object_unref(parsed);
  }
  for (const char* text : {"", "grean", "green ", "#0f0", "#00ff0", "#00ff000", "#00ff00000",
                           "#00gg00", "#-0ff00", "0xff00ff0", "0x00ff00", "00ff00", "-1"}) {
    ASSERT_WARNING(g_object_set(idle, "edge-color-name", text, nullptr));
    fail_unless(color_of(idle) == 0, "%s is %08x", text, color_of(idle));
  }
  ASSERT_WARNING(g_object_set(idle, "edge-color-name", nullptr, nullptr));
}

/// GStreamer's binding for colors takes only a guint.
PLAIN_TEST(a_color_is_bound_by_its_components) {
  GstControlSource* half = gst_interpolation_control_source_new();
  g_object_set(half, "mode", GST_INTERPOLATION_MODE_NONE, nullptr);
  gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(half), 0, 0.5);
  fail_unless(gst_object_add_control_binding(
      GST_OBJECT(idle), gst_argb_control_binding_new(GST_OBJECT(idle), "edge-color", nullptr,
                                                     nullptr, half, nullptr)));
  fail_unless(gst_object_sync_values(GST_OBJECT(idle), 0));
  fail_unless(color_of(idle) == 0xff007f00, "%08x", color_of(idle));
  gst_object_unref(half);
}

PLAIN_TEST(qos_is_on) {
  gboolean qos = FALSE;
  g_object_get(idle, "qos", &qos, nullptr);
  fail_unless(qos);
}

PLAIN_TEST(stats_are_read_only) {
  GParamSpec* pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(idle), "stats");
  fail_unless(pspec != nullptr && pspec->value_type == GST_TYPE_STRUCTURE);
  fail_unless((pspec->flags & G_PARAM_READWRITE) == G_PARAM_READABLE);
  for (const char* word :
       {"Backend", "device", "frames", "time", "ns", "edge pixels", "thresholds"}) {
    fail_unless(std::string(g_param_spec_get_blurb(pspec)).find(word) != std::string::npos);
  }
}

/// Takes the warnings off the bus. Each must be about a property that is read at a start.
static int count_warnings(Element& element) {
  int count = 0;
  while (GstMessage* message = element.pop(GST_MESSAGE_WARNING)) {
    const check::Told told = check::told_by(message);
    fail_unless(told.is(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS) && told.has("next start"));
    count++;
  }
  return count;
}

/// Sets each property to another value and back. For each property that is read at a start, the
/// first change must warn `warnings` times.
static void check_warnings(Element& element, int warnings) {
  for (GParamSpec* pspec : settings()) {
    const check::Limits limits = check::limits(pspec);
    const double before = get_number(element.get(), pspec);
    const double other = before == limits.minimum ? limits.maximum : limits.minimum;
    set_number(element.get(), pspec, other);
    fail_unless_equals_int(count_warnings(element), is_live(pspec) ? 0 : warnings);
    fail_unless_equals_float(get_number(element.get(), pspec), other);
    set_number(element.get(), pspec, before);
    fail_unless_equals_int(count_warnings(element), 0);
  }
}

PLAIN_TEST(late_sets_warn_once_for_each_property) {
  Element element(0);
  gst_element_set_state(element.get(), GST_STATE_READY);
  // No warning has been posted yet, so a warning here would not be a second one.
  check_warnings(element, 0);
  for (GstState state : {GST_STATE_PLAYING, GST_STATE_PAUSED}) {
    gst_element_set_state(element.get(), state);
    fail_unless_equals_int(count_warnings(element), 0);
    check_warnings(element, 1);
    gst_element_set_state(element.get(), GST_STATE_PAUSED);
    check_warnings(element, 0);
    gst_element_set_state(element.get(), GST_STATE_READY);
    check_warnings(element, 0);
  }
}

PLAIN_TEST(a_new_element_takes_all_settings) {
  const check::Owned<GstElement> element(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("cudacanny", nullptr))));
  const check::Owned<GstBus> bus(gst_bus_new());
  gst_element_set_bus(element.get(), bus.get());
  gst_util_set_object_arg(G_OBJECT(element.get()), "backend", "cuda");
  fail_if(gst_bus_have_pending(bus.get()));
  gst_element_set_bus(element.get(), nullptr);
}

/// A change in PLAYING has no effect on the running backend, and takes effect at the next start.
PLAIN_TEST(late_sets_take_effect_at_the_next_start) {
  Element element(0);
  const bool has_cuda = check::no_cuda_reason().empty();
  gst_util_set_object_arg(G_OBJECT(element.get()), "backend", "cuda");
  fail_unless_equals_int(count_warnings(element), 1);
  const check::Layout layout = check::plain_layout(check::kGray, 9, 9);
  element.send_caps(layout);
  fail_unless_equals_int(element.push(check::new_picture(layout, 1)), GST_FLOW_OK);
  gst_buffer_unref(element.pull());
  fail_unless(check::stats_string(element.get(), "backend") == "cpu");

  gst_element_set_state(element.get(), GST_STATE_READY);
  const GstStateChangeReturn change = gst_element_set_state(element.get(), GST_STATE_PAUSED);
  fail_unless_equals_int(change != GST_STATE_CHANGE_FAILURE, has_cuda);
  fail_unless(check::stats_string(element.get(), "backend") == (has_cuda ? "cuda" : "none"));
}

/// The ratios have an effect only on thresholds that are measured, the color only on overlays, and
/// a type and a margin only on regions that count.
static void make_effective(Element& element, const GParamSpec* pspec) {
  if (g_str_has_suffix(pspec->name, "-ratio")) {
    gst_util_set_object_arg(G_OBJECT(element.get()), "threshold-mode", "median");
  }
  if (std::string(pspec->name) == "edge-color") {
    gst_util_set_object_arg(G_OBJECT(element.get()), "output", "overlay");
  }
  const std::string name = pspec->name;
  if (name == "roi-type" || name == "roi-margin") {
    gst_util_set_object_arg(G_OBJECT(element.get()), "roi-mode", "meta");
  }
}

/// Some value of a live property changes the edges of the next frame, and the old value restores
/// the old edges. The suite "live" checks which edges, and "boxes" what a confidence does.
LOOP_TEST(live_properties_take_effect_at_the_next_frame, settings().size()) {
  GParamSpec* pspec = settings()[__i__];
  if (!is_live(pspec) || check::is_of_stats(pspec)) return;
  if (std::string(pspec->name) == "roi-min-confidence") return;
  // Rows of a multiple of 4 bytes have no padding, whose bytes would be undefined.
  const bool is_deep = std::string(pspec->name) == "luma-depth";
  const check::Layout layout =
      check::plain_layout(is_deep ? check::find_format("ARGB64") : check::kRgb, 72, 50);
  GstBuffer* picture = check::new_picture(layout, 11);
  gst_buffer_add_video_region_of_interest_meta(picture, "face", 10, 10, 50, 30);
  Element element(0);
  make_effective(element, pspec);
  element.send_caps(layout);
  const double before = get_number(element.get(), pspec);
  const std::vector<std::uint8_t> edges_before = check::output_bytes(element, picture);
  const check::Limits limits = check::limits(pspec);
  int effects = 0;
  const double next = std::min(limits.minimum + 1, limits.maximum);
  for (double number : {limits.minimum, next, limits.maximum}) {
    set_number(element.get(), pspec, number);
    effects += check::output_bytes(element, picture) != edges_before;
    set_number(element.get(), pspec, before);
    fail_unless(check::output_bytes(element, picture) == edges_before, "%s does not go back",
                pspec->name);
  }
  fail_unless(effects > 0, "%s has no effect", pspec->name);
  gst_buffer_unref(picture);
}
