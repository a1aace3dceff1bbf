// SPDX-License-Identifier: LGPL-2.1-or-later
#include "dlpack.h"

#include <dlpack/dlpack.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace py = pybind11;

namespace python {
namespace {

constexpr char kName[] = "dltensor";  // of a capsule whose array nobody has taken

/// NumPy's name of a type, "|V1" for one that it lacks; "<V2" for a bfloat16.
std::string type_string(const DLDataType& type) {
  constexpr char kKinds[] = {'i', 'u', 'f', 0, 'V', 'c', 'b'};  // by DLDataTypeCode
  const std::size_t bytes = (type.bits + 7u) / 8u;
  const bool is_known = type.lanes == 1 && type.bits == 8 * bytes && type.code < sizeof kKinds;
  if (!is_known || kKinds[type.code] == 0) return "|V1";
  return (bytes > 1 ? "<" : "|") + std::string(1, kKinds[type.code]) + std::to_string(bytes);
}

/// What capsule_of() passes on, with its memory.
struct Passed {
  DLManagedTensor tensor;
  std::vector<std::int64_t> shape, strides;
  py::object owner;
};

void delete_passed(DLManagedTensor* tensor) {
  if (!Py_IsInitialized()) return;  // a library that outlives Python lets go of its arrays
  const py::gil_scoped_acquire gil;
  delete static_cast<Passed*>(tensor->manager_ctx);
}

void delete_untaken(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, kName)) return;
  auto* tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kName));
  tensor->deleter(tensor);
}

}  // namespace

py::dict interface_of(const py::object& capsule, const std::string& name, int device_type) {
  if (!PyCapsule_IsValid(capsule.ptr(), kName))
    throw py::type_error(name + ".__dlpack__() must return a new capsule \"dltensor\"");
  const auto* managed =
      static_cast<const DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), kName));
  const DLTensor& tensor = managed->dl_tensor;
  if (tensor.device.device_type != device_type)
    throw py::value_error(name + ".__dlpack__() returned an array on another device");
  constexpr int kMostDimensions = 64;
  if (tensor.ndim < 1 || tensor.ndim > kMostDimensions || tensor.shape == nullptr)
    throw py::value_error(name + ".__dlpack__() returned an array without a shape");
  const py::ssize_t element_bytes = (tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
  py::tuple shape(tensor.ndim), strides(tensor.ndim);
  for (int i = 0; i < tensor.ndim; ++i) {
    shape[i] = tensor.shape[i];
    if (tensor.strides == nullptr) continue;
    py::ssize_t stride = 0;
    if (__builtin_mul_overflow(tensor.strides[i], element_bytes, &stride))
      throw py::value_error(name + ".__dlpack__() returned an array with strides beyond 64 bits");
    strides[i] = stride;
  }
  py::dict interface;
  interface["shape"] = shape;
  interface["typestr"] = type_string(tensor.dtype);
  interface["data"] =
      py::make_tuple(reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset, false);
  interface["strides"] = tensor.strides != nullptr ? py::object(strides) : py::none();
  return interface;
}

/// The DLDataTypeCode of an array for pixels.
std::uint8_t type_code(const py::array& layout) {
  const char kind = layout.dtype().kind();
  return kind == 'f' ? kDLFloat : kind == 'V' ? kDLBfloat : kDLUInt;
}

py::capsule capsule_of(const py::array& layout, int cuda_device, const py::object& owner) {
  auto passed = std::make_unique<Passed>();
  for (py::ssize_t i = 0; i < layout.ndim(); ++i) {
    passed->shape.push_back(layout.shape(i));
    passed->strides.push_back(layout.strides(i) / layout.itemsize());
  }
  passed->owner = owner;
  DLTensor& tensor = passed->tensor.dl_tensor;
  tensor.data = const_cast<void*>(layout.data());
  tensor.device = {kDLCUDA, cuda_device};
  tensor.ndim = static_cast<int>(layout.ndim());
  tensor.dtype = {type_code(layout), static_cast<std::uint8_t>(8 * layout.itemsize()), 1};
  tensor.shape = passed->shape.data();
  tensor.strides = passed->strides.data();
  tensor.byte_offset = 0;
  passed->tensor.manager_ctx = passed.get();
  passed->tensor.deleter = delete_passed;
  py::capsule capsule(&passed->tensor, kName, delete_untaken);
  static_cast<void>(passed.release());
  return capsule;
}

}  // namespace python
