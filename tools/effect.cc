// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares settings with the table.
#include "tools/effect.h"

#include <algorithm>
#include <iterator>

namespace tuner {

bool is_in_force(GstElement* element, const Unused& row) {
  const std::string name = serialized(element, row.other);
  return (' ' + std::string(row.values) + ' ').find(' ' + name + ' ') != std::string::npos;
}

bool has_effect(GstElement* element, const Property& property) {
  return std::none_of(std::begin(kUnused), std::end(kUnused), [&](const Unused& row) {
    return property.name == row.name && is_in_force(element, row);
  });
}

}  // namespace tuner
