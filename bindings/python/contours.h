// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains of edge pixels as arrays.
#pragma once

#include <pybind11/numpy.h>

#include <array>
#include <cstdint>

#include "canny/contours.h"
#include "frames.h"

namespace python {

/// A list of arrays of int32 of shape (points, 2), columns x and y. They share their memory.
pybind11::list list_of(const canny::Contours& contours);

/// Likewise of float64, with the offsets of the points, which must have some.
pybind11::list positions_of(const canny::Contours& contours);

/// Arrays that a caller provides for all chains: of 16-bit integers of shape (points, 2), and of
/// the number of points up to the end of each chain, in 32 bits.
class ChainArrays {
 public:
  /// Both are in memory of the same kind.
  ChainArrays(const Pixels& points, const Pixels& ends);

  /// For Contours::set_memory(): none if the arrays are in host memory.
  canny::DeviceChains memory() const;
  /// Writes to arrays in host memory. Returns how many points and ends the arrays have.
  pybind11::tuple fill(const canny::Contours& contours) const;
  /// The objects that own the memory.
  std::array<pybind11::handle, 2> objects() const { return {points_, ends_}; }

 private:
  pybind11::array points_, ends_;
  bool is_on_device_;
  canny::DeviceChains chains_;
};

/// Traces an edge map: an array of uint8 of shape (height, width), in rows of any stride.
canny::Status trace(const pybind11::array& edges, std::uint32_t min_points,
                    canny::Contours* contours);

}  // namespace python
