// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts bytes to bit planes and back.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/reference.h"

namespace stages {

/// Fills a plane of the CPU's or of the GPU's layout from one byte per pixel.
template <class Plane>
void pack(const std::vector<std::uint8_t>& bytes, const Plane& plane) {
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) {
      auto& word = plane.word(x / Plane::kBits, y);
      const typename Plane::Word bit =
          bytes[static_cast<std::size_t>(y) * plane.width + x] != 0 ? 1 : 0;
      if (x % Plane::kBits == 0) word = 0;
      word |= bit << x % Plane::kBits;
    }
}

/// Returns one byte per pixel, 0 or 1. Bits beyond the width, which must be 0, are added to the
/// last pixel.
template <class Plane>
reference::Bytes unpack(const Plane& plane) {
  constexpr int kBits = Plane::kBits;
  reference::Bytes bytes(plane.width, plane.height);
  for (int y = 0; y < plane.height; ++y) {
    std::uint8_t* row = bytes.row(y);
    for (int x = 0; x < plane.width; ++x) row[x] = plane.word(x / kBits, y) >> x % kBits & 1;
    if (plane.width % kBits != 0)
      row[plane.width - 1] += plane.word(plane.width / kBits, y) >> plane.width % kBits != 0;
  }
  return bytes;
}

}  // namespace stages
