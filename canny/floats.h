// SPDX-License-Identifier: LGPL-2.1-or-later
// Floats as samples. docs/reference/edge-map.md has the definition.
#pragma once

#include <cstdint>
#include <cstring>

#include "canny/bits.h"
#include "canny/frame.h"

namespace canny {

/// The largest numbers that a float counts as.
inline constexpr float kLargestByte = 255.0f, kLargestWord = 65535.0f;

CANNY_HOST_DEVICE inline float float_of_bits(std::uint32_t bits) {
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}
CANNY_HOST_DEVICE inline std::uint32_t bits_of_float(float number) {
  std::uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

/// Widens the bits of a sample; NaN and negative numbers, also -0, give 0. Infinity becomes a
/// number above 1. No operand is subnormal, so it does not matter whether the processor takes those
/// for 0.
template <SampleType kType>
CANNY_HOST_DEVICE inline float widened(std::uint32_t bits) {
  if (kType == SampleType::kFloat32) return bits > 0x7f800000 ? 0.0f : float_of_bits(bits);
  if (kType == SampleType::kBfloat16) return bits > 0x7f80 ? 0.0f : float_of_bits(bits << 16);
  // binary16 has 10 bits of fraction, not 23, and exponents that are 112 less.
  constexpr std::uint32_t kFraction = 23 - 10, kExponents = 112u << 23, kLeast = 113u << 23;
  const std::uint32_t moved = bits << kFraction;
  const float number = bits < 0x400 ? float_of_bits(moved + kLeast) - float_of_bits(kLeast)
                                    : float_of_bits(moved + kExponents);
  return bits > 0x7c00 ? 0.0f : number;
}

/// A product that is rounded by itself: nvcc may fuse others with sums.
CANNY_HOST_DEVICE inline float rounded_product(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

/// The number from 0 to `largest` that a sample counts as: the product with `largest`, rounded to a
/// float, and then to an integer, halves to even.
template <SampleType kType>
CANNY_HOST_DEVICE inline std::uint32_t number_of_sample(std::uint32_t bits, float largest) {
  const float product = rounded_product(widened<kType>(bits), largest);
  const float clamped = product < largest ? product : largest;
  constexpr float kNoFraction = 8388608.0f;  // 2^23, from which on floats are integers
  return bits_of_float(clamped + kNoFraction) & 0xffff;
}

/// The bits of a sample for a value of a view: value / 255 as a float of 32 bits, rounded to the
/// type, halves to even.
inline std::uint32_t bits_of_value(int value, SampleType type) {
  const std::uint32_t bits = bits_of_float(static_cast<float>(value) / kLargestByte);
  if (type == SampleType::kFloat32 || value == 0) return bits;
  const int lost = type == SampleType::kFloat16 ? 23 - 10 : 16;
  const std::uint32_t rounded = (bits + (1u << (lost - 1)) - 1 + (bits >> lost & 1)) >> lost;
  return type == SampleType::kFloat16 ? rounded - (112u << 10) : rounded;
}

}  // namespace canny
