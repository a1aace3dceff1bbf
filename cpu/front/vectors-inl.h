// SPDX-License-Identifier: LGPL-2.1-or-later
// The vectors of the front end, and the bits of their masks.

// Included once for each instruction set.
#if defined(CANNY_CPU_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_VECTORS_INL_H_
#undef CANNY_CPU_VECTORS_INL_H_
#else
#define CANNY_CPU_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

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
constexpr int kLanes64 = kLanes8 / 8;
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

// The bits of a mask of 16-bit lanes, or of two masks of 32-bit lanes. Words are assembled in
// registers, since memory stored in parts is slow to load as a whole.
using Bits16 = std::conditional_t<kLanes16 == 8, std::uint8_t,
                                  std::conditional_t<kLanes16 == 16, std::uint16_t, std::uint32_t>>;

template <class Mask>
HWY_INLINE std::uint64_t bits16(Mask mask) {
  std::uint8_t bytes[8];
  hn::StoreMaskBits(d16, mask, bytes);
  Bits16 bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

template <class Mask>
HWY_INLINE std::uint64_t bits32(Mask mask0, Mask mask1) {
#if HWY_MAX_BYTES == 16
  return bits16(hn::MaskFromVec(
      hn::ReorderDemote2To(d16, hn::VecFromMask(d32, mask0), hn::VecFromMask(d32, mask1))));
#else
  using Bits = std::conditional_t<kLanes32 == 8, std::uint8_t, std::uint16_t>;
  const auto bits_of = [](Mask mask) HWY_ATTR {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(d32, mask, bytes);
    Bits bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return std::uint64_t{bits};
  };
  return bits_of(mask0) | bits_of(mask1) << kLanes32;
#endif
}

// The bits of a mask of up to 16 lanes.
template <class D, class Mask>
HWY_INLINE std::uint64_t mask_bits(D d, Mask mask) {
  using Bits = std::conditional_t<hn::MaxLanes(D()) <= 8, std::uint8_t, std::uint16_t>;
  std::uint8_t bytes[8];
  hn::StoreMaskBits(d, mask, bytes);
  Bits bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

// The vectors of magnitudes of 8-bit samples, and of deep ones.
template <class Magnitude>
struct MagnitudeLanes;

template <>
struct MagnitudeLanes<std::int32_t> {
  static constexpr hn::ScalableTag<std::int32_t> d{};
  static constexpr int kLanes = kLanes32;

  template <class Mask>
  static HWY_INLINE std::uint64_t bits(Mask mask0, Mask mask1) {
    return bits32(mask0, mask1);
  }
};

template <>
struct MagnitudeLanes<double> {
  static constexpr hn::ScalableTag<double> d{};
  static constexpr int kLanes = kLanes64;

  template <class Mask>
  static HWY_INLINE std::uint64_t bits(Mask mask0, Mask mask1) {
    return mask_bits(d, mask0) | mask_bits(d, mask1) << kLanes;
  }
};

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
