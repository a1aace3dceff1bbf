// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frames.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

namespace py = pybind11;

namespace python {
namespace {

using canny::PixelFormat;

/// The strides of an array, with usual ones along axes of one element, where NumPy's mean nothing.
struct Strides {
  explicit Strides(const py::array& array)
      : sample(array.itemsize()),
        channel(array.ndim() == 3 ? array.strides(2) : sample),
        pixel(array.shape(1) > 1 ? array.strides(1) : channel * channels(array)),
        row(array.shape(0) > 1 ? array.strides(0) : 0) {}

  static py::ssize_t channels(const py::array& array) {
    return array.ndim() == 3 ? array.shape(2) : 1;
  }

  py::ssize_t sample, channel, pixel, row;
};

bool has_floats(const py::array& array) {
  return array.dtype().kind() == 'f' || array.dtype().kind() == 'V';
}

/// The format for the array's floats of three, of which `first` has those of 32 bits. The others
/// follow it. Two bytes without a kind are a bfloat16, which NumPy lacks.
PixelFormat float_format(const py::array& array, PixelFormat first) {
  const bool is_bfloat16 = array.dtype().kind() == 'V';
  const int i = array.itemsize() == 4 ? 0 : is_bfloat16 ? 2 : 1;
  return static_cast<PixelFormat>(static_cast<int>(first) + i);
}

PixelFormat gray_format(const py::array& array) {
  if (has_floats(array)) return float_format(array, PixelFormat::kGrayF32);
  if (array.itemsize() == 1) return PixelFormat::kGray8;
  return array.dtype().byteorder() == '>' ? PixelFormat::kGray16Be : PixelFormat::kGray16Le;
}

bool set_gray(const py::array& array, const Strides& strides, canny::ConstFrame* frame) {
  frame->format = gray_format(array);
  return strides.pixel == strides.sample;
}

/// Three bytes a pixel, the first color at the lowest or at the highest address.
void set_packed(const Strides& strides, bool is_bgr, canny::ConstFrame* frame) {
  const bool is_reversed = strides.channel == -1;
  if (is_reversed) frame->data -= 2;
  frame->format = is_bgr == is_reversed ? PixelFormat::kRgb : PixelFormat::kBgr;
}

void set_planes(const Strides& strides, bool is_bgr, canny::ConstFrame* frame) {
  const std::uint8_t* first = frame->data;
  const std::uint8_t* last = first + 2 * strides.channel;
  frame->format = PixelFormat::kRgbPlanes;
  frame->data = is_bgr ? last : first;
  frame->green = {first + strides.channel, frame->stride_bytes};
  frame->blue = {is_bgr ? first : last, frame->stride_bytes};
}

/// Four samples a pixel, of which the last is ignored.
bool set_with_fourth(const py::array& array, const Strides& strides, bool is_bgr,
                     canny::ConstFrame* frame) {
  if (strides.channel != strides.sample || strides.pixel != 4 * strides.sample) return false;
  if (strides.sample == 1) {
    frame->format = is_bgr ? PixelFormat::kBgrx : PixelFormat::kRgbx;
    return true;
  }
  frame->format = PixelFormat::kRgbx64Le;
  return !is_bgr && array.dtype().byteorder() != '>';
}

/// Three floats a pixel, red first, or in planes of any order.
bool set_floats(const py::array& array, const Strides& strides, bool is_bgr,
                canny::ConstFrame* frame) {
  const bool is_column = array.shape(1) == 1;
  if (array.shape(2) != 3) return false;
  if (!is_bgr && strides.channel == strides.sample &&
      (strides.pixel == 3 * strides.sample || is_column)) {
    frame->format = float_format(array, PixelFormat::kRgbF32);
    return true;
  }
  set_planes(strides, is_bgr, frame);
  frame->format = float_format(array, PixelFormat::kRgbPlanesF32);
  return strides.pixel == strides.sample || is_column;
}

bool set_colors(const py::array& array, const Strides& strides, bool is_bgr,
                canny::ConstFrame* frame) {
  if (has_floats(array)) return set_floats(array, strides, is_bgr, frame);
  if (array.shape(2) == 4) return set_with_fourth(array, strides, is_bgr, frame);
  if (strides.sample != 1) return false;
  const bool is_column = array.shape(1) == 1;
  if (std::abs(strides.channel) == 1 && (strides.pixel == 3 || is_column)) {
    set_packed(strides, is_bgr, frame);
  } else if (strides.pixel == 1 || is_column) {
    set_planes(strides, is_bgr, frame);
  } else {
    return false;
  }
  return true;
}

/// A side of a frame. The library refuses the largest integer.
int side(py::ssize_t pixels) {
  return static_cast<int>(std::min<py::ssize_t>(pixels, std::numeric_limits<int>::max()));
}

/// An integer of 32 bits.
int whole(const py::handle& value) {
  constexpr bool kConverts = false;  // as floats would be
  py::detail::make_caster<int> number;
  if (!number.load(value, kConverts)) {
    throw py::value_error("a region is four integers of 32 bits, (x, y, width, height), but has " +
                          std::string(py::str(value)));
  }
  return py::detail::cast_op<int>(number);
}

canny::Rectangle rectangle_of(const py::handle& value) {
  if (!PySequence_Check(value.ptr()) || py::len(value) != 4) {
    throw py::value_error("regions has rectangles (x, y, width, height), but " +
                          std::string(py::repr(value)) + " is none");
  }
  const auto four = py::reinterpret_borrow<py::sequence>(value);
  return {whole(four[0]), whole(four[1]), whole(four[2]), whole(four[3])};
}

}  // namespace

bool frame_of(const py::array& array, bool is_bgr, canny::ConstFrame* frame) {
  if (has_floats(array) && array.dtype().byteorder() == '>') return false;
  const Strides strides(array);
  *frame = {};
  frame->data = static_cast<const std::uint8_t*>(array.data());
  frame->width = side(array.shape(1));
  frame->height = side(array.shape(0));
  frame->stride_bytes = strides.row;
  const bool has_format = array.ndim() == 2 ? set_gray(array, strides, frame)
                                            : set_colors(array, strides, is_bgr, frame);
  const int row_bytes = canny::row_bytes(frame->format, frame->width);
  if (frame->height == 1)
    frame->stride_bytes = frame->green.stride_bytes = frame->blue.stride_bytes = row_bytes;
  const std::ptrdiff_t stride = std::abs(frame->stride_bytes);
  return has_format && stride >= row_bytes && stride <= std::numeric_limits<int>::max();
}

canny::Frame writable(const canny::ConstFrame& frame) {
  const auto bytes = [](const std::uint8_t* data) { return const_cast<std::uint8_t*>(data); };
  canny::Frame to = {bytes(frame.data), frame.stride_bytes, frame.width, frame.height,
                     frame.format};
  to.green = {bytes(frame.green.data), frame.green.stride_bytes};
  to.blue = {bytes(frame.blue.data), frame.blue.stride_bytes};
  return to;
}

Region::Region(const py::object& rectangles, const Pixels* mask, py::ssize_t width,
               py::ssize_t height)
    : is_whole_(rectangles.is_none() && mask == nullptr) {
  if (!rectangles.is_none() && mask != nullptr)
    throw py::value_error("there are both regions and a mask; use one of them");
  if (!rectangles.is_none()) {
    if (!py::isinstance<py::iterable>(rectangles))
      throw py::type_error("regions must be rectangles (x, y, width, height), but is " +
                           std::string(py::repr(rectangles)));
    for (const py::handle& each : rectangles) rectangles_.push_back(rectangle_of(each));
    // A Region without rectangles has no pixels, which is what an empty sequence means.
    region_.rectangles = rectangles_.data();
    region_.rectangle_count = rectangles_.size();
  }
  if (mask != nullptr) {
    const py::array& bytes = mask->layout;
    if (bytes.shape(0) != height || bytes.shape(1) != width)
      throw py::value_error("mask has the shape " + std::string(py::repr(bytes.attr("shape"))) +
                            ", but the image is " + std::to_string(height) + " rows of " +
                            std::to_string(width) + " pixels");
    canny::ConstFrame rows;
    if (!frame_of(bytes, false, &rows))
      throw py::value_error("mask must have the bytes of a row side by side");
    region_.mask = {rows.data, rows.stride_bytes};
    region_.mask_memory = mask->memory();
    mask_ = bytes;
  }
}

}  // namespace python
