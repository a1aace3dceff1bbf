// SPDX-License-Identifier: LGPL-2.1-or-later
/// Describes properties of the element in Markdown.
#pragma once

#include <gst/gst.h>

#include <stdexcept>
#include <string>

#include "introspection.h"

namespace docs {

inline std::string code(const std::string& text) { return '`' + text + '`'; }

inline std::string name(GParamSpec* pspec) { return code(pspec->name); }

inline std::string description(GParamSpec* pspec) { return g_param_spec_get_blurb(pspec); }

inline std::string type(GParamSpec* pspec) {
  if (G_IS_PARAM_SPEC_STRING(pspec)) return "string";
  const std::string own = g_type_name(pspec->value_type);
  if (G_TYPE_IS_FUNDAMENTAL(pspec->value_type)) return own.substr(1);  // without the g
  return G_IS_PARAM_SPEC_ENUM(pspec) ? "enum " + own : own;
}

/// The range of a number.
inline std::string range(GParamSpec* pspec) {
  const bool is_number = check::is_writable(pspec) && !G_IS_PARAM_SPEC_BOOLEAN(pspec) &&
                         !G_IS_PARAM_SPEC_STRING(pspec) && !G_IS_PARAM_SPEC_ENUM(pspec);
  return is_number ? check::range(pspec) : "";
}

inline std::string initial(GParamSpec* pspec) {
  if (!check::is_writable(pspec)) return "";
  const double value = check::limits(pspec).initial;
  if (G_IS_PARAM_SPEC_STRING(pspec))
    return value != 0 ? code(G_PARAM_SPEC_STRING(pspec)->default_value) : "null";
  if (std::string(pspec->name) == "edge-color") {
    char color[16];
    g_snprintf(color, sizeof color, "0x%08x", G_PARAM_SPEC_UINT(pspec)->default_value);
    return color;
  }
  if (G_IS_PARAM_SPEC_BOOLEAN(pspec)) return value != 0 ? "true" : "false";
  if (!G_IS_PARAM_SPEC_ENUM(pspec)) return check::text(value);
  return code(check::nicks(pspec).at(gsize(value)));
}

/// When a new value takes effect, derived from the flags. No other sets of flags exist.
inline std::string effect(GParamSpec* pspec) {
  switch (pspec->flags & ~G_PARAM_STATIC_STRINGS) {
    case G_PARAM_READABLE:
      return "read-only";
    case G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE:
      return "at the next frame; controllable";
    case G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING:
      return "at the next frame";
    case G_PARAM_READWRITE | GST_PARAM_MUTABLE_READY:
      return "at the next start";
    default:
      throw std::runtime_error(std::string(pspec->name) + " has flags that no other property has");
  }
}

}  // namespace docs
