// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of 4 neighboring samples: those of 8 bits are the bytes of a word; those of 16 bits are
// two words, those of 32 bits four.
#pragma once

#include <cstdint>
#include <type_traits>

namespace canny::cuda {

inline constexpr int kGroup = 4;

template <class Sample>
using SampleGroup = std::conditional_t<sizeof(Sample) == 1, std::uint32_t,
                                       std::conditional_t<sizeof(Sample) == 2, uint2, uint4>>;

/// Sets byte i of the words, which was 0, on the host.
inline void set_byte(int i, int value, std::uint32_t* words) {
  words[i / kGroup] |= static_cast<std::uint32_t>(value) << 8 * (i % kGroup);
}

/// Loads 4 pixels of a row from an aligned address.
template <class Sample>
__device__ SampleGroup<Sample> load_group(const Sample* pixels) {
  return *reinterpret_cast<const SampleGroup<Sample>*>(pixels);
}

/// Gathers 4 pixels of a row from column x on. `inside` maps each column to one inside the image.
template <class Inside>
__device__ std::uint32_t gather_group(const std::uint8_t* row, int x, Inside inside) {
  std::uint32_t group = 0;
  for (int i = 0; i < kGroup; ++i) group |= std::uint32_t{row[inside(x + i)]} << 8 * i;
  return group;
}
template <class Inside>
__device__ uint2 gather_group(const std::uint16_t* row, int x, Inside inside) {
  const auto pair = [&](int i) {
    return row[inside(x + i)] | std::uint32_t{row[inside(x + i + 1)]} << 16;
  };
  return make_uint2(pair(0), pair(2));
}

}  // namespace canny::cuda
