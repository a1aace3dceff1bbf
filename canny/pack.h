// SPDX-License-Identifier: LGPL-2.1-or-later
// Packs bytes into bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace canny {

/// A bit for each of 8 bytes, 1 if the byte is not 0. The sum sets the highest bit of a byte with
/// any of the lower ones; the product moves the highest bits next to each other.
inline std::uint64_t bits_of_bytes(std::uint64_t eight) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f, kGather = 0x0102040810204080;
  const std::uint64_t highest = (eight | ((eight & kLow) + kLow)) & ~kLow;
  return ((highest >> 7) * kGather) >> 56;
}

/// The bits of 64 bytes; bit i is the i-th byte from the left.
inline std::uint64_t pack_word(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 64; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, bytes + i, sizeof eight);
    word |= bits_of_bytes(eight) << i;
  }
  return word;
}

/// Packs a row of `width` bytes. Bits to the right of the last byte are 0.
inline void pack_row(const std::uint8_t* bytes, int width, std::uint64_t* words) {
  constexpr int kBits = 64;
  int x = 0;
  for (; x + kBits <= width; x += kBits) *words++ = pack_word(bytes + x);
  if (x == width) return;
  std::uint8_t last[kBits] = {};
  std::copy(bytes + x, bytes + width, last);
  *words = pack_word(last);
}

}  // namespace canny
