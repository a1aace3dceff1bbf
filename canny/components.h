// SPDX-License-Identifier: LGPL-2.1-or-later
/// \file
/// The edges of a frame as connected components: where each of them is, how large and how strong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "canny.h"

namespace canny {

struct FrameComponents;

/// An 8-connected component of an edge map.
struct Component {
  std::uint16_t x = 0, y = 0;           ///< left column and top row of its box
  std::uint16_t width = 0, height = 0;  ///< of the box, the smallest with all of its pixels
  std::uint32_t pixels = 0;
  std::uint32_t strong_pixels = 0;     ///< those whose magnitude exceeds the high threshold
  std::uint64_t sum_x = 0, sum_y = 0;  ///< of the columns and of the rows of all pixels

  Rectangle box() const noexcept { return {x, y, width, height}; }
  double centroid_x() const noexcept { return static_cast<double>(sum_x) / pixels; }
  double centroid_y() const noexcept { return static_cast<double>(sum_y) / pixels; }
};

/// The components of a frame's edges, in the order of their first pixels: row by row, in a row from
/// the left. There are at most kMaxComponents: in this order, later ones do not count.
///
/// A Components keeps its memory from frame to frame of the same size. One thread at a time may use
/// it. While a frame is in flight whose components it gets, it must not move or serve another
/// frame.
class CANNY_API Components {
 public:
  Components() noexcept;
  ~Components();
  Components(Components&&) noexcept;
  Components& operator=(Components&&) noexcept;

  /// Leaves out components of fewer pixels, from the next frame on that is submitted. 0 and 1, the
  /// default, keep all.
  void set_min_pixels(std::uint32_t pixels) noexcept;

  std::size_t size() const noexcept;  ///< number of components
  bool is_full() const noexcept;      ///< whether the frame has more than kMaxComponents
  /// The components, one after the other. They are valid until the next frame.
  const Component* data() const noexcept;
  const Component* begin() const noexcept { return data(); }
  const Component* end() const noexcept { return data() + size(); }
  const Component& operator[](std::size_t i) const noexcept { return data()[i]; }  ///< i < size()

 private:
  friend class Detector;

  void clear() noexcept;
  FrameComponents* reserve(int width, int height);  // of the next frame

  std::unique_ptr<FrameComponents> frame_;
  std::uint32_t min_pixels_ = 1;
};

}  // namespace canny
