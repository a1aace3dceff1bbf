// SPDX-License-Identifier: LGPL-2.1-or-later
// The magnitude and the sector of a gradient, in integers. docs/reference/edge-map.md has the
// definition.
#pragma once

#include <cstdint>
#include <type_traits>

#include "canny/canny.h"
#include "canny/constants.h"

namespace canny::cuda {

/// Magnitude is an unsigned type whose signed counterpart holds gx^2 + gy^2.
template <class Magnitude = std::uint32_t>
__device__ Magnitude magnitude_of(int gx, int gy, Norm norm) {
  using Product = std::make_signed_t<Magnitude>;
  return norm == Norm::kL2 ? static_cast<Magnitude>(Product{gx} * gx) + Product{gy} * gy
                           : abs(gx) + abs(gy);
}

/// Whether the direction of a gradient is within 22.5 degrees of the horizontal. Product is signed
/// and holds 2^15 * |gy| and 2.5 * 2^15 * |gx|.
template <class Product = int>
__device__ bool is_horizontal(int gx, int gy) {
  return Product{abs(gy)} << kTangentShift < Product{kTangent} * abs(gx);
}
/// Likewise of the vertical.
template <class Product = int>
__device__ bool is_vertical(int gx, int gy) {
  const Product flat = Product{kTangent} * abs(gx);
  return Product{abs(gy)} << kTangentShift > flat + (Product{abs(gx)} << (kTangentShift + 1));
}

}  // namespace canny::cuda
