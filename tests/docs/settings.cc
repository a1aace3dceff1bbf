// SPDX-License-Identifier: LGPL-2.1-or-later
/// Prints the tables of settings, a row in a line, for tests/docs/settings: name, type ("number",
/// "integer", "flag", "text" or "choice"), default, range, choices and meaning, with tabs in
/// between.
#include "canny/settings.h"

#include <cstdio>
#include <string>
#include <type_traits>

namespace {

std::string text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", number);
  return text;
}

template <class Setting, class Value>
void print(const Setting& setting, const Value& initial) {
  std::string type, value, range, choices;
  if constexpr (std::is_enum_v<Value>) {
    type = "choice";
    value = name(initial);
    choices = canny::names<Value>();
  } else if constexpr (std::is_same_v<Value, bool>) {
    type = "flag";
    value = initial ? "true" : "false";
  } else if constexpr (std::is_same_v<Value, std::string>) {
    type = "text";
    value = initial;
  } else {
    type = std::is_same_v<Value, double> ? "number" : "integer";
    value = text(initial);
    range = text(setting.minimum) + " to " + text(setting.maximum);
  }
  std::printf("%s\t%s\t%s\t%s\t%s\t%s\n", setting.name, type.c_str(), value.c_str(), range.c_str(),
              choices.c_str(), setting.meaning);
}

}  // namespace

int main() {
  const canny::Params params;
  const canny::Options options;
  for (const canny::Setting& setting : canny::kSettings)
    std::visit([&](auto member) { print(setting, params.*member); }, setting.member);
  for (const canny::Option& option : canny::kOptions)
    std::visit([&](auto member) { print(option, options.*member); }, option.member);
}
