// SPDX-License-Identifier: LGPL-2.1-or-later
// The integers that define an edge map, for every backend. docs/design.md has the definition.
#pragma once

#include <cstdint>

namespace canny {

/// BT.601's luma weights with 15 fractional bits. Their sum is 32768.
inline constexpr int kLumaRed = 9798, kLumaGreen = 19235, kLumaBlue = 3735;
inline constexpr int kLumaShift = 15, kLumaHalf = 1 << (kLumaShift - 1);

/// tan(22.5 degrees) with 15 fractional bits. tan(67.5 degrees) is 2 more than that tangent. The
/// number is odd, so a product with |gx| is a multiple of 2^15 only for |gx| = 0, and sectors never
/// tie.
inline constexpr int kTangent = 13573, kTangentShift = 15;

/// The Sobel operator: gx smooths along columns and differentiates along rows, gy the other way
/// round.
struct Sobel3 {
  static constexpr int kReach = 1;  ///< pixels that it reads in each direction
  static constexpr int kSmooth[] = {1, 2, 1};
  static constexpr int kDifference[] = {-1, 0, 1};
  static constexpr int kLargest = 1020;  ///< largest |gx| and |gy| of 8-bit pixels: 4 * 255
};

}  // namespace canny
