// SPDX-License-Identifier: LGPL-2.1-or-later
// Sets and reads properties through GObject.
#include "properties.h"

#include <gst/controller/controller.h>
#include <gst/video/video.h>
#if CANNY_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <string>

#include "check/expected.h"
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
    "cuda-device-id", "stats-interval", "roi-type", "roi-min-confidence", "roi-margin",   "roi",
    "stats",          "components",     "contours", "contour-precision",  "opencl-device"};
constexpr const char* kTypes[] = {"face", "car"};

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

// The integers of a text, or none if it does not match or one of them is not a gint.
std::optional<std::vector<int>> integers_of(const std::string& text, const char* pattern) {
  if (!std::regex_match(text, std::regex(pattern))) return {};
  std::vector<int> integers;
  static const std::regex integer("-?[0-9]+");
  for (std::sregex_iterator at(text.begin(), text.end(), integer), end; at != end; ++at) {
    const long long number = std::strtoll(at->str().c_str(), nullptr, 10);
    if (number != static_cast<int>(number)) return {};
    integers.push_back(static_cast<int>(number));
  }
  return integers;
}

// The rectangles of a text, if it is a list of some.
std::optional<Rectangles> rectangles_of(const std::string& roi) {
  const auto integers =
      integers_of(roi, "(( *-?[0-9]+ *,){3} *-?[0-9]+ *;)*( *-?[0-9]+ *,){3} *-?[0-9]+ *");
  if (!integers) return {};
  Rectangles rectangles;
  for (auto at = integers->begin(); at != integers->end(); at += 4) {
    rectangles.push_back({at[0], at[1], at[2], at[3]});
    if (at[2] < 1 || at[3] < 1) return {};
  }
  return rectangles;
}

// The number of a margin, if it is one; less than 0 are per cent.
std::optional<int> margin_of(const std::string& text) {
  const auto integers = integers_of(text, " *-?[0-9]+ *%?");
  if (!integers || (*integers)[0] < 0 || (*integers)[0] > canny::kMaxSide) return {};
  return text.back() == '%' ? -(*integers)[0] : (*integers)[0];
}

// Widens one side of the box of a meta.
void widen(int margin, int* begin, int* length) {
  const double from = *begin, to = from + *length;
  const double more = margin < 0 ? std::ceil(-margin * (to - from) / 100) : margin;
  const auto limited = [](double place) {
    constexpr double kFar = 1 << 20;
    return static_cast<int>(std::clamp(place, -kFar, kFar));
  };
  *begin = limited(from - more);
  *length = limited(to + more) - *begin;
}

std::string get_text(GstElement* element, const char* name) {
  g_autofree gchar* text = nullptr;
  g_object_get(element, name, &text, nullptr);
  return text != nullptr ? text : "";
}

void add_detections([[maybe_unused]] GstBuffer* buffer, [[maybe_unused]] const char* type,
                    [[maybe_unused]] double least, [[maybe_unused]] Rectangles* rectangles) {
#if CANNY_ANALYTICS
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(buffer, &state,
                                                          GST_ANALYTICS_RELATION_META_API_TYPE)) {
    auto* relations = reinterpret_cast<GstAnalyticsRelationMeta*>(meta);
    for (gsize i = 0; i < gst_analytics_relation_get_length(relations); ++i) {
      GstAnalyticsODMtd found;
      if (!gst_analytics_relation_meta_get_od_mtd(relations, guint(i), &found)) continue;
      const gchar* label = g_quark_to_string(gst_analytics_od_mtd_get_obj_type(&found));
      canny::Rectangle box;
      gfloat confidence = 0;
      gst_analytics_od_mtd_get_location(&found, &box.x, &box.y, &box.width, &box.height,
                                        &confidence);
      if (confidence >= gfloat(least) && (type == nullptr || g_strcmp0(label, type) == 0))
        rectangles->push_back(box);
    }
  }
#endif
}

// Draws a text: numbers, between which separators take turns, often with a wrong character.
std::string draw_text(Reader& reader, int count, const char* separators) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += separators[(i - 1) % static_cast<int>(std::strlen(separators))];
    if (reader.one_in(8)) text += ' ';
    text += std::to_string(reader.one_in(8) ? reader.raw<int>() : reader.between(-5, 60));
    if (reader.one_in(8)) text += ' ';
  }
  if (reader.one_in(2)) return text;
  const auto at = static_cast<std::size_t>(reader.between(0, static_cast<int>(text.size())));
  return text.replace(at, reader.one_in(2), 1, static_cast<char>(reader.between(1, 127)));
}

// Sets a property to a text, which it takes exactly if the text is valid.
void set_checked(GstElement* element, const char* name, const std::string& text, bool is_valid) {
  const std::string before = get_text(element, name);
  g_object_set(element, name, text.c_str(), nullptr);
  if (get_text(element, name) != (is_valid ? text : before))
    report(std::string(name) + (is_valid ? " refuses '" : " takes '") + text + '\'');
}

void set_roi(GstElement* element, Reader& reader) {
  const std::string text = draw_text(reader, 4 * reader.between(1, 3), ",,,;");
  set_checked(element, "roi", text, rectangles_of(text).has_value());
}

void set_margin(GstElement* element, Reader& reader) {
  const std::string text = draw_text(reader, 1, ",") + (reader.one_in(2) ? "%" : "");
  set_checked(element, "roi-margin", text, margin_of(text).has_value());
}

// A name of the color gives it again. Frames have the color of the tests.
void set_color(GstElement* element, Reader& reader) {
  guint color = reader.raw<guint>(), actual = 0;
  const bool has_alpha = reader.one_in(2);
  g_autofree gchar* text =
      g_strdup_printf(has_alpha ? "#%08x" : "#%06x", has_alpha ? color : color & 0xffffff);
  if (!has_alpha) color |= 0xff000000;
  g_object_set(element, "edge-color-name", text, nullptr);
  g_object_get(element, "edge-color", &actual, nullptr);
  if (actual != color) report(std::string("another color than ") + text);
  set_checked(element, "edge-color-name", draw_text(reader, 1, ",") + '#', false);
  g_object_set(element, "edge-color", check::kOverlayColor, nullptr);
}

}  // namespace

std::optional<Rectangles> read_regions(GstElement* element, GstBuffer* buffer) {
  const bool has_metas = get_number(element, "roi-mode") != 0;
  g_autofree gchar* type = nullptr;
  g_object_get(element, "roi-type", &type, nullptr);
  const std::string roi = get_text(element, "roi"), margin = get_text(element, "roi-margin");
  if (!has_metas && roi.empty()) return {};
  Rectangles rectangles;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(
             buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<const GstVideoRegionOfInterestMeta*>(meta);
    if (type != nullptr && g_strcmp0(type, g_quark_to_string(region->roi_type)) != 0) continue;
    rectangles.push_back(
        {position(region->x), position(region->y), length(region->w), length(region->h)});
  }
  add_detections(buffer, type, get_number(element, "roi-min-confidence"), &rectangles);
  if (!has_metas) rectangles.clear();
  for (canny::Rectangle& each : rectangles) {
    if (margin.empty() || each.width < 1 || each.height < 1) continue;
    widen(margin_of(margin).value(), &each.x, &each.width);
    widen(margin_of(margin).value(), &each.y, &each.height);
  }
  if (roi.empty()) return rectangles;
  const Rectangles others = rectangles_of(roi).value();
  rectangles.insert(rectangles.end(), others.begin(), others.end());
  return rectangles;
}

void add_detection([[maybe_unused]] GstBuffer* buffer, [[maybe_unused]] Reader& reader) {
#if CANNY_ANALYTICS
  GstAnalyticsRelationMeta* relations = gst_buffer_get_analytics_relation_meta(buffer);
  if (relations == nullptr) relations = gst_buffer_add_analytics_relation_meta(buffer);
  const auto number = [&] {
    return reader.one_in(4) ? reader.raw<gint>() : reader.between(-20, 90);
  };
  GstAnalyticsODMtd added;
  const gfloat confidence = reader.one_in(8) ? reader.raw<gfloat>() : gfloat(reader.byte()) / 255;
  const gint x = number(), y = number(), width = number(), height = number();
  gst_analytics_relation_meta_add_od_mtd(relations, g_quark_from_static_string(reader.any(kTypes)),
                                         x, y, width, height, confidence, &added);
#endif
}

void set_regions(GstElement* element, Reader& reader) {
  gst_util_set_object_arg(G_OBJECT(element), "roi-mode", reader.one_in(3) ? "none" : "meta");
  g_object_set(element, "roi-type", reader.one_in(2) ? reader.any(kTypes) : nullptr,
               "roi-min-confidence", reader.byte() / 255.0, "roi", nullptr, "roi-margin", nullptr,
               nullptr);
  if (reader.one_in(2)) set_roi(element, reader);
  if (reader.one_in(2)) set_margin(element, reader);
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
  if (reader.one_in(8)) return set_color(element, reader);
  const bool is_number = !reader.one_in(4);
  const char* name = is_number ? reader.any(kNumbers) : reader.any(kOthers);
  const auto bytes = reader.bytes(static_cast<std::size_t>(reader.between(0, 12)));
  std::string text(reinterpret_cast<const char*>(bytes.data), bytes.size);
  if (text.empty()) text = draw_text(reader, reader.between(1, 2), ".");
  gst_util_set_object_arg(G_OBJECT(element), name, text.c_str());
  check(element, name);
}

}  // namespace fuzz
