// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads settings by the table in canny/settings.h.
#include "settings.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

#include "canny/color.h"
#include "canny/settings.h"

namespace py = pybind11;

namespace python {
namespace {

using canny::Params;

/// A value that knows its name, so that errors can state it.
struct Argument {
  const char* name;
  py::handle value;

  template <class T>
  T as(const char* needed) const {
    try {
      return py::cast<T>(value);
    } catch (const py::cast_error&) {
      fail(needed);
    }
  }

  [[noreturn]] void fail(const char* needed) const {
    throw py::type_error(std::string(name) + " must be " + needed + ", but is " +
                         std::string(py::repr(value)));
  }

  double real() const { return as<double>("a number"); }
  bool flag() const { return as<bool>("True or False"); }
  std::string text() const {
    if (!PyUnicode_Check(value.ptr())) fail("a string");
    return as<std::string>("a string");
  }

  /// An integer that `Integer` holds. Detector knows the range of each setting.
  template <class Integer>
  Integer integer() const {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!index) {
      PyErr_Clear();
      fail("an integer");
    }
    constexpr long long kLeast = std::numeric_limits<Integer>::min();
    constexpr long long kMost = std::numeric_limits<Integer>::max();
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    if (overflow == 0 && number >= kLeast && number <= kMost) return static_cast<Integer>(number);
    throw py::value_error(std::string(name) + " " + std::string(py::str(index)) + " is outside " +
                          std::to_string(kLeast) + ".." + std::to_string(kMost));
  }

  /// A number 0xAARRGGBB, a text in a form of canny::color_forms(), or (red, green, blue[, alpha]).
  std::uint32_t color() const {
    if (PyUnicode_Check(value.ptr())) {
      const std::string text = this->text();
      if (const std::optional<std::uint32_t> color = canny::color_of(text)) return *color;
      throw py::value_error(std::string(name) + " must be " + canny::color_forms() + ", but is \"" +
                            text + '"');
    }
    if (!PySequence_Check(value.ptr())) return integer<std::uint32_t>();
    std::array<std::uint8_t, 4> rgba = {0, 0, 0, 255};
    const auto parts = py::reinterpret_borrow<py::sequence>(value);
    if (PyBytes_Check(value.ptr()) || (parts.size() != 3 && parts.size() != 4))
      fail("(red, green, blue) or (red, green, blue, alpha)");
    for (std::size_t i = 0; i < parts.size(); ++i)
      rgba[i] = Argument{name, py::object(parts[i])}.integer<std::uint8_t>();
    return std::uint32_t{rgba[3]} << 24 | rgba[0] << 16 | rgba[1] << 8 | rgba[2];
  }

  /// The enumerator of this name.
  template <class Enum>
  Enum choice() const {
    const std::string text = this->text();
    if (const std::optional<Enum> found = canny::find<Enum>(text)) return *found;
    throw py::value_error(std::string(name) + " must be one of " + canny::names<Enum>() +
                          ", but is \"" + text + '"');
  }
};

/// Sets a member of Params from an argument.
template <class Member>
void set(const Argument& argument, Member* member) {
  if constexpr (std::is_enum_v<Member>)
    *member = argument.choice<Member>();
  else if constexpr (std::is_same_v<Member, bool>)
    *member = argument.flag();
  else if constexpr (std::is_same_v<Member, double>)
    *member = argument.real();
  else
    *member = argument.integer<Member>();
}

/// The name of a setting in Python: that of the property with underscores, and of thresholds "low"
/// and "high".
std::string name_of(const canny::Setting& setting) {
  std::string name = setting.name;
  if (name == "low-threshold") return "low";
  if (name == "high-threshold") return "high";
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

const canny::Setting& setting_of(const std::string& name) {
  std::string names;
  for (const canny::Setting& setting : canny::kSettings) {
    const std::string each = name_of(setting);
    if (name == each) return setting;
    names += (names.empty() ? "" : ", ") + each;
  }
  throw py::type_error("there is no setting " + name + "; the settings are " + names);
}

}  // namespace

Params params_of(const py::dict& settings) {
  Params params;
  for (const auto& [key, value] : settings) {
    const std::string name = py::cast<std::string>(key);
    const Argument argument{name.c_str(), value};
    const canny::Setting& setting = setting_of(name);
    if (value.is_none()) continue;
    if (name == "edge_color")
      params.edge_color = argument.color();
    else
      std::visit([&](auto member) { set(argument, &(params.*member)); }, setting.member);
  }
  const auto is_given = [&](const char* name) {
    return settings.contains(name) && !settings[name].is_none();
  };
  canny::complete_thresholds(is_given("low"), is_given("high"), &params);
  return params;
}

canny::Options options_of(const py::object& backend, const py::object& cuda_device,
                          const py::object& opencl_device, const py::object& threads) {
  canny::Options options;
  options.backend = Argument{"backend", backend}.choice<canny::Backend>();
  options.cuda_device = Argument{"cuda_device", cuda_device}.integer<int>();
  options.opencl_device = Argument{"opencl_device", opencl_device}.text();
  options.threads = Argument{"threads", threads}.integer<unsigned>();
  return options;
}

std::string in_python(const std::string& message) {
  for (const canny::Setting& setting : canny::kSettings) {
    const std::string member = setting.member_name;
    if (message.rfind(member + ' ', 0) == 0)
      return name_of(setting) + message.substr(member.size());
  }
  return message;
}

std::uint32_t count_of(const char* name, const py::object& value) {
  return Argument{name, value}.integer<std::uint32_t>();
}

bool flag_of(const char* name, const py::object& value) { return Argument{name, value}.flag(); }

}  // namespace python
