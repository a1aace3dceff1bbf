// SPDX-License-Identifier: LGPL-2.1-or-later
/// Where the samples of the pixel formats are.
#pragma once

#include <optional>

#include "canny/canny.h"

namespace reference {

/// Where a pixel's samples are among its bytes; luma is all of them. `rest` are the bytes of an
/// edge map that are neither color nor luma, and -1 for the others.
struct Layout {
  int bytes, r, g, b;
  int rest[4] = {-1, -1, -1, -1};
};

/// Of formats whose samples are bytes of one plane.
Layout layout(canny::PixelFormat format);

/// How many bits the colors of a word of 16 have, the highest ones first, each above the next one.
struct ColorBits {
  int bits[3];
  bool is_blue_first;
};

/// Empty if the format has no such words.
std::optional<ColorBits> color_bits(canny::PixelFormat format);

}  // namespace reference
