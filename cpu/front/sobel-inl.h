// SPDX-License-Identifier: LGPL-2.1-or-later
// Gradients of the 3x3 Sobel operator, and their suppression, in 16-bit lanes and in split rows.
//
// Gradients are those along the diagonals, u = (gx + gy) / 2 and v = (gx - gy) / 2. These are
// integers, and differences of sums P[y][x] of the 2x2 pixels from (x, y) on:
//   u = P[y][x] - P[y - 1][x - 1],  v = P[y - 1][x] - P[y][x - 1].
// gx^2 + gy^2 = 2 (u^2 + v^2), and |gx| + |gy| = 2 max(|u|, |v|).

// Included once for each instruction set.
#if defined(CANNY_CPU_SOBEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_SOBEL_INL_H_
#undef CANNY_CPU_SOBEL_INL_H_
#else
#define CANNY_CPU_SOBEL_INL_H_
#endif

#include <algorithm>

#include "cpu/front/blur-inl.h"
#include "cpu/front/front.h"
#include "cpu/front/suppress-inl.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

using Mask16 = hn::Mask<decltype(d16)>;

// Masks in memory: bits where the processor has registers for them, otherwise vectors.
HWY_INLINE void store_mask(Mask16 mask, std::int16_t* out) {
#if HWY_TARGET <= HWY_AVX3
  hn::StoreMaskBits(d16, mask, reinterpret_cast<std::uint8_t*>(out));
#else
  hn::Store(hn::VecFromMask(d16, mask), d16, out);
#endif
}

HWY_INLINE Mask16 load_mask(const std::int16_t* in) {
#if HWY_TARGET <= HWY_AVX3
  return hn::LoadMaskBits(d16, reinterpret_cast<const std::uint8_t*>(in));
#else
  return hn::MaskFromVec(hn::Load(d16, in));
#endif
}

#if HWY_TARGET <= HWY_AVX3
HWY_INLINE Plane::Word join_bits(std::uint64_t evens, std::uint64_t odds) {
  return _pdep_u64(evens, 0x5555555555555555) | _pdep_u64(odds, 0xAAAAAAAAAAAAAAAA);
}
#endif

// The bits of kLanes8 pixels whose masks are split.
HWY_INLINE Plane::Word join(Mask16 evens, Mask16 odds) {
#if HWY_TARGET <= HWY_AVX3
  return join_bits(mask_bits(d16, evens), mask_bits(d16, odds));
#else
  const auto bytes = hn::OddEven(hn::BitCast(d8, hn::VecFromMask(d16, odds)),
                                 hn::BitCast(d8, hn::VecFromMask(d16, evens)));
  return mask_bits(d8, hn::MaskFromVec(bytes));
#endif
}

constexpr Plane::Word kLanesMask = ~Plane::Word{0} >> (kBlock - kLanes8);

// ---- gradients ----

// Gradients of even and odd pixels.
struct SplitGradients {
  V16 u0, v0, u1, v1;
};

// Takes the sums of the pixels' row and the one above, and those of the row and the one below.
HWY_INLINE SplitGradients split_gradients(const SplitRow& above, const SplitRow& below, int x) {
  struct Sums {
    V16 left, here, right;  // from the pixels left of the even ones on, from the even, the odd ones
  };
  const auto sums = [x](const SplitRow& row) HWY_ATTR {
    const auto even = hn::Load(d16, row.even + x), odd = hn::Load(d16, row.odd + x);
    return Sums{even + hn::LoadU(d16, row.odd + x - 1), even + odd,
                odd + hn::LoadU(d16, row.even + x + 1)};
  };
  const Sums a = sums(above), b = sums(below);
  return {b.here - a.left, a.here - b.left, b.right - a.here, a.right - b.here};
}

// The limits of magnitudes in 16 bits: u^2 + v^2 - 32768 (saturated), or max(|u|, |v|).
struct SobelLimits {
  std::int16_t larger;  // no magnitude exceeds the low limit where max(|u|, |v|) does not exceed it
  std::int16_t low, high;
};

constexpr std::int16_t kLowest = -32768, kSaturated = 32767;

SobelLimits sobel_limits(Norm norm, const Thresholds& thresholds) {
  const auto half = [](std::int32_t limit, int most, int offset) {
    return static_cast<std::int16_t>(std::min(limit / 2, most) + offset);
  };
  if (norm == Norm::kL1) {
    const std::int16_t low = half(thresholds.low, kSaturated, 0);
    return {low, low, half(thresholds.high, kSaturated, 0)};
  }
  std::int16_t root = 0;  // no |u| exceeds 1020
  while (root < 1020 && (root + 1) * (root + 1) <= thresholds.low / 4) ++root;
  // Only saturated magnitudes exceed the largest limit, and these are compared in 32 bits.
  constexpr int kMost = kSaturated - 1 - kLowest;
  return {root, half(thresholds.low, kMost, kLowest), half(thresholds.high, kMost, kLowest)};
}

// Squared magnitudes, u^2 + v^2 - 32768, of the lower and the upper halves of 128-bit blocks.
struct Squares {
  V32 lower, upper;
};

HWY_INLINE Squares squares(V16 u, V16 v) {
  const auto square = [](V16 pairs) HWY_ATTR {
    ProductSums sums = no_products();
    add_products(pairs, pairs, sums);
    return total(sums) + hn::Set(d32, kLowest);
  };
  return {square(hn::InterleaveLower(d16, u, v)), square(hn::InterleaveUpper(d16, u, v))};
}

// Stores them in order.
HWY_INLINE void store_squares(const Squares& squares, std::int32_t* out) {
#if HWY_TARGET <= HWY_AVX3
  const auto lower = squares.lower.raw, upper = squares.upper.raw;
  const auto first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
  const auto last = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
  hn::Store(V32{_mm512_permutex2var_epi64(lower, first, upper)}, d32, out);
  hn::Store(V32{_mm512_permutex2var_epi64(lower, last, upper)}, d32, out + kLanes32);
#elif HWY_MAX_BYTES == 32
  hn::Store(hn::ConcatLowerLower(d32, squares.upper, squares.lower), d32, out);
  hn::Store(hn::ConcatUpperUpper(d32, squares.upper, squares.lower), d32, out + kLanes32);
#else
  hn::Store(squares.lower, d32, out);
  hn::Store(squares.upper, d32, out + kLanes32);
#endif
}

// Clears squares of the pixels in `bits` of a block, which are whole vectors.
void clear_squares(const SquareRow& row, int block, Plane::Word bits) {
  for (int i = 0; i < kBlock; i += kLanes8) {
    if ((bits >> i & 1) == 0) continue;
    const int x = (block * kBlock + i) / 2;
    std::fill_n(row.even + x, kLanes16, 0);
    std::fill_n(row.odd + x, kLanes16, 0);
  }
}

// The tangent of 22.5 degrees times 65536. For all gradients of 8-bit samples, sectors end where
// OpenCV's integers say.
constexpr std::int16_t kDiagonalTangent = 27146;

// The sector of a gradient, as two masks.
struct Sector {
  Mask16 is_straight;  // horizontal or vertical, not diagonal
  Mask16 is_second;    // vertical, or diagonal with different signs of gx and gy
};

HWY_INLINE Sector sector(V16 u, V16 v, V16 abs_u, V16 abs_v, V16 larger) {
  const auto limit = hn::MulHigh(larger, hn::Set(d16, kDiagonalTangent));
  const auto is_straight = hn::Min(abs_u, abs_v) > limit;
  const auto differ = hn::Xor(u, v) < hn::Zero(d16);
  return {is_straight,
          hn::Or(hn::And(is_straight, differ), hn::AndNot(is_straight, abs_v > abs_u))};
}

// Each block of kLanes8 pixels has two masks of even and two of odd pixels.
constexpr int kSectorStep = 4 * kLanes16;

HWY_INLINE void store_sector(const Sector& sector, std::int16_t* out) {
  store_mask(sector.is_straight, out);
  store_mask(sector.is_second, out + kLanes16);
}

HWY_INLINE Sector load_sector(const std::int16_t* in) {
  return {load_mask(in), load_mask(in + kLanes16)};
}

// The gradients of a row. Arguments are values, since stores might change what references mean.
template <Norm kNorm>
void sobel_row(int blocks, SplitRow above, SplitRow below, SobelLimits limits, SobelGradients to) {
  const auto least = hn::Set(d16, limits.larger), low = hn::Set(d16, limits.low);
  std::int16_t* sectors = to.sectors;
  int x = 0;
  for (int block = 0; block < blocks; ++block) {
    Plane::Word above_low = 0, saturated = 0;
    for (int i = 0; i < kBlock; i += kLanes8, x += kLanes16, sectors += kSectorStep) {
      const auto [u0, v0, u1, v1] = split_gradients(above, below, x);
      const auto abs_u0 = hn::Abs(u0), abs_v0 = hn::Abs(v0), larger0 = hn::Max(abs_u0, abs_v0);
      const auto abs_u1 = hn::Abs(u1), abs_v1 = hn::Abs(v1), larger1 = hn::Max(abs_u1, abs_v1);
      if (hn::AllFalse(d16, hn::Max(larger0, larger1) > least)) {
        hn::Store(hn::Set(d16, kLowest), d16, to.magnitudes.even + x);
        hn::Store(hn::Set(d16, kLowest), d16, to.magnitudes.odd + x);
        continue;
      }
      V16 m0 = larger0, m1 = larger1;
      if (kNorm == Norm::kL2) {
        const Squares evens = squares(u0, v0), odds = squares(u1, v1);
        m0 = hn::ReorderDemote2To(d16, evens.lower, evens.upper);
        m1 = hn::ReorderDemote2To(d16, odds.lower, odds.upper);
        if (HWY_UNLIKELY(!hn::AllFalse(d16, hn::Max(m0, m1) == hn::Set(d16, kSaturated)))) {
          saturated |= kLanesMask << i;
          store_squares(evens, to.squares.even + x);
          store_squares(odds, to.squares.odd + x);
        }
      }
      hn::Store(m0, d16, to.magnitudes.even + x);
      hn::Store(m1, d16, to.magnitudes.odd + x);
      above_low |= join(m0 > low, m1 > low) << i;
      store_sector(sector(u0, v0, abs_u0, abs_v0, larger0), sectors);
      store_sector(sector(u1, v1, abs_u1, abs_v1, larger1), sectors + 2 * kLanes16);
    }
    to.above_low[block] = above_low;
    const Plane::Word stale = to.saturated[block] & ~saturated;
    if (HWY_UNLIKELY(stale != 0)) clear_squares(to.squares, block, stale);
    to.saturated[block] = saturated;
  }
}

// ---- suppression ----

HWY_INLINE V16 less_one(V16 v) { return hn::SaturatedSub(v, hn::Set(d16, 1)); }
HWY_INLINE V32 less_one(V32 v) { return v - hn::Set(d32, 1); }

// Magnitudes of three pixels of a row, the middle one of which is in the column of the pixel that
// is compared.
template <class V>
struct RowOf3 {
  V left, middle, right;
};

// What a maximum exceeds, as in compare().
template <class V, class Mask>
HWY_INLINE V largest_neighbor(Mask is_straight, Mask is_second, const RowOf3<V>& above,
                              const RowOf3<V>& here, const RowOf3<V>& below) {
  const auto across = hn::Max(here.left, less_one(here.right));
  const auto down = hn::Max(above.middle, less_one(below.middle));
  const auto rising = hn::Max(above.left, below.right);
  const auto falling = hn::Max(above.right, below.left);
  return hn::IfThenElse(is_straight, hn::IfThenElse(is_second, down, across),
                        hn::IfThenElse(is_second, falling, rising));
}

// Compares kLanes8 pixels with their neighbors.
HWY_INLINE Maxima compare_split(const SplitRow& above, const SplitRow& here, const SplitRow& below,
                                const std::int16_t* sectors, int x, V16 high) {
  const auto at = [x](const std::int16_t* p) HWY_ATTR { return hn::LoadU(d16, p + x); };
  const auto a0 = at(above.even), a1 = at(above.odd), b0 = at(below.even), b1 = at(below.odd);
  const auto m0 = at(here.even), m1 = at(here.odd);
  const auto largest =
      [](const Sector& sector, const RowOf3<V16>& a, const RowOf3<V16>& m, const RowOf3<V16>& b)
          HWY_ATTR { return largest_neighbor(sector.is_straight, sector.is_second, a, m, b); };
  const auto n0 = largest(load_sector(sectors), {at(above.odd - 1), a0, a1},
                          {at(here.odd - 1), m0, m1}, {at(below.odd - 1), b0, b1});
  const auto n1 = largest(load_sector(sectors + 2 * kLanes16), {a0, a1, at(above.even + 1)},
                          {m0, m1, at(here.even + 1)}, {b0, b1, at(below.even + 1)});
  return {join(m0 > n0, m1 > n1), join(m0 > high, m1 > high)};
}

// ---- pixels whose magnitudes do not fit 16 bits ----

using Mask32 = hn::Mask<decltype(d32)>;

// Half of a mask that store_mask() stored.
HWY_INLINE Mask32 load_half_mask(const std::int16_t* in, int half) {
#if HWY_TARGET <= HWY_AVX3
  return hn::LoadMaskBits(d32, reinterpret_cast<const std::uint8_t*>(in) + half * kLanes32 / 8);
#else
  const hn::Rebind<std::int16_t, decltype(d32)> narrow;
  return hn::MaskFromVec(hn::PromoteTo(d32, hn::Load(narrow, in + half * kLanes32)));
#endif
}

// As join(), of kLanes16 pixels.
HWY_INLINE Plane::Word join(Mask32 evens, Mask32 odds) {
#if HWY_TARGET <= HWY_AVX3
  return join_bits(mask_bits(d32, evens), mask_bits(d32, odds));
#else
  const auto words = hn::OddEven(hn::BitCast(d16, hn::VecFromMask(d32, odds)),
                                 hn::BitCast(d16, hn::VecFromMask(d32, evens)));
  return mask_bits(d16, hn::MaskFromVec(words));
#endif
}

// Decides about such pixels among kLanes8, in place of compare_split(). The squares of a vector
// without such pixels are 0, which is below those of all such pixels.
HWY_NOINLINE void compare_squares(const SquareRow& above, const SquareRow& here,
                                  const SquareRow& below, const std::int16_t* sectors, int x,
                                  const Thresholds& limits, Maxima* maxima) {
  const auto largest = [sectors](int half, int odd, const RowOf3<V32>& a, const RowOf3<V32>& m,
                                 const RowOf3<V32>& b) HWY_ATTR {
    const std::int16_t* masks = sectors + odd * 2 * kLanes16;
    return largest_neighbor(load_half_mask(masks, half), load_half_mask(masks + kLanes16, half), a,
                            m, b);
  };
  const auto least = hn::Set(d32, kSaturated - 1);
  const auto low = hn::Max(least, hn::Set(d32, limits.low / 2 + kLowest));
  const auto high = hn::Max(least, hn::Set(d32, limits.high / 2 + kLowest));
  for (int half = 0; half < 2; ++half, x += kLanes32) {
    const auto at = [x](const std::int32_t* p) HWY_ATTR { return hn::LoadU(d32, p + x); };
    const auto a0 = at(above.even), a1 = at(above.odd), b0 = at(below.even), b1 = at(below.odd);
    const auto m0 = at(here.even), m1 = at(here.odd);
    const auto n0 = largest(half, 0, {at(above.odd - 1), a0, a1}, {at(here.odd - 1), m0, m1},
                            {at(below.odd - 1), b0, b1});
    const auto n1 = largest(half, 1, {a0, a1, at(above.even + 1)}, {m0, m1, at(here.even + 1)},
                            {b0, b1, at(below.even + 1)});
    const int shift = half * kLanes16;
    const Plane::Word others = ~(join(m0 > least, m1 > least) << shift);
    const Plane::Word kept = join(m0 > hn::Max(n0, low), m1 > hn::Max(n1, low)) << shift;
    maxima->kept = (maxima->kept & others) | kept;
    maxima->strong = (maxima->strong & others) | join(m0 > high, m1 > high) << shift;
  }
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
