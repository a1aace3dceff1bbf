// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the place of an operator's arithmetic where a strip ends with its blurred pixels.
#pragma once

#include <cstdint>

#include "canny/plan.h"
#include "cuda/front/strip/strip.h"
#include "cuda/region.h"

namespace canny::cuda::strip {

struct ImageMath {
  static constexpr bool kStoresImage = true, kRecordsMaxima = false;
  static constexpr int kRegisters = kStripRegisters;
  using Magnitude = char;
  struct Limits {};
  struct Pixel {};  // of the state that an operator carries from row to row

  __device__ static ImageMath of(const StripArguments&, int, const RegionPlane&) { return {}; }
  __device__ static Limits limits(const Thresholds&) { return {}; }
};

}  // namespace canny::cuda::strip
