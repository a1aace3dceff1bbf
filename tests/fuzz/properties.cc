// SPDX-License-Identifier: LGPL-2.1-or-later
// Sets and reads properties through GObject.
#include "properties.h"

#include <gst/controller/controller.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "failure.h"
#include "params.h"

namespace fuzz {
namespace {

constexpr const char* kNumbers[] = {"low-threshold",     "high-threshold", "sigma",
                                    "hysteresis-passes", "norm",           "operator",
                                    "thin-edges",        "color-mode",     "luma-depth",
                                    "threshold-mode",    "high-ratio",     "low-ratio",
                                    "min-length",        "output",         "measure-stages"};
constexpr const char* kOthers[] = {
    "cuda-device-id", "stats-interval", "roi-type", "roi-min-confidence", "roi-margin", "roi",
    "stats"};

double get_number(GstElement* element, const char* name) {
  GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), name);
  GValue value = G_VALUE_INIT, number = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  g_value_init(&number, G_TYPE_DOUBLE);
  g_object_get_property(G_OBJECT(element), name, &value);
  if (G_VALUE_HOLDS_ENUM(&value))
    g_value_set_double(&number, g_value_get_enum(&value));
  else if (G_VALUE_HOLDS_BOOLEAN(&value))
    g_value_set_double(&number, g_value_get_boolean(&value));
  else if (!g_value_transform(&value, &number))
    report(std::string("no number: ") + name);
  const double result = g_value_get_double(&number);
  g_value_unset(&value);
  return result;
}

template <class Enum>
Enum get_choice(GstElement* element, const char* name) {
  return static_cast<Enum>(static_cast<int>(get_number(element, name)));
}

unsigned get_count(GstElement* element, const char* name) {
  return static_cast<unsigned>(get_number(element, name));
}

void check(GstElement* element, const char* changed) {
  if (is_valid(read_params(element))) return;
  report(std::string(changed) + " has the value " + std::to_string(get_number(element, changed)));
}

// A negative number in a guint.
int position(guint number) { return static_cast<gint32>(number); }

// No frame goes beyond an int.
int length(guint number) { return static_cast<int>(std::min(number, guint{G_MAXINT})); }

// The rectangles of a text that is null or that the property "roi" has taken.
Rectangles rectangles_of(const gchar* roi) {
  Rectangles rectangles;
  for (; roi != nullptr; roi = std::strchr(roi, ';')) {
    if (*roi == ';') ++roi;
    auto& [x, y, width, height] = rectangles.emplace_back();
    if (std::sscanf(roi, "%d ,%d ,%d ,%d", &x, &y, &width, &height) != 4)
      report(std::string("roi has the value ") + roi);
  }
  return rectangles;
}

}  // namespace

std::optional<Rectangles> read_regions(GstElement* element, GstBuffer* buffer) {
  const bool has_metas = get_number(element, "roi-mode") != 0;
  g_autofree gchar* type = nullptr;
  g_autofree gchar* roi = nullptr;
  g_object_get(element, "roi-type", &type, "roi", &roi, nullptr);
  if (!has_metas && roi == nullptr) return {};
  Rectangles rectangles = rectangles_of(roi);
  if (!has_metas) return rectangles;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(
             buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<const GstVideoRegionOfInterestMeta*>(meta);
    if (type != nullptr && g_strcmp0(type, g_quark_to_string(region->roi_type)) != 0) continue;
    rectangles.push_back(
        {position(region->x), position(region->y), length(region->w), length(region->h)});
  }
  return rectangles;
}

void set_regions(GstElement* element, Reader& reader) {
  gst_util_set_object_arg(G_OBJECT(element), "roi-mode", reader.one_in(3) ? "none" : "meta");
  const char* types[] = {nullptr, "face", "car"};
  const char* rois[] = {nullptr, "x", "3,2,40,30", "-5,-5,30,30; 20,10,2000,9"};
  g_object_set(element, "roi-type", reader.any(types), "roi", reader.any(rois), nullptr);
}

void bind(GstElement* element, Reader& reader) {
  if (reader.one_in(3)) {
    for (const char* name : kNumbers)
      if (GstControlBinding* binding = gst_object_get_control_binding(GST_OBJECT(element), name)) {
        gst_object_remove_control_binding(GST_OBJECT(element), binding);
        gst_object_unref(binding);
      }
    return;
  }
  GstControlSource* source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_NONE, nullptr);
  const double value = reader.between(0, 3) == 0 ? reader.between(0, 2000) : reader.between(0, 9);
  gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), 0, value);
  gst_object_add_control_binding(
      GST_OBJECT(element),
      gst_direct_control_binding_new_absolute(GST_OBJECT(element), reader.any(kNumbers), source));
  gst_object_unref(source);
}

void check_ranges(GstElement* element, const char* when) {
  if (!is_valid(read_params(element))) report(std::string("a property left its range: ") + when);
}

canny::Params read_params(GstElement* element) {
  canny::Params params;
  params.low_threshold = get_number(element, "low-threshold");
  params.high_threshold = get_number(element, "high-threshold");
  params.sigma = get_number(element, "sigma");
  params.hysteresis_passes = get_count(element, "hysteresis-passes");
  params.norm = get_number(element, "norm") == 0 ? canny::Norm::kL2 : canny::Norm::kL1;
  params.gradient_operator = get_choice<canny::Operator>(element, "operator");
  params.thin_edges = get_number(element, "thin-edges") != 0;
  params.color_mode = get_choice<canny::ColorMode>(element, "color-mode");
  params.luma_depth = get_choice<canny::LumaDepth>(element, "luma-depth");
  params.threshold_mode = get_choice<canny::ThresholdMode>(element, "threshold-mode");
  params.high_ratio = get_number(element, "high-ratio");
  params.low_ratio = get_number(element, "low-ratio");
  params.min_length = get_count(element, "min-length");
  params.view = get_choice<canny::View>(element, "output");
  params.measure_stages = get_number(element, "measure-stages") != 0;
  return params;
}

void set_number(GstElement* element, Reader& reader) {
  const char* name = reader.any(kNumbers);
  GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), name);
  GValue value = G_VALUE_INIT, number = G_VALUE_INIT;
  g_value_init(&value, spec->value_type);
  if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
    const int kind = reader.between(0, 5);
    g_value_set_double(&value, kind == 0   ? reader.raw<double>()
                               : kind == 1 ? reader.between(-2, 2000)
                                           : reader.between(0, 4000) / 1000.0);
  } else {
    g_value_init(&number, G_TYPE_INT);
    g_value_set_int(&number, reader.one_in(6) ? reader.raw<int>() : reader.between(0, 12));
    if (G_VALUE_HOLDS_ENUM(&value))
      g_value_set_enum(&value, g_value_get_int(&number));
    else
      g_value_transform(&number, &value);
  }
  g_object_set_property(G_OBJECT(element), name, &value);
  g_value_unset(&value);
  check(element, name);
}

void set_text(GstElement* element, Reader& reader) {
  const bool is_number = !reader.one_in(4);
  const char* name = is_number ? reader.any(kNumbers) : reader.any(kOthers);
  const auto bytes = reader.bytes(static_cast<std::size_t>(reader.between(0, 12)));
  const std::string text(reinterpret_cast<const char*>(bytes.data), bytes.size);
  gst_util_set_object_arg(G_OBJECT(element), name, text.c_str());
  check(element, name);
}

}  // namespace fuzz
