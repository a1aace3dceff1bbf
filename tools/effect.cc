// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares settings with the table.
#include "tools/effect.h"

#include <algorithm>
#include <iterator>

namespace tuner {

namespace {

bool has_word(const std::string& words, const std::string& word) {
  return (' ' + words + ' ').find(' ' + word + ' ') != std::string::npos;
}

}  // namespace

bool is_of(const Unused& row, const Property& property) {
  return has_word(row.names, property.name);
}

bool is_in_force(GstElement* element, const Unused& row) {
  return has_word(row.values, serialized(element, row.other));
}

bool has_effect(GstElement* element, const Property& property) {
  return std::none_of(std::begin(kUnused), std::end(kUnused), [&](const Unused& row) {
    return is_of(row, property) && is_in_force(element, row);
  });
}

}  // namespace tuner
