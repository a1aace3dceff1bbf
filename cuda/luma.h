// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into luma for front ends that do not read them directly.
#pragma once

#include "canny/canny.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Device memory of front ends that store images. `luma` and `blurred` may be the same, since no
/// kernel needs both. Rows are `pitch` samples apart, a multiple of 4 that is at least the width.
struct FrontBuffers {
  int pitch = 0;
  std::uint8_t* luma = nullptr;
  std::uint16_t* row_blurred = nullptr;  ///< horizontal sums, 8 fractional bits
  std::uint8_t* blurred = nullptr;
};

/// Whether no front end reads pixels of this format, so that luma() must.
bool needs_luma(PixelFormat format);

/// Whether all rows of the frame begin at multiples of 4 bytes.
inline bool is_word_aligned(const ConstFrame& frame) {
  return reinterpret_cast<std::uintptr_t>(frame.data) % 4 == 0 && frame.stride_bytes % 4 == 0;
}

/// Writes the luma of a frame in device memory, at any alignment, to `buffers`, and sets `*gray` to
/// that frame.
Status luma(const ConstFrame& input, const FrontBuffers& buffers, ConstFrame* gray,
            Launcher* launcher);

}  // namespace canny::cuda
