// SPDX-License-Identifier: LGPL-2.1-or-later
// The Gaussian blur of an image in device memory.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Blurs 8-bit samples at any alignment. Rows of `row_sums`, which holds sums of rows with 8
/// fractional bits, and of `blurred` are `pitch` samples apart, a multiple of 4. `taps` must not be
/// the identity. `blurred` may be the memory of `gray`.
Status blur(const ConstFrame& gray, const Taps& taps, int pitch, std::uint16_t* row_sums,
            std::uint8_t* blurred, Launcher* launcher);

/// Likewise for 16-bit samples in the byte order of the device, whose rows begin at multiples of 2
/// bytes.
Status blur_deep(const ConstFrame& gray, const Taps& taps, int pitch, std::uint32_t* row_sums,
                 std::uint16_t* blurred, Launcher* launcher);

}  // namespace canny::cuda
