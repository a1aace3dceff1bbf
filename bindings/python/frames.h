// SPDX-License-Identifier: LGPL-2.1-or-later
// Arrays as frames.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <vector>

#include "canny/canny.h"

namespace python {

/// An array that the library reads or writes. Its memory stays as long as `layout`.
struct Pixels {
  pybind11::array layout;     ///< with addresses of the host or of the CUDA device
  bool is_bgr = false;        ///< the order of colors, "bgr" or "rgb"
  bool is_on_device = false;  ///< NumPy must not touch the elements then
  std::uintptr_t stream = 0;  ///< for device memory: a CUstream, 0 = none

  canny::Memory memory() const {
    return is_on_device ? canny::Memory::kDevice : canny::Memory::kHost;
  }
};

/// Describes the array as a frame in place: rows of any stride, upwards too; pixels side by side,
/// in the order "rgb" or "bgr" or its reverse, or each color in a plane of its own. Returns false
/// if no PixelFormat has this layout. The array has unsigned samples of 1 or 2 bytes or floats of 2
/// or 4 bytes, and the shape (height, width) or (height, width, 3 or 4).
bool frame_of(const pybind11::array& array, bool is_bgr, canny::ConstFrame* frame);

/// The same frame, to be written to.
canny::Frame writable(const canny::ConstFrame& frame);

/// A Region with its memory.
class Region {
 public:
  /// `rectangles` is None or an iterable of (x, y, width, height); `mask` is null or has bytes of
  /// shape (height, width), in rows of any stride.
  Region(const pybind11::object& rectangles, const Pixels* mask, pybind11::ssize_t width,
         pybind11::ssize_t height);

  /// Null for the whole frame.
  const canny::Region* get() const { return is_whole_ ? nullptr : &region_; }
  /// The object that keeps the mask, if there is one.
  pybind11::handle mask() const { return mask_; }

 private:
  bool is_whole_;
  std::vector<canny::Rectangle> rectangles_;
  pybind11::object mask_;
  canny::Region region_;
};

}  // namespace python
