// SPDX-License-Identifier: LGPL-2.1-or-later
// Components of edges as an array.
#pragma once

#include <pybind11/numpy.h>

#include "canny/components.h"

namespace python {

/// An array with the members of canny::Component as fields.
pybind11::array array_of(const canny::Components& components);

}  // namespace python
