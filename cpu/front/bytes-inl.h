// SPDX-License-Identifier: LGPL-2.1-or-later
// Bytes as pairs: the bytes of a vector's 16-bit lanes, and sums of their products.

// Included once for each instruction set.
#if defined(CANNY_CPU_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_BYTES_INL_H_
#undef CANNY_CPU_BYTES_INL_H_
#else
#define CANNY_CPU_BYTES_INL_H_
#endif

#include "cpu/front/vectors-inl.h"

#if HWY_ARCH_X86
#include <immintrin.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

const hn::ScalableTag<std::int8_t> di8;
using V8 = hn::Vec<decltype(d8)>;
using VI8 = hn::Vec<decltype(di8)>;
using VU16 = hn::Vec<decltype(du16)>;

// The first and the second byte of each pair.
HWY_INLINE V16 even(V8 v) { return hn::And(hn::BitCast(d16, v), hn::Set(d16, 255)); }
HWY_INLINE V16 odd(V8 v) { return hn::BitCast(d16, hn::ShiftRight<8>(hn::BitCast(du16, v))); }

// Likewise of signed bytes.
HWY_INLINE V16 even(VI8 v) { return hn::ShiftRight<8>(hn::ShiftLeft<8>(hn::BitCast(d16, v))); }
HWY_INLINE V16 odd(VI8 v) { return hn::ShiftRight<8>(hn::BitCast(d16, v)); }

// The bytes of these pairs. Lanes are below 256.
HWY_INLINE V8 join_bytes(V16 evens, V16 odds) {
  return hn::BitCast(d8, hn::Or(evens, hn::ShiftLeft<8>(odds)));
}

HWY_INLINE std::uint16_t byte_pair(int even, int odd) {
  return static_cast<std::uint16_t>((even & 255) | (odd & 255) << 8);
}

// a[2 i] b[2 i] + a[2 i + 1] b[2 i + 1] in lane i. These sums fit 16 bits.
HWY_INLINE V16 multiply_pairs(V8 a, VI8 b) {
#if HWY_TARGET <= HWY_AVX3
  return V16{_mm512_maddubs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V16{_mm256_maddubs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  return V16{_mm_maddubs_epi16(a.raw, b.raw)};
#else
  return even(a) * even(b) + odd(a) * odd(b);
#endif
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
