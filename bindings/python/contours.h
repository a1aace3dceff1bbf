// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains of edge pixels as arrays.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>

#include "canny/contours.h"

namespace python {

/// A list of arrays of int32 of shape (points, 2), columns x and y. They share their memory.
pybind11::list list_of(const canny::Contours& contours);

/// Likewise of float64, with the offsets of the points, which must have some.
pybind11::list positions_of(const canny::Contours& contours);

/// Traces an edge map: an array of uint8 of shape (height, width), in rows of any stride.
canny::Status trace(const pybind11::array& edges, std::uint32_t min_points,
                    canny::Contours* contours);

}  // namespace python
