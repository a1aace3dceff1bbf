// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the presets: those that the project ships, and those that an application saves.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fixture.h"
#include "introspection.h"
#include "presetfolder.h"

using canny::Params;
using check::Element;
using check::Owned;
using Strings = std::vector<std::string>;

static check::Suite suite("presets");

static Strings take(gchar** strings) {
  Strings all;
  for (gchar** string = strings; string != nullptr && *string != nullptr; ++string) {
    all.push_back(*string);
  }
  g_strfreev(strings);
  return all;
}

/// A preset that the project ships, and its parameters.
struct Shipped {
  const char* name;
  Params params;
};

/// As docs/reference/compatibility.md describes them, in the order of their names.
static const std::vector<Shipped>& shipped() {
  static const std::vector<Shipped> all = [] {
    Params opencv;
    opencv.sigma = 0;
    opencv.norm = canny::Norm::kL1;
    Params skimage;
    skimage.sigma = 1;
    skimage.low_threshold = 25.5;
    skimage.high_threshold = 51;
    Params matlab;
    matlab.sigma = 1.4142135623730951;
    matlab.threshold_mode = canny::ThresholdMode::kQuantile;
    matlab.high_ratio = 0.7;
    matlab.low_ratio = 0.4;
    Params fine;
    fine.sigma = 0.7;
    fine.gradient_operator = canny::Operator::kScharr;
    fine.threshold_mode = canny::ThresholdMode::kQuantile;
    fine.high_ratio = 0.8;
    fine.low_ratio = 0.5;
    fine.min_length = 5;
    Params noisy;
    noisy.sigma = 2.5;
    noisy.threshold_mode = canny::ThresholdMode::kOtsu;
    noisy.high_ratio = 1;
    noisy.low_ratio = 0.5;
    noisy.min_length = 20;
    return std::vector<Shipped>{{"fine", fine},     {"gstreamer-edgedetect", opencv},
                                {"matlab", matlab}, {"noisy", noisy},
                                {"opencv", opencv}, {"scikit-image", skimage}};
  }();
  return all;
}

static Strings live_names() {
  Strings names;
  for (const check::LiveProperty& property : check::live_properties()) {
    names.push_back(property.name);
  }
  return names;
}

/// Sets every property of the element to a number between its limits, 0 for the lower one.
static void set_all(GstElement* element, double share) {
  for (GParamSpec* pspec : check::own_properties(element)) {
    if (!check::is_writable(pspec) || check::is_twin(pspec)) continue;
    const check::Limits limits = check::limits(pspec);
    const double number = limits.minimum + share * (limits.maximum - limits.minimum);
    check::set_number(element, pspec, number);
  }
}

struct Value {
  std::string name;
  double number;
  bool operator==(const Value& other) const { return name == other.name && number == other.number; }
};

/// The values of the element's own writable properties.
static std::vector<Value> values(GstElement* element) {
  std::vector<Value> all;
  for (GParamSpec* pspec : check::own_properties(element)) {
    if (!check::is_writable(pspec) || check::is_twin(pspec)) continue;
    all.push_back({pspec->name, check::get_number(element, pspec)});
  }
  return all;
}

static void check_values(GstElement* element, const std::vector<Value>& expected) {
  for (const Value& value : expected) {
    const double number = check::number_of(element, value.name.c_str());
    fail_unless(number == value.number, "%s is %.17g, not %.17g", value.name.c_str(), number,
                value.number);
  }
}

/// The values before, with those of the live properties replaced.
static std::vector<Value> with_params(std::vector<Value> before, const Params& params) {
  for (const check::LiveProperty& property : check::live_properties()) {
    const auto has_name = [&](const Value& value) { return value.name == property.name; };
    const auto found = std::find_if(before.begin(), before.end(), has_name);
    fail_unless(found != before.end());
    found->number = property.number(params);
  }
  return before;
}

PLAIN_TEST(a_preset_has_the_live_properties) {
  Element element(0);
  Strings names = take(gst_preset_get_property_names(GST_PRESET(element.get())));
  Strings expected = live_names();
  std::sort(names.begin(), names.end());
  std::sort(expected.begin(), expected.end());
  fail_unless(names == expected);
}

/// Each has a comment, which gst-inspect-1.0 prints.
PLAIN_TEST(presets_are_listed) {
  Element element(0);
  GstPreset* preset = GST_PRESET(element.get());
  Strings expected;
  for (const Shipped& each : shipped()) expected.push_back(each.name);
  fail_unless(take(gst_preset_get_preset_names(preset)) == expected);
  for (const std::string& name : expected) {
    gchar* comment = nullptr;
    fail_unless(gst_preset_get_meta(preset, name.c_str(), "comment", &comment));
    fail_unless(comment != nullptr && comment[0] != '\0', "%s has no comment", name.c_str());
    g_free(comment);
  }
}

/// Loading sets all live properties, whatever they were, and no others.
LOOP_TEST(presets_set_their_values, shipped().size()) {
  const Shipped& expected = shipped()[__i__];
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  for (double share : {0.0, 0.5, 1.0}) {
    set_all(element, share);
    const std::vector<Value> before = values(element);
    fail_unless(gst_preset_load_preset(GST_PRESET(element), expected.name));
    check_values(element, with_params(before, expected.params));
  }
  gst_object_unref(element);
}

PLAIN_TEST(an_unknown_preset_is_refused) {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  const std::vector<Value> before = values(element);
  fail_if(gst_preset_load_preset(GST_PRESET(element), "no such preset"));
  check_values(element, before);
  gst_object_unref(element);
}

/// A preset takes effect at the next frame.
BACKEND_TEST(presets_give_their_edges) {
  const check::Layout layout = check::plain_layout(check::kGray, 160, 120);
  Element element(__i__, layout);
  std::set<std::vector<std::uint8_t>> different;
  for (const Shipped& each : shipped()) {
    fail_unless(gst_preset_load_preset(GST_PRESET(element.get()), each.name));
    const Owned<GstBuffer> picture(check::new_picture(layout, 5));
    const auto expected = check::reference_edges(picture.get(), layout, each.params);
    fail_unless(check::output_bytes(element, picture.get()) == expected, "%s", each.name);
    different.insert(expected);
  }
  fail_unless_equals_int(int(different.size()), int(shipped().size()) - 1);
}

/// The keys of a preset in the file of the user's presets, apart from its metadata.
static Strings saved_keys(const char* name) {
  GKeyFile* file = g_key_file_new();
  const bool is_loaded = g_key_file_load_from_file(file, check::PresetFolder::file().c_str(),
                                                   G_KEY_FILE_NONE, nullptr);
  fail_unless(is_loaded);
  Strings keys = take(g_key_file_get_keys(file, name, nullptr, nullptr));
  g_key_file_free(file);
  return keys;
}

/// Saves the values, sets others and loads the saved ones.
static void save_and_load(GstElement* element, double share) {
  set_all(element, share);
  const std::vector<Value> before = values(element);
  fail_unless(gst_preset_save_preset(GST_PRESET(element), "mine"));
  set_all(element, share == 0 ? 1 : 0);
  fail_if(values(element) == before);
  const std::vector<Value> others = values(element);
  fail_unless(gst_preset_load_preset(GST_PRESET(element), "mine"));
  std::vector<Value> expected = others;
  const Strings names = live_names();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool is_live = std::count(names.begin(), names.end(), expected[i].name) > 0;
    if (is_live) expected[i] = before[i];
  }
  check_values(element, expected);
}

PLAIN_TEST(presets_are_saved_and_loaded) {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  GstPreset* preset = GST_PRESET(element);
  // Steps of 1/9 reach every choice: no list has more than ten.
  for (int ninths = 0; ninths <= 9; ++ninths) save_and_load(element, ninths / 9.0);
  Strings keys = saved_keys("mine");
  Strings expected = live_names();
  std::sort(keys.begin(), keys.end());
  std::sort(expected.begin(), expected.end());
  fail_unless(keys == expected);
  // The file has the shipped presets as well.
  fail_unless(saved_keys("opencv").size() == expected.size() + 1);
  fail_unless(gst_preset_delete_preset(preset, "mine"));
  fail_if(gst_preset_load_preset(preset, "mine"));
  fail_unless(saved_keys("mine").empty());
  gst_object_unref(element);
}

/// In gst-launch's language, a preset replaces properties on either side of it.
PLAIN_TEST(presets_in_a_launch_line) {
  for (const char* line : {"videotestsrc num-buffers=1 ! cudacanny name=it @preset=matlab sigma=3 "
                           "low-threshold=7 ! fakesink",
                           "videotestsrc num-buffers=1 ! cudacanny name=it sigma=3 "
                           "low-threshold=7 @preset=matlab ! fakesink"}) {
    check::Pipeline pipeline(line);
    double sigma = 0, low = 0;
    g_object_get(pipeline["it"], "sigma", &sigma, "low-threshold", &low, nullptr);
    fail_unless_equals_float(sigma, 1.4142135623730951);
    fail_unless_equals_float(low, 50);
  }
}
