// SPDX-License-Identifier: LGPL-2.1-or-later
// What front ends keep of a frame between their kernels.
#pragma once

#include <cstdint>

#include "canny/plan.h"
#include "cuda/front/route.h"
#include "cuda/memory.h"

namespace canny::cuda {

/// Device memory for frames of one size, for each picture after that of the one before. Rows of
/// images are `pitch` samples apart, a multiple of 16 that is at least the width. Of plans of 3
/// channels all images are used, else the first.
struct FrontBuffers {
  int pitch = 0;
  DeviceArray<std::uint8_t> images[3];
  DeviceArray<std::uint8_t> luma;       ///< for FrontSource::kBlurWideStrip, beside `images`
  DeviceArray<std::uint16_t> row_sums;  ///< horizontal sums, 8 fractional bits
  DeviceArray<std::uint32_t> maxima;    ///< for MaximaLists
  // For deep samples:
  DeviceArray<std::uint16_t> deep_images[3];
  DeviceArray<std::uint32_t> deep_row_sums;

  /// Allocates what a route of the plan needs and is not there.
  Status reserve(const Plan& plan, const FrontRoute& route, int width, int height,
                 unsigned pictures);
};

}  // namespace canny::cuda
