// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contours.h"

#include "frames.h"
#include "gil.h"

namespace py = pybind11;

namespace python {
namespace {

/// For each chain, an array of shape (points, 2) with the x and y of place_of(chain, i). They share
/// their memory.
template <class Coordinate, class PlaceOf>
py::list arrays_of(const canny::Contours& contours, PlaceOf place_of) {
  constexpr py::ssize_t kSides = 2;
  py::array_t<Coordinate> all({static_cast<py::ssize_t>(contours.point_count()), kSides});
  Coordinate* next = all.mutable_data();
  py::list arrays(contours.size());
  for (std::size_t i = 0; i < contours.size(); ++i) {
    const canny::Chain chain = contours[i];
    const Coordinate* first = next;
    for (std::size_t j = 0; j < chain.size; ++j) {
      const auto place = place_of(chain, j);
      *next++ = place.x;
      *next++ = place.y;
    }
    arrays[i] = py::array_t<Coordinate>({static_cast<py::ssize_t>(chain.size), kSides}, first, all);
  }
  return arrays;
}

}  // namespace

py::list list_of(const canny::Contours& contours) {
  using Coordinate = std::int32_t;  // of points in OpenCV's functions
  if (contours.is_full() &&
      PyErr_WarnFormat(
          PyExc_RuntimeWarning, 1,
          "contours are cut at %u points; raise the thresholds, min_length or min_points",
          canny::kMaxContourPoints) != 0)
    throw py::error_already_set();
  return arrays_of<Coordinate>(
      contours, [](const canny::Chain& chain, std::size_t i) { return chain.points[i]; });
}

py::list positions_of(const canny::Contours& contours) {
  return arrays_of<double>(
      contours, [](const canny::Chain& chain, std::size_t i) { return chain.position(i); });
}

canny::Status trace(const py::array& edges, std::uint32_t min_points, canny::Contours* contours) {
  canny::ConstFrame frame;
  if (!frame_of(edges, false, &frame))
    throw py::value_error("edges must have the bytes of a row side by side");
  contours->set_min_points(min_points);
  return without_gil([&] { return contours->trace(frame); });
}

}  // namespace python
