// SPDX-License-Identifier: LGPL-2.1-or-later
// The vectors of the front end, the bits of their masks, and bytes as pairs.

// Included once for each instruction set.
#if defined(CANNY_CPU_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_VECTORS_INL_H_
#undef CANNY_CPU_VECTORS_INL_H_
#else
#define CANNY_CPU_VECTORS_INL_H_
#endif

#include <hwy/highway.h>
#if HWY_ARCH_X86
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<std::uint8_t> d8;
const hn::ScalableTag<std::uint16_t> du16;
const hn::ScalableTag<std::int16_t> d16;
const hn::ScalableTag<std::int32_t> d32;
constexpr int kLanes8 = static_cast<int>(hn::MaxLanes(hn::ScalableTag<std::uint8_t>()));
constexpr int kLanes16 = kLanes8 / 2;
constexpr int kLanes32 = kLanes8 / 4;

using V16 = hn::Vec<decltype(d16)>;
using V32 = hn::Vec<decltype(d32)>;

// Doubles hold the magnitudes of deep samples.
const hn::ScalableTag<double> df64;
const hn::Rebind<std::int32_t, decltype(df64)> half32;
using V64 = hn::Vec<decltype(df64)>;

HWY_INLINE V64 lower_doubles(V32 v) { return hn::PromoteTo(df64, hn::LowerHalf(half32, v)); }
HWY_INLINE V64 upper_doubles(V32 v) { return hn::PromoteTo(df64, hn::UpperHalf(half32, v)); }

// Keeps v in a register here. GCC would otherwise load it again for each of its uses, or change the
// order of additions.
template <class V>
HWY_INLINE V in_register(V v) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  __asm__("" : "+v"(v.raw));
#endif
  return v;
}

// The sums of products of adjacent lanes, each spread over two vectors in a way that depends on the
// instruction set.
struct ProductSums {
  V32 first, second;
};

HWY_INLINE ProductSums no_products() { return {hn::Zero(d32), hn::Zero(d32)}; }

HWY_INLINE void add_products(V16 a, V16 b, ProductSums& sums) {
  sums.first = hn::ReorderWidenMulAccumulate(d32, a, b, sums.first, sums.second);
}

// The sums in order.
HWY_INLINE V32 total(const ProductSums& sums) {
  return hn::RearrangeToOddPlusEven(sums.first, sums.second);
}

// The bits of a mask. Words are assembled in registers, since memory stored in parts is slow to
// load as a whole.
template <class D, class Mask>
HWY_INLINE std::uint64_t mask_bits(D d, Mask mask) {
  hwy::UnsignedFromSize<(hn::MaxLanes(D()) + 7) / 8> bits;
  std::uint8_t bytes[8];
  hn::StoreMaskBits(d, mask, bytes);
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

// The vectors of magnitudes: of 8-bit samples in 32 bits, of deep ones in doubles.
template <class Magnitude>
struct MagnitudeLanes {
  static constexpr hn::ScalableTag<Magnitude> d{};
  static constexpr int kLanes = kLanes8 / static_cast<int>(sizeof(Magnitude));

  // The bits of two masks.
  template <class Mask>
  static HWY_INLINE std::uint64_t bits(Mask mask0, Mask mask1) {
#if HWY_MAX_BYTES == 16
    if constexpr (sizeof(Magnitude) == 4) {
      return mask_bits(d16, hn::MaskFromVec(hn::ReorderDemote2To(d16, hn::VecFromMask(d, mask0),
                                                                 hn::VecFromMask(d, mask1))));
    }
#endif
    return mask_bits(d, mask0) | mask_bits(d, mask1) << kLanes;
  }
};

// Bytes as pairs: the bytes of a vector's 16-bit lanes, and sums of their products.

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
