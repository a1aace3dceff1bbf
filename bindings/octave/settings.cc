// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads settings by the tables of libcudacanny.
#include "settings.h"

#include <cudacanny/settings.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "argument.h"

namespace mex {
namespace {

/// The enumerator that the argument names.
template <class Enum>
Enum choose(const Argument& argument) {
  const std::optional<Enum> found = canny::find<Enum>(argument.is_text() ? argument.text() : "");
  if (!found) argument.fail("one of " + canny::names<Enum>());
  return *found;
}

/// Sets a member of Params or Options from an argument.
template <class Setting, class Member>
void set(const Setting& setting, const Argument& argument, Member* member) {
  if constexpr (std::is_enum_v<Member>)
    *member = choose<Member>(argument);
  else if constexpr (std::is_same_v<Member, bool>)
    *member = argument.flag();
  else if constexpr (std::is_same_v<Member, std::string>)
    *member = argument.text();
  else if constexpr (std::is_same_v<Member, double>)
    *member = argument.number(setting.minimum, setting.maximum);
  else
    *member = static_cast<Member>(argument.integer(setting.minimum, setting.maximum));
}

struct Row {
  std::string name;
  std::function<void(const Argument& argument, Settings* settings)> set;
};

/// Rows that set members of one of the Settings.
template <class Table, class Object>
void append(const Table& table, Object Settings::*object, std::vector<Row>* rows) {
  for (const auto& setting : table) {
    rows->push_back(
        {setting.name, [&setting, object](const Argument& argument, Settings* settings) {
           const auto set_member = [&](auto member) {
             set(setting, argument, &(settings->*object.*member));
           };
           std::visit(set_member, setting.member);
         }});
  }
}

const Row& row_of(const std::string& name) {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    append(canny::kSettings, &Settings::params, &all);
    append(canny::kOptions, &Settings::options, &all);
    // The functions return edges alone.
    const auto is_not_offered = [](const Row& row) {
      return row.name == "output" || row.name == "edge-color" || row.name == "measure-stages";
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_not_offered), all.end());
    return all;
  }();
  std::string names;
  for (const Row& row : rows) {
    if (name == row.name) return row;
    names += (names.empty() ? "" : ", ") + row.name;
  }
  throw Error{"name", "there is no setting \"" + name + "\"; the settings are " + names};
}

/// The settings that have places, in their order.
struct Place {
  const char* name;  ///< in Luo and Duraiswami, section 3.2
  const char* setting;
};
constexpr Place kPlaces[] = {
    {"thresL", "low-threshold"}, {"thresH", "high-threshold"}, {"hyster", "hysteresis-passes"}};

}  // namespace

Settings settings_of(int count, const mxArray* const* arguments) {
  Settings settings;
  bool is_low_chosen = false, is_high_chosen = false;
  const auto set_one = [&](const Row& row, const std::string& shown, const mxArray* value) {
    row.set({shown, value}, &settings);
    is_low_chosen |= row.name == "low-threshold";
    is_high_chosen |= row.name == "high-threshold";
  };
  int next = 0;
  for (const Place& place : kPlaces) {
    if (next == count || mxIsChar(arguments[next])) break;
    const mxArray* array = arguments[next++];
    if (!mxIsEmpty(array)) set_one(row_of(place.setting), place.name, array);
  }
  for (; next < count; next += 2) {
    if (!mxIsChar(arguments[next])) {
      throw Error{"name", "argument " + std::to_string(next + 2) +
                              " must be the name of a setting, but is a " +
                              describe(arguments[next])};
    }
    const std::string name = text_of(arguments[next]);
    const Row& row = row_of(name);
    if (next + 1 == count) throw Error{"name", row.name + " needs a value after its name"};
    set_one(row, row.name, arguments[next + 1]);
  }
  canny::complete_thresholds(is_low_chosen, is_high_chosen, &settings.params);
  return settings;
}

}  // namespace mex
