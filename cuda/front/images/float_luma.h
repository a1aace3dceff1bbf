// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels of floats into luma.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "cuda/front/luma_words.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Writes the weighted colors, or the luma, of a frame of floats in device memory, at any
/// alignment, to `image`, whose rows are `pitch` samples apart.
Status float_luma(const ConstFrame& input, const ColorWeights& weights, std::uint16_t* image,
                  int pitch, Launcher* launcher);
Status float_luma(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                  int pitch, Launcher* launcher);

}  // namespace canny::cuda
