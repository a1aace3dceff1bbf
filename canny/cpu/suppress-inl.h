// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradient of a row, its non-maximum suppression and its thresholds.

// Included once for each instruction set.
#if defined(CANNY_CPU_SUPPRESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_SUPPRESS_INL_H_
#undef CANNY_CPU_SUPPRESS_INL_H_
#else
#define CANNY_CPU_SUPPRESS_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "canny/constants.h"
#include "canny/cpu/front.h"
#include "canny/cpu/vectors-inl.h"
#include "canny/operator.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// Rearranges the lanes of v so that InterleaveLower and InterleaveUpper of two such vectors are in
// order.
HWY_INLINE V16 spread_halves(V16 v) {
  if (kLanes32 == 4) return v;
  alignas(64) static constexpr std::int32_t k256[8] = {0, 1, 4, 5, 2, 3, 6, 7};
  alignas(64) static constexpr std::int32_t k512[16] = {0, 1, 8,  9,  2, 3, 10, 11,
                                                        4, 5, 12, 13, 6, 7, 14, 15};
  const auto indices = hn::SetTableIndices(d32, kLanes32 == 8 ? k256 : k512);
  return hn::BitCast(d16, hn::TableLookupLanes(hn::BitCast(d32, v), indices));
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
  const auto bits = [](Mask mask) HWY_ATTR {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(d32, mask, bytes);
    Bits bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return std::uint64_t{bits};
  };
  return bits(mask0) | bits(mask1) << kLanes32;
#endif
}

// Gradients of kLanes16 pixels from here on, |gx|, |gy| <= Sobel3::kLargest.
HWY_INLINE void sobel(const std::int16_t* above, const std::int16_t* here,
                      const std::int16_t* below, V16& gx, V16& gy) {
  static_assert(Sobel3::kSize == 3 && Sobel3::smooth(0) == 1 && Sobel3::smooth(1) == 2 &&
                Sobel3::difference(2) == 1);
  const auto at = [](const std::int16_t* p) HWY_ATTR { return hn::LoadU(d16, p); };
  const auto above_left = at(above - 1), above_right = at(above + 1);
  const auto below_left = at(below - 1), below_right = at(below + 1);
  const auto slope = at(here + 1) - at(here - 1);
  const auto falling = below_right - above_left, rising = above_right - below_left;
  const auto middle = hn::Load(d16, below) - hn::Load(d16, above);
  gx = falling + rising + (slope + slope);
  gy = falling - rising + (middle + middle);
}

template <Norm kNorm>
HWY_INLINE void magnitude(V16 gx, V16 gy, V32& low, V32& high) {
  if (kNorm == Norm::kL1) {
    const hn::Half<decltype(d16)> half;
    const auto sum = hn::Abs(gx) + hn::Abs(gy);
    low = hn::PromoteTo(d32, hn::LowerHalf(half, sum));
    high = hn::PromoteTo(d32, hn::UpperHalf(half, sum));
    return;
  }
  const auto x = spread_halves(gx), y = spread_halves(gy);
  const auto square_sum = [](V16 v) HWY_ATTR {
    auto second = hn::Zero(d32);
    const auto first = hn::ReorderWidenMulAccumulate(d32, v, v, hn::Zero(d32), second);
    return hn::RearrangeToOddPlusEven(first, second);
  };
  low = square_sum(hn::InterleaveLower(d16, x, y));
  high = square_sum(hn::InterleaveUpper(d16, x, y));
}

// Sectors: with t = tan(22.5 degrees) |gx| the gradient is horizontal if |gy| < t and vertical if
// |gy| > t + 2 |gx|. Unless gx = 0, t is not an integer, so |gy| < t means |gy| <= floor(t). At gx
// = gy = 0 there is no candidate.
HWY_INLINE void find_sectors(V16 gx, V16 gy, int x, BlockBits* bits) {
  const auto ax = hn::Abs(gx), ay = hn::Abs(gy);
  const auto t = hn::MulHigh(ax, hn::Set(d16, kTangent << (16 - kTangentShift)));
  bits->steep |= bits16(ay > t) << x;
  bits->vertical |= bits16(ay > t + ax + ax) << x;
  bits->falling |= bits16(hn::Xor(gx, gy) < hn::Zero(d16)) << x;
}

// Computes gradients, magnitudes and sectors of a row, and which magnitudes exceed the low
// threshold.
template <Norm kNorm>
void gradient_row(int blocks, const std::int16_t* above, const std::int16_t* here,
                  const std::int16_t* below, std::int32_t low, std::int32_t* magnitudes,
                  BlockBits* bits) {
  const auto low_threshold = hn::Set(d32, low);
  for (int block = 0; block < blocks; ++block) {
    BlockBits found = {};
    for (int x = 0; x < kBlock; x += kLanes16) {
      V16 gx, gy;
      V32 m0, m1;
      sobel(above + x, here + x, below + x, gx, gy);
      magnitude<kNorm>(gx, gy, m0, m1);
      hn::Store(m0, d32, magnitudes + x);
      hn::Store(m1, d32, magnitudes + x + kLanes32);
      const Plane::Word above_low = bits32(m0 > low_threshold, m1 > low_threshold);
      found.above_low |= above_low << x;
      find_sectors(gx, gy, x, &found);
    }
    bits[block] = found;
    above += kBlock, here += kBlock, below += kBlock, magnitudes += kBlock;
  }
}

// The candidates of a block, and the strong pixels among them.
struct Maxima {
  Plane::Word kept, strong;
};

HWY_INLINE hn::Mask<decltype(d32)> mask_at(std::uint64_t bits, int x) {
  bits >>= x;
  std::uint8_t bytes[sizeof bits];
  std::memcpy(bytes, &bits, sizeof bits);
  return hn::LoadMaskBits(d32, bytes);
}

// Compares pixels with their neighbors along the gradient, and with the high threshold. Along rows
// and columns, a pixel must exceed the first neighbor and not be below the second, that is, exceed
// the second minus 1.
HWY_INLINE Maxima compare(const std::int32_t* above, const std::int32_t* here,
                          const std::int32_t* below, const BlockBits& bits, std::int32_t high) {
  const Plane::Word diagonal = bits.steep & ~bits.vertical;
  const Plane::Word vertical = bits.vertical, falling = diagonal & bits.falling;
  const Plane::Word rising = diagonal & ~bits.falling;
  Maxima maxima = {};
  const auto high_threshold = hn::Set(d32, high), one = hn::Set(d32, 1);
  const auto at = [](const std::int32_t* p) HWY_ATTR { return hn::LoadU(d32, p); };
  const auto largest = [&](int x) HWY_ATTR {
    auto neighbor = hn::Max(at(here + x - 1), at(here + x + 1) - one);
    neighbor =
        hn::IfThenElse(mask_at(vertical, x), hn::Max(at(above + x), at(below + x) - one), neighbor);
    neighbor = hn::IfThenElse(mask_at(falling, x), hn::Max(at(above + x + 1), at(below + x - 1)),
                              neighbor);
    return hn::IfThenElse(mask_at(rising, x), hn::Max(at(above + x - 1), at(below + x + 1)),
                          neighbor);
  };
  for (int x = 0; x < kBlock; x += kLanes16) {
    const auto m0 = hn::Load(d32, here + x), m1 = hn::Load(d32, here + x + kLanes32);
    maxima.kept |= bits32(m0 > largest(x), m1 > largest(x + kLanes32)) << x;
    maxima.strong |= bits32(m0 > high_threshold, m1 > high_threshold) << x;
  }
  maxima.kept &= bits.above_low;
  maxima.strong &= maxima.kept;
  return maxima;
}

// Applies non-maximum suppression and the double threshold to row y.
void suppress(const FrontRows& rows, const FrontPiece& piece, int y) {
  const int slot = y % FrontRows::kDepth;
  const auto magnitude = [&](int row) {
    const bool inside = row >= 0 && row < piece.candidate.height;
    return inside ? rows.magnitude[row % FrontRows::kDepth] : rows.outside;
  };
  const std::int32_t *above = magnitude(y - 1), *here = magnitude(y), *below = magnitude(y + 1);
  const BlockBits* bits = rows.bits[slot];
  Plane::Word *candidate = piece.candidate.row(y), *strong = piece.strong.row(y);
  const std::int32_t high = piece.thresholds.high;
  const int blocks = rows.blocks;
  for (int block = 0; block < blocks; ++block) {
    Maxima maxima = {};
    if (bits[block].above_low != 0) maxima = compare(above, here, below, bits[block], high);
    candidate[block] = maxima.kept;
    strong[block] = maxima.strong;
    above += kBlock, here += kBlock, below += kBlock;
  }
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
