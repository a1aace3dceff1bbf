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
#include <cstring>

#include "canny/cpu/blur-inl.h"
#include "canny/cpu/bytes-inl.h"
#include "canny/cpu/front.h"
#include "canny/cpu/suppress-inl.h"
#include "canny/cpu/vectors-inl.h"

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

// The bits of kLanes8 pixels whose masks are split.
HWY_INLINE Plane::Word join(Mask16 evens, Mask16 odds) {
#if HWY_TARGET <= HWY_AVX3
  return _pdep_u64(bits16(evens), 0x5555555555555555) | _pdep_u64(bits16(odds), 0xAAAAAAAAAAAAAAAA);
#else
  const auto bytes = hn::OddEven(hn::BitCast(d8, hn::VecFromMask(d16, odds)),
                                 hn::BitCast(d8, hn::VecFromMask(d16, evens)));
  using Bits = std::conditional_t<kLanes8 == 16, std::uint16_t, std::uint32_t>;
  std::uint8_t memory[8];
  hn::StoreMaskBits(d8, hn::MaskFromVec(bytes), memory);
  Bits bits;
  std::memcpy(&bits, memory, sizeof bits);
  return bits;
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
  struct Boxes {
    V16 left, here, right;  // from the pixels left of the even ones on, from the even, the odd ones
  };
  const auto boxes = [x](const SplitRow& row) HWY_ATTR {
    const auto even = hn::Load(d16, row.even + x), odd = hn::Load(d16, row.odd + x);
    return Boxes{even + hn::LoadU(d16, row.odd + x - 1), even + odd,
                 odd + hn::LoadU(d16, row.even + x + 1)};
  };
  const Boxes a = boxes(above), b = boxes(below);
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

template <Norm kNorm>
HWY_INLINE V16 magnitude(V16 u, V16 v, V16 larger) {
  if (kNorm == Norm::kL1) return larger;
  const auto square = [](V16 pairs) HWY_ATTR {
    ProductSums sums = {hn::Set(d32, kLowest), hn::Zero(d32)};
    add_products(pairs, pairs, sums);
    return total(sums);
  };
  return hn::ReorderDemote2To(d16, square(hn::InterleaveLower(d16, u, v)),
                              square(hn::InterleaveUpper(d16, u, v)));
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
    Plane::Word above_low = 0;
    bool is_saturated = false;
    for (int i = 0; i < kBlock; i += kLanes8, x += kLanes16, sectors += kSectorStep) {
      const auto [u0, v0, u1, v1] = split_gradients(above, below, x);
      const auto abs_u0 = hn::Abs(u0), abs_v0 = hn::Abs(v0), larger0 = hn::Max(abs_u0, abs_v0);
      const auto abs_u1 = hn::Abs(u1), abs_v1 = hn::Abs(v1), larger1 = hn::Max(abs_u1, abs_v1);
      if (hn::AllFalse(d16, hn::Max(larger0, larger1) > least)) {
        hn::Store(hn::Set(d16, kLowest), d16, to.magnitudes.even + x);
        hn::Store(hn::Set(d16, kLowest), d16, to.magnitudes.odd + x);
        continue;
      }
      const auto m0 = magnitude<kNorm>(u0, v0, larger0), m1 = magnitude<kNorm>(u1, v1, larger1);
      hn::Store(m0, d16, to.magnitudes.even + x);
      hn::Store(m1, d16, to.magnitudes.odd + x);
      above_low |= join(m0 > low, m1 > low) << i;
      if (kNorm == Norm::kL2)
        is_saturated |= !hn::AllFalse(d16, hn::Max(m0, m1) == hn::Set(d16, kSaturated));
      store_sector(sector(u0, v0, abs_u0, abs_v0, larger0), sectors);
      store_sector(sector(u1, v1, abs_u1, abs_v1, larger1), sectors + 2 * kLanes16);
    }
    to.above_low[block] = above_low;
    to.is_saturated[block] = is_saturated;
  }
}

// ---- suppression ----

// Compares kLanes8 pixels with their neighbors, as compare() does.
HWY_INLINE Maxima compare_split(const SplitRow& above, const SplitRow& here, const SplitRow& below,
                                const std::int16_t* sectors, int x, V16 high) {
  const auto at = [x](const std::int16_t* p) HWY_ATTR { return hn::LoadU(d16, p + x); };
  struct Three {
    V16 left, middle, right;
  };
  const auto largest = [](const Sector& sector, Three a, V16 left, V16 right, Three b) HWY_ATTR {
    const auto one = hn::Set(d16, 1);
    const auto across = hn::Max(left, hn::SaturatedSub(right, one));
    const auto down = hn::Max(a.middle, hn::SaturatedSub(b.middle, one));
    const auto rising = hn::Max(a.left, b.right), falling = hn::Max(a.right, b.left);
    return hn::IfThenElse(sector.is_straight, hn::IfThenElse(sector.is_second, down, across),
                          hn::IfThenElse(sector.is_second, falling, rising));
  };
  const auto a0 = at(above.even), a1 = at(above.odd), b0 = at(below.even), b1 = at(below.odd);
  const auto m0 = at(here.even), m1 = at(here.odd);
  const auto n0 = largest(load_sector(sectors), {at(above.odd - 1), a0, a1}, at(here.odd - 1), m1,
                          {at(below.odd - 1), b0, b1});
  const auto n1 = largest(load_sector(sectors + 2 * kLanes16), {a0, a1, at(above.even + 1)}, m0,
                          at(here.even + 1), {b0, b1, at(below.even + 1)});
  return {join(m0 > n0, m1 > n1), join(m0 > high, m1 > high)};
}

// Likewise for all pixels in `bits` of a block.
HWY_INLINE Maxima compare_block(const SplitRow& above, const SplitRow& here, const SplitRow& below,
                                const std::int16_t* sectors, int x, Plane::Word bits, V16 high) {
  Maxima maxima = {};
  for (int i = 0; i < kBlock; i += kLanes8, x += kLanes16, sectors += kSectorStep) {
    if ((bits >> i & kLanesMask) == 0) continue;
    const Maxima found = compare_split(above, here, below, sectors, x, high);
    maxima.kept |= found.kept << i, maxima.strong |= found.strong << i;
  }
  return maxima;
}

// ---- blocks whose magnitudes do not fit 16 bits ----

// The squared magnitude of a pixel, from the sums that split_gradients() takes.
std::int32_t square(const SplitRow& above, const SplitRow& below, int x) {
  const auto box = [](const SplitRow& row, int left) {
    const auto sum = [&](int i) { return (i & 1) != 0 ? row.odd[i >> 1] : row.even[i >> 1]; };
    return sum(left) + sum(left + 1);
  };
  const int u = box(below, x) - box(above, x - 1), v = box(above, x) - box(below, x - 1);
  return 2 * (u * u + v * v);
}

// Those of the pixels of a block, and of one pixel on either side of it.
void square_block(const SplitRow& above, const SplitRow& below, int x, int width,
                  std::int32_t* out) {
  const hn::Rebind<std::int16_t, decltype(d32)> half;
  HWY_ALIGN std::int16_t u[kBlock], v[kBlock];
  for (int i = 0; i < kBlock; i += kLanes8) {
    const SplitGradients here = split_gradients(above, below, (x + i) / 2);
    hn::StoreInterleaved2(here.u0, here.u1, d16, u + i);
    hn::StoreInterleaved2(here.v0, here.v1, d16, v + i);
  }
  for (int i = 0; i < kBlock; i += kLanes32) {
    const auto u32 = hn::PromoteTo(d32, hn::Load(half, u + i));
    const auto v32 = hn::PromoteTo(d32, hn::Load(half, v + i));
    hn::Store(hn::ShiftLeft<1>(u32 * u32 + v32 * v32), d32, out + i);
  }
  out[-1] = x > 0 ? square(above, below, x - 1) : 0;
  out[kBlock] = square(above, below, x + kBlock);
  for (int i = width - x; i <= kBlock; ++i) out[i] = 0;
}

// The sums of a row with the rows above and below it. Those of rows outside the image are null.
struct SumsAround {
  const SplitRow *above, *below;
};

// Compares the pixels of a block in 32 bits. `sums` are those of the rows above, here and below.
HWY_NOINLINE Maxima compare_wide(const SumsAround (&sums)[3], int x, int width,
                                 const std::int16_t* sectors, const Thresholds& limits) {
  constexpr int kMargin = 64 / sizeof(std::int32_t);  // keeps blocks aligned
  HWY_ALIGN std::int32_t memory[3][kBlock + 2 * kMargin];
  std::int32_t* rows[3];
  for (int i = 0; i < 3; ++i) {
    rows[i] = memory[i] + kMargin;
    if (sums[i].above != nullptr)
      square_block(*sums[i].above, *sums[i].below, x, width, rows[i]);
    else
      std::fill_n(rows[i] - 1, kBlock + 2, 0);
  }
  BlockBits bits = {};
  Plane::Word is_straight = 0, is_second = 0;
  for (int i = 0; i < kBlock; i += kLanes8, sectors += kSectorStep) {
    const Sector evens = load_sector(sectors), odds = load_sector(sectors + 2 * kLanes16);
    is_straight |= join(evens.is_straight, odds.is_straight) << i;
    is_second |= join(evens.is_second, odds.is_second) << i;
  }
  bits.steep = ~is_straight | is_second;
  bits.vertical = is_straight & is_second;
  bits.falling = is_second;
  const auto low = hn::Set(d32, limits.low);
  for (int i = 0; i < kBlock; i += 2 * kLanes32) {
    const auto at = [&](int j) HWY_ATTR { return hn::Load(d32, rows[1] + j); };
    bits.above_low |= bits32(at(i) > low, at(i + kLanes32) > low) << i;
  }
  return compare(rows[0], rows[1], rows[2], bits, limits.high);
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
