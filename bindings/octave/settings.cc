// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads settings by the tables of libcudacanny.
#include "settings.h"

#include <cudacanny/settings.h>

#include <optional>
#include <string>
#include <type_traits>
#include <variant>

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

/// Sets the member of an object that has this name in a table, if one has.
template <class Table, class Object>
void set_in(const Table& table, const std::string& name, const Argument& argument, Object* object) {
  for (const auto& setting : table) {
    if (name != setting.name) continue;
    std::visit([&](auto member) { set(setting, argument, &(object->*member)); }, setting.member);
  }
}

/// Throws an error unless there is a setting of this name. The functions return edges alone.
void check_name(const std::string& name) {
  std::string all;
  bool is_known = false;
  const auto add = [&](const auto& table) {
    for (const auto& setting : table) {
      const std::string each = setting.name;
      if (each == "output" || each == "edge-color" || each == "measure-stages") continue;
      is_known |= each == name;
      all += (all.empty() ? "" : ", ") + each;
    }
  };
  add(canny::kSettings);
  add(canny::kOptions);
  if (!is_known)
    throw Error{"name", "there is no setting \"" + name + "\"; the settings are " + all};
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
  const auto set_one = [&](const std::string& name, const Argument& argument) {
    set_in(canny::kSettings, name, argument, &settings.params);
    set_in(canny::kOptions, name, argument, &settings.options);
    is_low_chosen |= name == "low-threshold";
    is_high_chosen |= name == "high-threshold";
  };
  int next = 0;
  for (const Place& place : kPlaces) {
    if (next == count || mxIsChar(arguments[next])) break;
    const mxArray* array = arguments[next++];
    if (!mxIsEmpty(array)) set_one(place.setting, {place.name, array});
  }
  for (; next < count; next += 2) {
    if (!is_text(arguments[next])) {
      throw Error{"name", "argument " + std::to_string(next + 2) +
                              " must be the name of a setting, but is a " +
                              describe(arguments[next])};
    }
    const std::string name = text_of(arguments[next]);
    check_name(name);
    if (next + 1 == count) throw Error{"name", name + " needs a value after its name"};
    set_one(name, {name, arguments[next + 1]});
  }
  canny::complete_thresholds(is_low_chosen, is_high_chosen, &settings.params);
  return settings;
}

}  // namespace mex
