// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of 4 neighboring 8-bit pixels, one byte each in a word.
#pragma once

#include <cstdint>

namespace canny::cuda {

inline constexpr int kGroup = 4;

/// Loads 4 pixels of a row from an aligned address.
__device__ inline std::uint32_t load_group(const std::uint8_t* pixels) {
  return *reinterpret_cast<const std::uint32_t*>(pixels);
}

/// Gathers 4 pixels of a row from column x on. `inside` maps each column to one inside the image.
template <class Inside>
__device__ std::uint32_t gather_group(const std::uint8_t* row, int x, Inside inside) {
  std::uint32_t group = 0;
  for (int i = 0; i < kGroup; ++i) group |= std::uint32_t{row[inside(x + i)]} << 8 * i;
  return group;
}

}  // namespace canny::cuda
