// SPDX-License-Identifier: LGPL-2.1-or-later
/// Writes launch lines and C++ code.
#include "tools/texts.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "canny/settings.h"
#include "tools/property.h"
#include "tools/ref.h"

namespace tuner {

namespace {

/// Puts a text with characters other than those of names and numbers in double quotes.
std::string quoted(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == '_' || c == '.';
  };
  if (std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string all = "\"";
  for (const char c : text) {
    if (std::string("\"$`\\").find(c) != std::string::npos) all += '\\';
    all += c;
  }
  return all + "\"";
}

/// "largest-channel" gives "LargestChannel", also with an underscore.
std::string camel_case(const std::string& text) {
  if (text == "opencl") return "OpenCl";
  std::string camel;
  bool is_first = true;
  for (const char c : text) {
    const bool is_gap = c == '-' || c == '_';
    if (!is_gap) camel += is_first ? static_cast<char>(std::toupper(c)) : c;
    is_first = is_gap;
  }
  return camel;
}

std::string cpp_value(GstElement* element, const Property& property) {
  const std::string text = value_text(element, property);
  if (property.kind == Kind::kText) return '"' + take(g_strescape(text.c_str(), nullptr)) + '"';
  if (property.kind != Kind::kChoice) return text;
  const std::string type = property.name == "output" ? "View" : camel_case(property.name);
  return "canny::" + type + "::k" + camel_case(text);
}

/// The members of an object, in the library's table, that differ from their defaults, a line each.
template <class Table>
std::string assignments(GstElement* element, const std::string& object, const Table& members) {
  std::string lines;
  for (const Property& property : writable_properties(element)) {
    const auto member = std::find_if(std::begin(members), std::end(members),
                                     [&](const auto& each) { return property.name == each.name; });
    if (member == std::end(members)) continue;
    // Thresholds of Params do not follow the operator.
    if (is_threshold(property) ? get_number(element, property) == property.initial
                               : is_initial(element, property))
      continue;
    lines += object + "." + member->member_name + " = " + cpp_value(element, property) + ";\n";
  }
  return lines;
}

}  // namespace

std::string launch_line(const Source& source, const std::string& format, GstElement* element) {
  std::string line = "gst-launch-1.0 " + source_elements(source) + " ! videoconvert";
  if (!format.empty()) line += " ! video/x-raw,format=" + format;
  line += " ! cudacanny";
  const std::vector<Property> properties = writable_properties(element);
  const bool has_thresholds =
      std::any_of(properties.begin(), properties.end(), [&](const Property& property) {
        return is_threshold(property) && !is_initial(element, property);
      });
  for (const Property& property : properties) {
    const bool is_needed = is_threshold(property) ? has_thresholds : !is_initial(element, property);
    if (!is_needed) continue;
    line += " " + property.name + "=" + quoted(value_text(element, property));
  }
  return line + " ! videoconvert ! autovideosink";
}

std::string cpp_text(GstElement* element) {
  const std::string options = assignments(element, "options", canny::kOptions);
  const std::string text =
      "canny::Params params;\n" + assignments(element, "params", canny::kSettings);
  return options.empty() ? text : "canny::Options options;\n" + options + text;
}

}  // namespace tuner
