// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads and writes the element's properties by introspection.
#include "tools/property.h"

#include <charconv>

#include "canny/canny.h"
#include "tools/ref.h"

namespace tuner {

namespace {

template <class Spec>
void set_range(const Spec* spec, Property* property) {
  property->minimum = static_cast<double>(spec->minimum);
  property->maximum = static_cast<double>(spec->maximum);
  property->initial = static_cast<double>(spec->default_value);
}

void describe_number(GParamSpec* pspec, Property* property) {
  property->kind = Kind::kNumber;
  if (G_IS_PARAM_SPEC_DOUBLE(pspec)) set_range(G_PARAM_SPEC_DOUBLE(pspec), property);
  if (G_IS_PARAM_SPEC_INT(pspec)) set_range(G_PARAM_SPEC_INT(pspec), property);
  if (G_IS_PARAM_SPEC_UINT(pspec)) set_range(G_PARAM_SPEC_UINT(pspec), property);
  if (G_IS_PARAM_SPEC_UINT64(pspec)) set_range(G_PARAM_SPEC_UINT64(pspec), property);
  const bool is_color = G_IS_PARAM_SPEC_UINT(pspec) && g_str_has_suffix(pspec->name, "-color");
  if (is_color) property->kind = Kind::kColor;
}

void describe_choice(const GParamSpecEnum* pspec, Property* property) {
  property->kind = Kind::kChoice;
  const GEnumClass* all = pspec->enum_class;
  for (guint i = 0; i < all->n_values; ++i) property->choices.push_back(all->values[i].value_nick);
  property->initial = pspec->default_value;
  property->maximum = all->n_values - 1.0;
}

Property describe(GParamSpec* pspec) {
  Property property;
  property.name = pspec->name;
  property.nick = g_param_spec_get_nick(pspec);
  property.blurb = g_param_spec_get_blurb(pspec);
  property.is_whole = !G_IS_PARAM_SPEC_DOUBLE(pspec);
  property.is_live = (pspec->flags & GST_PARAM_MUTABLE_PLAYING) != 0;
  if (G_IS_PARAM_SPEC_BOOLEAN(pspec)) {
    property.kind = Kind::kSwitch;
    property.maximum = 1;
    property.initial = G_PARAM_SPEC_BOOLEAN(pspec)->default_value;
  } else if (G_IS_PARAM_SPEC_ENUM(pspec)) {
    describe_choice(G_PARAM_SPEC_ENUM(pspec), &property);
  } else if (!G_IS_PARAM_SPEC_STRING(pspec)) {
    describe_number(pspec, &property);
  }
  return property;
}

/// The usual ratios of the element's threshold mode, 0 for a mode that measures nothing.
canny::Ratios usual_ratios(GstElement* element) {
  gint mode = 0;  // the element's values are the library's
  g_object_get(element, "threshold-mode", &mode, nullptr);
  return canny::usual_ratios(static_cast<canny::ThresholdMode>(mode));
}

}  // namespace

std::vector<Property> writable_properties(GstElement* element) {
  guint count = 0;
  g_autofree GParamSpec** all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  std::vector<Property> properties;
  for (guint i = 0; i < count; ++i) {
    const bool is_own = all[i]->owner_type == G_OBJECT_TYPE(element) &&
                        std::string(all[i]->name) != "edge-color-name";  // edge-color once more
    if (is_own && (all[i]->flags & G_PARAM_WRITABLE)) properties.push_back(describe(all[i]));
  }
  return properties;
}

std::string serialized(GstElement* element, const char* property) {
  g_auto(GValue) value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), property, &value);
  return take(gst_value_serialize(&value));
}

// GObject converts to and from the property's type.
double get_number(GstElement* element, const Property& property) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, property.is_whole ? G_TYPE_INT64 : G_TYPE_DOUBLE);
  g_object_get_property(G_OBJECT(element), property.name.c_str(), &value);
  return property.is_whole ? static_cast<double>(g_value_get_int64(&value))
                           : g_value_get_double(&value);
}

void set_number(GstElement* element, const Property& property, double number) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, property.is_whole ? G_TYPE_INT64 : G_TYPE_DOUBLE);
  if (property.is_whole)
    g_value_set_int64(&value, static_cast<gint64>(number));
  else
    g_value_set_double(&value, number);
  g_object_set_property(G_OBJECT(element), property.name.c_str(), &value);
}

double effective_number(GstElement* element, const Property& property) {
  const double number = get_number(element, property);
  const bool is_low = property.name == "low-ratio";
  if (number != 0 || (!is_low && property.name != "high-ratio")) return number;
  const canny::Ratios usual = usual_ratios(element);
  return is_low ? usual.low : usual.high;
}

std::string get_text(GstElement* element, const Property& property) {
  gchar* text = nullptr;
  g_object_get(element, property.name.c_str(), &text, nullptr);
  return take(text);
}

void set_text(GstElement* element, const Property& property, const std::string& text) {
  g_object_set(element, property.name.c_str(), text.empty() ? nullptr : text.c_str(), nullptr);
}

bool is_threshold(const Property& property) {
  return property.name == "low-threshold" || property.name == "high-threshold";
}

double default_number(GstElement* element, const Property& property) {
  if (!is_threshold(property)) return property.initial;
  const ElementRef fresh(gst_element_factory_make("cudacanny", nullptr));
  gint choice = 0;
  g_object_get(element, "operator", &choice, nullptr);
  g_object_set(fresh.get(), "operator", choice, nullptr);
  return get_number(fresh.get(), property);
}

void edit_number(GstElement* element, const Property& property, double value) {
  std::vector<Property> followers;
  if (property.name == "operator") {
    for (const Property& each : writable_properties(element))
      if (is_threshold(each) && is_initial(element, each)) followers.push_back(each);
  }
  set_number(element, property, value);
  if (followers.size() < 2) return;
  for (const Property& each : followers) set_number(element, each, default_number(element, each));
}

bool is_initial(GstElement* element, const Property& property) {
  if (property.kind == Kind::kText) return get_text(element, property).empty();
  return get_number(element, property) == default_number(element, property);
}

std::string number_text(double value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

std::string value_text(GstElement* element, const Property& property) {
  if (property.kind == Kind::kText) return get_text(element, property);
  const double number = get_number(element, property);
  if (property.kind == Kind::kColor) {
    return take(g_strdup_printf("0x%08x", static_cast<unsigned>(number)));
  }
  return property.is_whole ? serialized(element, property.name.c_str()) : number_text(number);
}

}  // namespace tuner
