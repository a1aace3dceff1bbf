// SPDX-License-Identifier: LGPL-2.1-or-later
#include "components.h"

#include <type_traits>

namespace py = pybind11;

namespace python {

py::array array_of(const canny::Components& components) {
  if (components.is_full() &&
      PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                       "there are more than %u components; raise the thresholds or components",
                       canny::kMaxComponents) != 0)
    throw py::error_already_set();
  static_assert(std::has_unique_object_representations_v<canny::Component>);
  using namespace py::literals;
  const auto names =
      py::make_tuple("x", "y", "width", "height", "pixels", "strong_pixels", "sum_x", "sum_y");
  const auto formats = py::make_tuple("u2", "u2", "u2", "u2", "u4", "u4", "u8", "u8");
  return py::array(py::dtype::from_args(py::dict("names"_a = names, "formats"_a = formats)),
                   components.size(), components.data());
}

}  // namespace python
