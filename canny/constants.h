// SPDX-License-Identifier: LGPL-2.1-or-later
// The integers that define an edge map, for every backend. docs/reference/edge-map.md has the
// definition.
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

}  // namespace canny
