// SPDX-License-Identifier: LGPL-2.1-or-later
// Groups of 4 neighboring samples: those of 8 bits are the bytes of a word; those of 16 bits are
// two words, those of 32 bits four.
#pragma once

#include <cstdint>

#include "canny/canny.h"

namespace canny::cuda {

inline constexpr int kGroup = 4;

/// Whether groups of bytes from the start of each row on can be read and written as words.
template <class Byte>
bool is_word_aligned(const BasicPlane<Byte>& plane) {
  return reinterpret_cast<std::uintptr_t>(plane.data) % kGroup == 0 &&
         plane.stride_bytes % kGroup == 0;
}

template <class Sample>
struct GroupOf;
template <>
struct GroupOf<std::uint8_t> {
  using Type = std::uint32_t;
};
template <>
struct GroupOf<std::uint16_t> {
  using Type = uint2;
};
template <>
struct GroupOf<std::uint32_t> {
  using Type = uint4;
};
template <class Sample>
using SampleGroup = typename GroupOf<Sample>::Type;

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
