// SPDX-License-Identifier: LGPL-2.1-or-later
/// The places of samples in the pixel formats.
#pragma once

#include <optional>

#include "canny/canny.h"

namespace reference {

/// The places of a pixel's samples among its bytes; all are equal for luma. `rest` holds the bytes
/// of an edge map that are neither color nor luma, and -1 for the others.
struct Layout {
  int bytes, r, g, b;
  int rest[4] = {-1, -1, -1, -1};
};

/// For formats of one plane whose samples are bytes, and for output in kGray16Le, whose samples
/// have two equal bytes.
Layout layout(canny::PixelFormat format);

/// The number of bits of each color in a 16-bit word, from the highest bits down.
struct ColorBits {
  int bits[3];
  bool is_blue_first;
};

/// Empty if the format has no such words.
std::optional<ColorBits> color_bits(canny::PixelFormat format);

}  // namespace reference
