// SPDX-License-Identifier: LGPL-2.1-or-later
// Arrays of other libraries, passed as capsules of DLPack (https://dmlc.github.io/dlpack).
#pragma once

#include <pybind11/numpy.h>

#include <string>

namespace python {

/// The members "shape", "typestr", "data" and "strides" of NumPy's array interface for the array in
/// a capsule, which keeps its memory. Elements that NumPy does not have become bytes. `name` is the
/// array's in errors; `device_type` is what its __dlpack_device__() says.
pybind11::dict interface_of(const pybind11::object& capsule, const std::string& name,
                            int device_type);

/// A capsule of an array in memory of a CUDA device, which `owner` keeps. `layout` has its address.
pybind11::capsule capsule_of(const pybind11::array& layout, int cuda_device,
                             const pybind11::object& owner);

}  // namespace python
