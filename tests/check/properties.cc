// SPDX-License-Identifier: LGPL-2.1-or-later
/// Ranges, defaults and descriptions of the properties, and those that are read at a start.
#include <cmath>
#include <string>

#include "fixture.h"

using check::Element;

static GstElement* new_element() {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  fail_unless(element != nullptr);
  return GST_ELEMENT(gst_object_ref_sink(element));
}

/// A property: limits and default as numbers, and words that its blurb must hold.
struct Property {
  const char* name;
  GType type;
  double minimum, maximum, preset;
  bool live;
  const char* words[4];
};

static const Property kProperties[] = {
    {"low-threshold", G_TYPE_DOUBLE, 0, 32767, 50, true, {"magnitude", "units", "0 to 32767"}},
    {"high-threshold", G_TYPE_DOUBLE, 0, 32767, 150, true, {"magnitude", "units", "0 to 32767"}},
    {"sigma", G_TYPE_DOUBLE, 0, 20, 1.4, true, {"pixels", "0 to 20", "0 = no blur"}},
    {"hysteresis-passes", G_TYPE_UINT, 0, 64, 0, true, {"passes", "0 to 64", "0 = until stable"}},
    {"norm", G_TYPE_ENUM, 0, 1, 0, true, {"magnitude", "l2", "l1"}},
    {"backend", G_TYPE_ENUM, 0, 2, 0, false, {"auto = ", "cuda", "cpu", "next start"}},
    {"cuda-device-id", G_TYPE_INT, -1, G_MAXINT, -1, false, {"-1 = ", "2147483647", "next start"}},
    {"n-threads", G_TYPE_UINT, 0, 1024, 0, false, {"0 to 1024", "0 = ", "threads", "next start"}},
    {"frames-in-flight", G_TYPE_UINT, 0, 8, 0, false, {"0 to 8", "0 = 3", "latency", "next start"}},
};

/// Minimum, maximum and default of a GParamSpec.
struct Limits {
  double minimum, maximum, preset;
};

static Limits limits(GParamSpec* pspec) {
  if (G_IS_PARAM_SPEC_DOUBLE(pspec)) {
    auto* number = G_PARAM_SPEC_DOUBLE(pspec);
    return {number->minimum, number->maximum, number->default_value};
  }
  if (G_IS_PARAM_SPEC_INT(pspec)) {
    auto* number = G_PARAM_SPEC_INT(pspec);
    return {double(number->minimum), double(number->maximum), double(number->default_value)};
  }
  if (G_IS_PARAM_SPEC_UINT(pspec)) {
    auto* number = G_PARAM_SPEC_UINT(pspec);
    return {double(number->minimum), double(number->maximum), double(number->default_value)};
  }
  auto* choice = G_PARAM_SPEC_ENUM(pspec);
  return {double(choice->enum_class->minimum), double(choice->enum_class->maximum),
          double(choice->default_value)};
}

static double get_number(GstElement* element, const char* name, GType type) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), name, &value);
  double number = 0;
  if (type == G_TYPE_DOUBLE) number = g_value_get_double(&value);
  if (type == G_TYPE_INT) number = g_value_get_int(&value);
  if (type == G_TYPE_UINT) number = g_value_get_uint(&value);
  if (type == G_TYPE_ENUM) number = g_value_get_enum(&value);
  g_value_unset(&value);
  return number;
}

static void set_number(GstElement* element, const char* name, GType type, double number) {
  if (type == G_TYPE_DOUBLE) {
    g_object_set(element, name, number, nullptr);
  } else if (type == G_TYPE_UINT) {
    g_object_set(element, name, guint(number), nullptr);
  } else {
    g_object_set(element, name, gint(number), nullptr);
  }
}

GST_START_TEST(ranges_defaults_and_blurbs) {
  const Property& property = kProperties[__i__];
  GstElement* element = new_element();
  GParamSpec* pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property.name);
  fail_unless(pspec != nullptr, "no property %s", property.name);
  fail_unless(g_type_is_a(pspec->value_type, property.type));
  const Limits found = limits(pspec);
  fail_unless_equals_float(found.minimum, property.minimum);
  fail_unless_equals_float(found.maximum, property.maximum);
  fail_unless_equals_float(found.preset, property.preset);
  fail_unless_equals_float(get_number(element, property.name, property.type), property.preset);

  fail_unless((pspec->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE);
  fail_unless_equals_int((pspec->flags & GST_PARAM_CONTROLLABLE) != 0, property.live);
  fail_unless_equals_int((pspec->flags & GST_PARAM_MUTABLE_PLAYING) != 0, property.live);
  fail_unless_equals_int((pspec->flags & GST_PARAM_MUTABLE_READY) != 0, !property.live);

  const std::string blurb = g_param_spec_get_blurb(pspec);
  for (const char* word : property.words) {
    if (word == nullptr) break;
    fail_unless(blurb.find(word) != std::string::npos, "blurb of %s lacks '%s': %s", property.name,
                word, blurb.c_str());
  }
  gst_object_unref(element);
}
GST_END_TEST

GST_START_TEST(values_are_kept) {
  const Property& property = kProperties[__i__];
  GstElement* element = new_element();
  for (double number : {property.maximum, property.minimum, std::floor(property.maximum / 2)}) {
    set_number(element, property.name, property.type, number);
    fail_unless_equals_float(get_number(element, property.name, property.type), number);
  }
  gst_object_unref(element);
}
GST_END_TEST

/// Sets a value out of range and expects the one from before. GLib says in its log that it refused
/// the value: as a warning or, since 2.84, as a critical message.
static void refuse_number(GstElement* element, const Property& property, double number) {
  const double before = get_number(element, property.name, property.type);
  const auto levels = GLogLevelFlags(G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL);
  GstCheckLogFilter* filter = gst_check_add_log_filter(
      "GLib-GObject", levels,
      g_regex_new(property.name, GRegexCompileFlags(0), GRegexMatchFlags(0), nullptr), nullptr,
      nullptr, nullptr);
  set_number(element, property.name, property.type, number);
  gst_check_remove_log_filter(filter);
  const double after = get_number(element, property.name, property.type);
  fail_unless(after == before, "%s was %g, is %g after %g", property.name, before, after, number);
}

GST_START_TEST(values_out_of_range_are_refused) {
  const Property& property = kProperties[__i__];
  GstElement* element = new_element();
  for (double start : {property.preset, property.minimum, std::floor(property.maximum / 2)}) {
    set_number(element, property.name, property.type, start);
    fail_unless_equals_float(get_number(element, property.name, property.type), start);
    if (property.minimum > 0 || property.type != G_TYPE_UINT) {
      refuse_number(element, property, property.minimum - 1);
    }
    if (property.maximum < G_MAXINT) refuse_number(element, property, property.maximum + 1);
    if (property.type != G_TYPE_DOUBLE) continue;
    for (double number : {double(NAN), double(INFINITY), -double(INFINITY)}) {
      refuse_number(element, property, number);
    }
  }
  gst_object_unref(element);
}
GST_END_TEST

static void check_nicks(const char* type_name, const char* const (&nicks)[3]) {
  auto* enum_class = static_cast<GEnumClass*>(g_type_class_ref(g_type_from_name(type_name)));
  for (guint i = 0; i < enum_class->n_values; i++) {
    fail_unless_equals_string(g_enum_get_value(enum_class, gint(i))->value_nick, nicks[i]);
  }
  g_type_class_unref(enum_class);
}

GST_START_TEST(names_of_the_choices) {
  GstElement* element = new_element();
  check_nicks("GstCudaCannyNorm", {"l2", "l1", nullptr});
  check_nicks("GstCudaCannyBackend", {"auto", "cuda", "cpu"});
  gboolean qos = FALSE;
  g_object_get(element, "qos", &qos, nullptr);
  fail_unless(qos);
  gst_object_unref(element);
}
GST_END_TEST

GST_START_TEST(stats_are_read_only) {
  GstElement* element = new_element();
  GParamSpec* pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats");
  fail_unless(pspec != nullptr && pspec->value_type == GST_TYPE_STRUCTURE);
  fail_unless((pspec->flags & G_PARAM_READWRITE) == G_PARAM_READABLE);
  for (const char* word : {"Backend", "device", "frames", "time", "ns", "edge pixels"}) {
    fail_unless(std::string(g_param_spec_get_blurb(pspec)).find(word) != std::string::npos);
  }
  gst_object_unref(element);
}
GST_END_TEST

/// Takes the warnings off the bus; each must be about a property that is read at a start.
static int count_warnings(Element& element) {
  int count = 0;
  while (GstMessage* message = element.pop(GST_MESSAGE_WARNING)) {
    GError* error = nullptr;
    gst_message_parse_warning(message, &error, nullptr);
    fail_unless(g_error_matches(error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
    fail_unless(std::string(error->message).find("next start") != std::string::npos);
    g_error_free(error);
    gst_message_unref(message);
    count++;
  }
  return count;
}

GST_START_TEST(late_sets_warn_once_for_each_property) {
  Element element(0);
  for (int start = 0; start < 2; start++) {
    gst_element_set_state(element.get(), GST_STATE_PLAYING);
    fail_unless_equals_int(count_warnings(element), 0);
    for (guint threads = 1; threads < 4; threads++) {
      g_object_set(element.get(), "n-threads", threads, nullptr);
      fail_unless_equals_int(count_warnings(element), threads == 1);
      fail_unless_equals_int(int(get_number(element.get(), "n-threads", G_TYPE_UINT)), threads);
    }
    gst_element_set_state(element.get(), GST_STATE_PAUSED);
    g_object_set(element.get(), "cuda-device-id", 3, nullptr);
    fail_unless_equals_int(count_warnings(element), 1);
    g_object_set(element.get(), "cuda-device-id", -1, "n-threads", 1, "sigma", 2.0, nullptr);
    fail_unless_equals_int(count_warnings(element), 0);
    gst_element_set_state(element.get(), GST_STATE_READY);
    // "backend" has not been warned about: a warning here would not be a second one.
    g_object_set(element.get(), "n-threads", 2, "backend", 2, nullptr);
    fail_unless_equals_int(count_warnings(element), 0);
  }
}
GST_END_TEST

/// A set in PLAYING changes nothing of the running backend, and everything at the next start.
GST_START_TEST(late_sets_take_effect_at_the_next_start) {
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
GST_END_TEST

Suite* properties_suite() {
  Suite* suite = suite_create("properties");
  TCase* tcase = tcase_create("properties");
  suite_add_tcase(suite, tcase);
  const int count = G_N_ELEMENTS(kProperties);
  tcase_add_loop_test(tcase, ranges_defaults_and_blurbs, 0, count);
  tcase_add_loop_test(tcase, values_are_kept, 0, count);
  tcase_add_loop_test(tcase, values_out_of_range_are_refused, 0, count);
  tcase_add_test(tcase, names_of_the_choices);
  tcase_add_test(tcase, stats_are_read_only);
  tcase_add_test(tcase, late_sets_warn_once_for_each_property);
  tcase_add_test(tcase, late_sets_take_effect_at_the_next_start);
  return suite;
}
