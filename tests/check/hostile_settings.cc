// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests values that are no numbers, out of range or nonsense, through every door: strings, control
/// bindings and presets. Whatever the element makes of them, each property stays within its range,
/// and frames have the edges of the values that the properties state.
#include <gst/controller/controller.h>

#include <cmath>
#include <string>
#include <vector>

#include "hostile.h"
#include "introspection.h"
#include "presetfolder.h"

using canny::Params;
using check::Element;
using check::Layout;

static check::Suite suite("hostile_settings");

/// The parameters that the properties state.
static Params params_of(const Element& element) {
  const auto number = [&](const char* name) { return check::number_of(element.get(), name); };
  Params params;
  params.low_threshold = number("low-threshold");
  params.high_threshold = number("high-threshold");
  params.threshold_mode = canny::ThresholdMode(int(number("threshold-mode")));
  params.high_ratio = number("high-ratio");
  params.low_ratio = number("low-ratio");
  params.sigma = number("sigma");
  params.color_mode = canny::ColorMode(int(number("color-mode")));
  params.gradient_operator = canny::Operator(int(number("operator")));
  params.norm = number("norm") == 0 ? canny::Norm::kL2 : canny::Norm::kL1;
  params.thin_edges = number("thin-edges") != 0;
  params.hysteresis_passes = unsigned(number("hysteresis-passes"));
  params.min_length = unsigned(number("min-length"));
  return params;
}

/// Checks that all properties are within their ranges and that a frame agrees with them.
static void check_frame(Element& element, const char* what) {
  for (const check::LiveProperty& property : check::live_properties()) {
    const check::Limits limits = check::limits(check::spec_of(element.get(), property.name));
    const double number = check::number_of(element.get(), property.name);
    fail_unless(number >= limits.minimum && number <= limits.maximum, "%s: %s is %g", what,
                property.name, number);
  }
  gst_util_set_object_arg(G_OBJECT(element.get()), "output", "edges");
  const Layout layout = check::plain_layout(check::kRgb, 64, 24);
  GstBuffer* picture = check::new_picture(layout, 17);
  GST_BUFFER_PTS(picture) = GST_CLOCK_TIME_NONE;  // the control bindings stay out of it
  const std::string wrong = check::push_difference(element, picture, layout, params_of(element));
  fail_unless(wrong.empty(), "%s: %s", what, wrong.c_str());
}

/// Lets GLib and GStreamer log what they refuse, until the end of the scope.
class Warnings {
 public:
  Warnings() {
    const auto levels = GLogLevelFlags(G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL);
    for (const char* domain : {"GLib-GObject", "GStreamer", "GLib"}) {
      filters_.push_back(gst_check_add_log_filter(
          domain, levels, g_regex_new(".", GRegexCompileFlags(0), GRegexMatchFlags(0), nullptr),
          nullptr, nullptr, nullptr));
    }
  }
  ~Warnings() {
    for (GstCheckLogFilter* filter : filters_) gst_check_remove_log_filter(filter);
  }

 private:
  std::vector<GstCheckLogFilter*> filters_;
};

static const char* const kStrings[] = {"nan",
                                       "-nan",
                                       "NaN(1)",
                                       "inf",
                                       "-inf",
                                       "Infinity",
                                       "1e999",
                                       "-1e999",
                                       "1e-999",
                                       "-0.0",
                                       "-1",
                                       "4294967295",
                                       "4294967296",
                                       "99999999999999999999",
                                       "-99999999999999999999",
                                       "0x7fffffffffffffff",
                                       "1e308",
                                       "",
                                       " ",
                                       "abc",
                                       "1,5",
                                       "1.5",
                                       "true",
                                       "l3",
                                       "sobel-9",
                                       "%n%s",
                                       "0/0",
                                       "(int)7",
                                       "NULL",
                                       "2147483648",
                                       "1000000.0000001",
                                       "20.000000000000004"};

BACKEND_TEST(strings_of_all_kinds) {
  const Warnings warnings;
  Element element(__i__, check::plain_layout(check::kRgb, 64, 24));
  for (const check::LiveProperty& property : check::live_properties()) {
    for (const char* text : kStrings) {
      gst_util_set_object_arg(G_OBJECT(element.get()), property.name, text);
      const std::string what = std::string(property.name) + "=" + text;
      check_frame(element, what.c_str());
    }
  }
}

/// Numbers that g_object_set() refuses, all at once and while frames run.
BACKEND_TEST(numbers_of_all_kinds) {
  const Warnings warnings;
  Element element(__i__, check::plain_layout(check::kRgb, 64, 24));
  for (const double number : {double(NAN), -double(NAN), double(INFINITY), -double(INFINITY),
                              -1e-300, -1.0, 1e308, 5e-324, 1000000.0000001, -0.0}) {
    g_object_set(element.get(), "sigma", number, "low-threshold", number, "high-threshold", number,
                 "high-ratio", number, "low-ratio", number, nullptr);
    check_frame(element, "numbers");
  }
  for (const int number : {-1, 10, G_MAXINT, G_MININT, 65, 65536}) {
    g_object_set(element.get(), "operator", number, "norm", number, "color-mode", number,
                 "threshold-mode", number, "output", number, "luma-depth", number,
                 "hysteresis-passes", number, "min-length", number, "thin-edges", number, nullptr);
    check_frame(element, "integers");
  }
}

static void bind(Element& element, const char* name, bool is_absolute, double number) {
  GstControlSource* source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, nullptr);
  gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), 0, number);
  GstObject* object = GST_OBJECT(element.get());
  fail_unless(gst_object_add_control_binding(
      object, is_absolute ? gst_direct_control_binding_new_absolute(object, name, source)
                          : gst_direct_control_binding_new(object, name, source)));
  gst_object_unref(source);
}

static void unbind(Element& element, const char* name) {
  GstObject* object = GST_OBJECT(element.get());
  GstControlBinding* binding = gst_object_get_control_binding(object, name);
  gst_object_remove_control_binding(object, binding);
  gst_object_unref(binding);
}

/// GStreamer turns a NaN into the number of a choice without a check, so enums get numbers.
BACKEND_TEST(control_values_of_all_kinds) {
  const Warnings warnings;
  const Layout layout = check::plain_layout(check::kRgb, 64, 24);
  Element element(__i__, layout);
  for (const check::LiveProperty& property : check::live_properties()) {
    const bool is_enum = G_IS_PARAM_SPEC_ENUM(check::spec_of(element.get(), property.name));
    for (const double number : {double(NAN), double(INFINITY), -double(INFINITY), -1.0, -1e-9, 0.5,
                                1.0000001, 2.0, 1e9, 1e308, -1e308}) {
      for (const bool is_absolute : {false, true}) {
        if (is_enum && !std::isfinite(number)) continue;
        bind(element, property.name, is_absolute, number);
        const std::string what = std::string(property.name) + " bound to " + std::to_string(number);
        const check::Owned<GstBuffer> picture(check::new_picture(layout, 3));
        GST_BUFFER_PTS(picture.get()) = 0;
        fail_unless_equals_int(element.push(gst_buffer_ref(picture.get())), GST_FLOW_OK);
        const check::Owned<GstBuffer> output(element.pull());
        fail_unless(output != nullptr, "%s: no frame", what.c_str());
        // Other views than edges have no edge map.
        const std::string wrong =
            std::string(property.name) == "output"
                ? ""
                : check::difference(
                      output.get(), layout,
                      check::reference_edges(picture.get(), layout, params_of(element)));
        fail_unless(wrong.empty(), "%s: %s", what.c_str(), wrong.c_str());
        unbind(element, property.name);
        check_frame(element, what.c_str());
      }
    }
  }
}

/// Messages and structures of GStreamer hold UTF-8 alone, and readers of them rely on that.
BACKEND_TEST(texts_that_are_not_utf8) {
  Element element(__i__);
  int properties = 0;
  for (const char* name : {"roi", "roi-type", "roi-margin", "edge-color-name", "opencl-device"}) {
    GParamSpec* pspec = check::spec_of(element.get(), name);
    properties += G_IS_PARAM_SPEC_STRING(pspec);
    const std::string before = check::text_of(element.get(), name);
    const std::string expected =
        std::string("Property ") + name + " keeps its value: The text is not UTF-8.";
    for (const char* text : {"\xC3", "0,0,9,9;\xFF", "8\xF0\x9F\x98", "red\xED\xA0\x80"}) {
      g_object_set(element.get(), name, text, nullptr);
      const check::Told told = check::told_by(element.pop(GST_MESSAGE_WARNING));
      fail_unless_equals_string(told.text.c_str(), expected.c_str());
      fail_unless(element.pop(GST_MESSAGE_WARNING) == nullptr, "%s: two warnings", name);
      fail_unless(check::text_of(element.get(), name) == before, "%s", name);
    }
  }
  fail_unless_equals_int(properties, 5);
}

// ---- presets ----

static const char* const kPresetNames[] = {"not numbers", "out of range", "no choices", "unknown",
                                           "empty"};
static const char kPresets[] =
    "[_presets_]\nelement-name=GstCudaCanny\nversion=0.1.0\n"
    "[not numbers]\nsigma=nan\nlow-threshold=inf\nhigh-threshold=-inf\nhigh-ratio=abc\n"
    "low-ratio=\nhysteresis-passes=1.5\nmin-length=many\nthin-edges=maybe\nedge-color=red\n"
    "[out of range]\nsigma=20.5\nlow-threshold=-1\nhigh-threshold=1e300\nhigh-ratio=17\n"
    "low-ratio=1.5\nhysteresis-passes=65\nmin-length=99999999999999\nedge-color=-1\noutput=11\n"
    "[no choices]\noperator=canny\nnorm=l3\ncolor-mode=-1\nthreshold-mode=99\noutput=nothing\n"
    "luma-depth=7\n"
    "[unknown]\nsigma=2\nsigmas=3\nbackend=cuda\nn-threads=99999\nparent=x\nname=y\nstats=z\n"
    "[empty]\n";

void hostile::save_broken_presets() {
  const std::string file = check::PresetFolder::file();
  g_mkdir_with_parents(file.substr(0, file.rfind('/')).c_str(), 0700);
  const gboolean is_written = g_file_set_contents(file.c_str(), kPresets, -1, nullptr);
  g_assert(is_written);
}

BACKEND_TEST(presets_of_all_kinds) {
  const Warnings warnings;
  for (const bool is_playing : {false, true}) {
    Element element(__i__);
    const Layout layout = check::plain_layout(check::kRgb, 64, 24);
    if (is_playing) {
      element.send_caps(layout);
      check_frame(element, "before");
    }
    for (const char* name : kPresetNames) {
      fail_unless(gst_preset_load_preset(GST_PRESET(element.get()), name), "%s", name);
      if (!is_playing) continue;
      check_frame(element, name);
    }
    if (!is_playing) element.send_caps(layout);
    check_frame(element, "after");
    fail_unless(check::stats_string(element.get(), "backend") == check::backend_name(__i__));
  }
}
