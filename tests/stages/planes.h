// SPDX-License-Identifier: LGPL-2.1-or-later
// Bit planes from bytes and back.
#pragma once

#include <cstdint>
#include <vector>

#include "bitplane.h"

namespace stages {

/// Fills the plane from one byte a pixel.
inline void pack(const std::vector<std::uint8_t>& bytes, const canny::BitPlane& plane) {
  for (int y = 0; y < plane.height; ++y) {
    std::uint32_t* row = plane.row(y);
    for (int w = 0; w < plane.words_per_row(); ++w) row[w] = 0;
    for (int x = 0; x < plane.width; ++x)
      row[x / 32] |= std::uint32_t{bytes[static_cast<std::size_t>(y) * plane.width + x] != 0}
                     << x % 32;
  }
}

/// One byte a pixel, 0 or 1. Bits beyond the width, which must be 0, count into the last pixel.
inline std::vector<std::uint8_t> unpack(const canny::BitPlane& plane) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(plane.width) * plane.height);
  for (int y = 0; y < plane.height; ++y) {
    std::uint8_t* row = bytes.data() + static_cast<std::size_t>(y) * plane.width;
    for (int x = 0; x < plane.width; ++x) row[x] = plane.row(y)[x / 32] >> x % 32 & 1;
    if (plane.width % 32 != 0)
      row[plane.width - 1] += plane.row(y)[plane.width / 32] >> plane.width % 32 != 0;
  }
  return bytes;
}

}  // namespace stages
