// SPDX-License-Identifier: LGPL-2.1-or-later
#include "contours.h"

#include <algorithm>

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

void warn_of_cut(std::size_t points, std::size_t chains) {
  if (PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                       "contours are cut at %zu points in %zu chains; raise the thresholds, "
                       "min_length or min_points",
                       points, chains) != 0)
    throw py::error_already_set();
}

}  // namespace

py::list list_of(const canny::Contours& contours) {
  using Coordinate = std::int32_t;  // of points in OpenCV's functions
  if (contours.is_full()) warn_of_cut(contours.point_count(), contours.size());
  return arrays_of<Coordinate>(
      contours, [](const canny::Chain& chain, std::size_t i) { return chain.points[i]; });
}

py::list positions_of(const canny::Contours& contours) {
  return arrays_of<double>(
      contours, [](const canny::Chain& chain, std::size_t i) { return chain.position(i); });
}

ChainArrays::ChainArrays(const Pixels& points, const Pixels& ends)
    : points_(points.layout),
      ends_(ends.layout),
      is_on_device_(points.is_on_device),
      chains_{static_cast<canny::Point*>(points_.mutable_data()),
              static_cast<std::uint32_t*>(ends_.mutable_data()),
              static_cast<std::size_t>(points_.shape(0)),
              static_cast<std::size_t>(ends_.shape(0))} {}

canny::DeviceChains ChainArrays::memory() const {
  return is_on_device_ ? chains_ : canny::DeviceChains();
}

py::tuple ChainArrays::fill(const canny::Contours& contours) const {
  const std::size_t points = std::min(contours.point_count(), chains_.most_points);
  const std::size_t chains = std::min(contours.size(), chains_.most_chains);
  if (!is_on_device_) {
    std::copy_n(contours.points(), points, chains_.points);
    std::copy_n(contours.ends(), chains, chains_.ends);
  }
  if (points < contours.point_count() || chains < contours.size() || contours.is_full())
    warn_of_cut(points, chains);
  return py::make_tuple(points, chains);
}

canny::Status trace(const py::array& edges, std::uint32_t min_points, canny::Contours* contours) {
  canny::ConstFrame frame;
  if (!frame_of(edges, false, &frame))
    throw py::value_error("edges must have the bytes of a row side by side");
  contours->set_min_points(min_points);
  return without_gil([&] { return contours->trace(frame); });
}

}  // namespace python
