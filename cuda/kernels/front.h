// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels to candidate and strong bits, one kernel a stage.
#pragma once

#include <cuda_runtime.h>

#include "bitplane.h"
#include "canny.h"
#include "params.h"

namespace canny::cuda {

/// Device memory of the front end. Rows are `pitch` samples apart, a multiple of 4 that is at
/// least the width.
struct FrontBuffers {
  int pitch = 0;
  std::uint8_t* luma = nullptr;
  std::uint16_t* row_blurred = nullptr;  ///< horizontal sums, 8 fractional bits
  std::uint8_t* blurred = nullptr;
};

/// Writes both planes, all in device memory. `input` may have any alignment.
Status front(const Settings& settings, const ConstFrame& input, const FrontBuffers& buffers,
             const BitPlane& candidate, const BitPlane& strong, cudaStream_t stream);

/// The same in one kernel, for settings of at most kTileTaps taps.
Status front_tile(const Settings& settings, const ConstFrame& input, const BitPlane& candidate,
                  const BitPlane& strong, cudaStream_t stream);

}  // namespace canny::cuda
