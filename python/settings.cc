// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of settings. Names are those of the element's properties, with underscores.
#include "settings.h"

#include <limits>
#include <string>
#include <type_traits>

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

  /// The enumerator of this name.
  template <class Enum>
  Enum choice() const {
    const std::string text = this->text();
    std::string names;
    for (int i = 0; const char* each = canny::name(static_cast<Enum>(i)); ++i) {
      if (text == each) return static_cast<Enum>(i);
      names += (names.empty() ? "\"" : ", \"") + std::string(each) + '"';
    }
    throw py::value_error(std::string(name) + " must be one of " + names + ", but is \"" + text +
                          '"');
  }
};

/// Sets a member of Params from an argument.
template <auto kMember>
void set(const Argument& argument, Params* params) {
  auto& member = params->*kMember;
  using Member = std::remove_reference_t<decltype(member)>;
  if constexpr (std::is_enum_v<Member>)
    member = argument.choice<Member>();
  else if constexpr (std::is_same_v<Member, bool>)
    member = argument.flag();
  else if constexpr (std::is_same_v<Member, double>)
    member = argument.real();
  else
    member = argument.integer<Member>();
}

struct Row {
  const char* name;
  void (*set)(const Argument& argument, Params* params);
};

constexpr Row kRows[] = {
    {"low", set<&Params::low_threshold>},
    {"high", set<&Params::high_threshold>},
    {"sigma", set<&Params::sigma>},
    {"norm", set<&Params::norm>},
    {"operator", set<&Params::gradient_operator>},
    {"thin_edges", set<&Params::thin_edges>},
    {"color_mode", set<&Params::color_mode>},
    {"luma_depth", set<&Params::luma_depth>},
    {"threshold_mode", set<&Params::threshold_mode>},
    {"high_ratio", set<&Params::high_ratio>},
    {"low_ratio", set<&Params::low_ratio>},
    {"hysteresis_passes", set<&Params::hysteresis_passes>},
    {"min_length", set<&Params::min_length>},
    {"output", set<&Params::view>},
    {"edge_color", set<&Params::edge_color>},
    {"measure_stages", set<&Params::measure_stages>},
};

const Row* row_of(const std::string& name) {
  std::string names;
  for (const Row& row : kRows) {
    if (name == row.name) return &row;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw py::type_error("there is no setting " + name + "; the settings are " + names);
}

}  // namespace

Params params_of(const py::dict& settings) {
  Params params;
  for (const auto& [key, value] : settings) {
    const Row* row = row_of(py::cast<std::string>(key));
    if (!value.is_none()) row->set({row->name, value}, &params);
  }
  const auto is_given = [&](const char* name) {
    return settings.contains(name) && !settings[name].is_none();
  };
  if (is_given("low") && !is_given("high"))
    params.high_threshold = canny::high_threshold_for(params.low_threshold);
  if (is_given("high") && !is_given("low"))
    params.low_threshold = canny::low_threshold_for(params.high_threshold);
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

unsigned frames_in_flight_of(const py::object& value) {
  return Argument{"frames_in_flight", value}.integer<unsigned>();
}

std::uint32_t points_of(const char* name, const py::object& value) {
  return Argument{name, value}.integer<std::uint32_t>();
}

}  // namespace python
