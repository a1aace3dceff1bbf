// SPDX-License-Identifier: LGPL-2.1-or-later
/// What the element makes of a picture with any output, computed by the reference.
#pragma once

#include <cstdint>
#include <vector>

#include "pictures.h"

namespace check {

/// Red with half the alpha, the value of edge-color in tests.
inline constexpr std::uint32_t kOverlayColor = 0x80ff0000;

/// The rows of all planes of an output.
struct Expected {
  std::vector<std::uint8_t> rows;
  std::uint64_t edges;
};

/// The output for `picture` with these parameters, with kOverlayColor whatever their edge_color.
/// `region` is that of the edges, null for the whole picture.
Expected expected_output(GstBuffer* picture, const Layout& in, const Layout& out,
                         canny::Params params, const canny::Region* region = nullptr);

/// The place of each plane's top row: by the buffer's GstVideoMeta, or as the caps imply.
std::vector<PlaneLayout> places_in(GstBuffer* buffer, const Layout& layout);

/// The rows of all planes of the buffer from top to bottom, without the bytes between them.
std::vector<std::uint8_t> rows_in(GstBuffer* buffer, const Layout& layout);

}  // namespace check
