// SPDX-License-Identifier: LGPL-2.1-or-later
// Parameters by the names of the element's properties.
#pragma once

#include <sstream>
#include <string>
#include <type_traits>

#include "canny/settings.h"

namespace bench {

template <class Type>
void read_value(const std::string& text, Type* value) {
  if constexpr (std::is_enum_v<Type>)
    *value = canny::find<Type>(text).value();
  else if constexpr (std::is_same_v<Type, bool>)
    *value = text == "true";
  else
    *value = static_cast<Type>(std::stod(text));
}

/// The parameters of a text such as "sigma=0 norm=l1". Words without = mean nothing. The properties
/// and values must exist.
inline canny::Params params_of(const std::string& text) {
  canny::Params params;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const canny::Setting* setting = canny::kSettings;
    while (setting->name != word.substr(0, equals)) ++setting;
    std::visit([&](auto member) { read_value(word.substr(equals + 1), &(params.*member)); },
               setting->member);
  }
  return params;
}

}  // namespace bench
