// SPDX-License-Identifier: LGPL-2.1-or-later
// Words with one bit per pixel, which the stages pass on.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define CANNY_HOST_DEVICE __host__ __device__
#else
#define CANNY_HOST_DEVICE
#endif

namespace canny {

inline constexpr int kWordBits = 32;  ///< pixels of a word; bit i is the i-th pixel from the left
inline constexpr int kTile = 32;      ///< side of a tile of a hysteresis pass: a word wide

/// The bits of `word` and those next to them in the same word.
CANNY_HOST_DEVICE inline std::uint32_t spread(std::uint32_t word) {
  return word | word << 1 | word >> 1;
}

}  // namespace canny
