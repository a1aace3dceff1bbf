// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contours.h"

#include "frames.h"
#include "gil.h"

namespace py = pybind11;

namespace python {

py::list list_of(const canny::Contours& contours) {
  using Coordinate = std::int32_t;  // of points in OpenCV's functions
  constexpr py::ssize_t kSides = 2;
  if (contours.is_full() &&
      PyErr_WarnFormat(
          PyExc_RuntimeWarning, 1,
          "contours are cut at %u points; raise the thresholds, min_length or min_points",
          canny::kMaxContourPoints) != 0)
    throw py::error_already_set();
  py::array_t<Coordinate> all({static_cast<py::ssize_t>(contours.point_count()), kSides});
  Coordinate* next = all.mutable_data();
  py::list chains(contours.size());
  for (std::size_t i = 0; i < contours.size(); ++i) {
    const Coordinate* first = next;
    for (const canny::Point& point : contours[i]) {
      *next++ = point.x;
      *next++ = point.y;
    }
    const auto points = static_cast<py::ssize_t>(contours[i].size);
    chains[i] = py::array_t<Coordinate>({points, kSides}, first, all);
  }
  return chains;
}

canny::Status trace(const py::array& edges, std::uint32_t min_points, canny::Contours* contours) {
  canny::ConstFrame frame;
  if (!frame_of(edges, false, &frame))
    throw py::value_error("edges must have the bytes of a row side by side");
  contours->set_min_points(min_points);
  return without_gil([&] { return contours->trace(frame); });
}

}  // namespace python
