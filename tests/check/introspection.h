// SPDX-License-Identifier: LGPL-2.1-or-later
/// GObject's data about an element's properties.
#pragma once

#include <gst/gst.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace check {

/// The properties that are not inherited, in the order of their ids.
inline std::vector<GParamSpec*> own_properties(GstElement* element) {
  guint count = 0;
  GParamSpec** all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
  std::vector<GParamSpec*> own;
  std::copy_if(all, all + count, std::back_inserter(own), [=](const GParamSpec* pspec) {
    return pspec->owner_type == G_OBJECT_TYPE(element);
  });
  g_free(all);
  return own;
}

inline bool is_writable(const GParamSpec* pspec) { return pspec->flags & G_PARAM_WRITABLE; }

/// Whether the property is another one as a text.
inline bool is_twin(const GParamSpec* pspec) {
  return std::string(pspec->name) == "edge-color-name";
}

/// Whether the property has no effect on frames, only on what is known of them.
inline bool is_of_stats(const GParamSpec* pspec) {
  const std::string name = pspec->name;
  return name == "measure-stages" || name == "stats-interval";
}

struct Limits {
  double minimum, maximum, initial;
};

/// The limits of a number, an enum or a boolean, as numbers. A string counts as 0 if it is null and
/// as 1 otherwise.
inline Limits limits(GParamSpec* pspec) {
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
  if (G_IS_PARAM_SPEC_UINT64(pspec)) {
    auto* number = G_PARAM_SPEC_UINT64(pspec);
    return {double(number->minimum), double(number->maximum), double(number->default_value)};
  }
  if (G_IS_PARAM_SPEC_BOOLEAN(pspec)) {
    return {0, 1, double(G_PARAM_SPEC_BOOLEAN(pspec)->default_value)};
  }
  if (G_IS_PARAM_SPEC_STRING(pspec)) {
    return {0, 1, double(G_PARAM_SPEC_STRING(pspec)->default_value != nullptr)};
  }
  if (!G_IS_PARAM_SPEC_ENUM(pspec)) g_error("property %s has a type of its own", pspec->name);
  auto* choice = G_PARAM_SPEC_ENUM(pspec);
  return {double(choice->enum_class->minimum), double(choice->enum_class->maximum),
          double(choice->default_value)};
}

/// The names of the choices of an enum, in the order of their numbers; empty for other properties.
inline std::vector<std::string> nicks(GParamSpec* pspec) {
  std::vector<std::string> names;
  if (!G_IS_PARAM_SPEC_ENUM(pspec)) return names;
  const GEnumClass* choices = G_PARAM_SPEC_ENUM(pspec)->enum_class;
  for (guint i = 0; i < choices->n_values; ++i) names.push_back(choices->values[i].value_nick);
  return names;
}

/// A number, the place of a choice, a boolean, or whether there is a string.
inline double get_number(GstElement* element, const GParamSpec* pspec) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(G_OBJECT(element), pspec->name, &value);
  double number = 0;
  if (G_VALUE_HOLDS_DOUBLE(&value)) number = g_value_get_double(&value);
  if (G_VALUE_HOLDS_INT(&value)) number = g_value_get_int(&value);
  if (G_VALUE_HOLDS_UINT(&value)) number = g_value_get_uint(&value);
  if (G_VALUE_HOLDS_UINT64(&value)) number = double(g_value_get_uint64(&value));
  if (G_VALUE_HOLDS_ENUM(&value)) number = g_value_get_enum(&value);
  if (G_VALUE_HOLDS_STRING(&value)) number = g_value_get_string(&value) != nullptr;
  if (G_VALUE_HOLDS_BOOLEAN(&value)) number = g_value_get_boolean(&value);
  g_value_unset(&value);
  return number;
}

inline GParamSpec* spec_of(GstElement* element, const char* name) {
  GParamSpec* pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), name);
  if (pspec == nullptr) g_error("no property %s", name);
  return pspec;
}

inline double number_of(GstElement* element, const char* name) {
  return get_number(element, spec_of(element, name));
}

/// Some string that the property takes.
inline const char* sample(const GParamSpec* pspec) {
  const std::string name = pspec->name;
  return name == "roi" ? "10,10,50,30" : name == "roi-margin" ? "5%" : "a string";
}

/// Sets a number, the place of a choice, a boolean, or some string or null.
inline void set_number(GstElement* element, const GParamSpec* pspec, double number) {
  if (G_IS_PARAM_SPEC_DOUBLE(pspec)) {
    g_object_set(element, pspec->name, number, nullptr);
  } else if (G_IS_PARAM_SPEC_UINT(pspec)) {
    g_object_set(element, pspec->name, guint(number), nullptr);
  } else if (G_IS_PARAM_SPEC_STRING(pspec)) {
    g_object_set(element, pspec->name, number != 0 ? sample(pspec) : nullptr, nullptr);
  } else if (G_IS_PARAM_SPEC_UINT64(pspec)) {
    g_object_set(element, pspec->name, guint64(number), nullptr);
  } else {
    g_object_set(element, pspec->name, gint(number), nullptr);
  }
}

inline std::string text(double number) {
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd(text, sizeof text, "%.15g", number);
}

/// The range of a number: "0 to 20".
inline std::string range(GParamSpec* pspec) {
  const Limits found = limits(pspec);
  return text(found.minimum) + " to " + text(found.maximum);
}

}  // namespace check
