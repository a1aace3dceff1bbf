// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings of a call from Python.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>

#include "canny/canny.h"

namespace python {

/// Reads a dict of names and values; a value of None is the default. A threshold that is not given
/// follows the other one. Throws TypeError for a name that is no setting and for a value of another
/// type, ValueError for one that is no choice; Detector checks ranges.
canny::Params params_of(const pybind11::dict& settings);

/// Likewise the options of a Detector.
canny::Options options_of(const pybind11::object& backend, const pybind11::object& cuda_device,
                          const pybind11::object& opencl_device, const pybind11::object& threads);

/// A message of the library, whose first word may be a member of Params, with that one's name in
/// Python.
std::string in_python(const std::string& message);

/// Reads an argument that is a count, or a flag.
std::uint32_t count_of(const char* name, const pybind11::object& value);
bool flag_of(const char* name, const pybind11::object& value);

}  // namespace python
