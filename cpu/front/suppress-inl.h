// SPDX-License-Identifier: LGPL-2.1-or-later
// Non-maximum suppression and the double threshold of a row.

// Included once for each instruction set.
#if defined(CANNY_CPU_SUPPRESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_SUPPRESS_INL_H_
#undef CANNY_CPU_SUPPRESS_INL_H_
#else
#define CANNY_CPU_SUPPRESS_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "cpu/front/front.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// The candidates of a block, and the strong pixels among them.
struct Maxima {
  Plane::Word kept, strong;
};

template <class D>
HWY_INLINE hn::Mask<D> mask_at(D d, std::uint64_t bits, int x) {
  bits >>= x;
  std::uint8_t bytes[sizeof bits];
  std::memcpy(bytes, &bits, sizeof bits);
  return hn::LoadMaskBits(d, bytes);
}

// Compares pixels with their neighbors along the gradient, and with the high threshold. Along rows
// and columns, a pixel must exceed the first neighbor and not be below the second, that is, exceed
// the second minus 1.
template <class Magnitude>
HWY_INLINE Maxima compare(const Magnitude* above, const Magnitude* here, const Magnitude* below,
                          const BlockBits& bits, Magnitude high) {
  using Lanes = MagnitudeLanes<Magnitude>;
  constexpr auto d = Lanes::d;
  const Plane::Word diagonal = bits.steep & ~bits.vertical;
  const Plane::Word vertical = bits.vertical, falling = diagonal & bits.falling;
  const Plane::Word rising = diagonal & ~bits.falling;
  Maxima maxima = {};
  const auto high_threshold = hn::Set(d, high), one = hn::Set(d, 1);
  const auto at = [&](const Magnitude* p) HWY_ATTR { return hn::LoadU(d, p); };
  const auto largest = [&](int x) HWY_ATTR {
    auto neighbor = hn::Max(at(here + x - 1), at(here + x + 1) - one);
    neighbor = hn::IfThenElse(mask_at(d, vertical, x), hn::Max(at(above + x), at(below + x) - one),
                              neighbor);
    neighbor = hn::IfThenElse(mask_at(d, falling, x), hn::Max(at(above + x + 1), at(below + x - 1)),
                              neighbor);
    return hn::IfThenElse(mask_at(d, rising, x), hn::Max(at(above + x - 1), at(below + x + 1)),
                          neighbor);
  };
  for (int x = 0; x < kBlock; x += 2 * Lanes::kLanes) {
    const auto m0 = hn::Load(d, here + x), m1 = hn::Load(d, here + x + Lanes::kLanes);
    maxima.kept |= Lanes::bits(m0 > largest(x), m1 > largest(x + Lanes::kLanes)) << x;
    maxima.strong |= Lanes::bits(m0 > high_threshold, m1 > high_threshold) << x;
  }
  maxima.kept &= bits.above_low;
  maxima.strong &= maxima.kept;
  return maxima;
}

// Likewise without suppression.
template <class Magnitude>
HWY_INLINE Maxima exceed(const Magnitude* here, const BlockBits& bits, Magnitude high) {
  using Lanes = MagnitudeLanes<Magnitude>;
  constexpr auto d = Lanes::d;
  const auto high_threshold = hn::Set(d, high);
  Maxima maxima = {bits.above_low, 0};
  for (int x = 0; x < kBlock; x += 2 * Lanes::kLanes) {
    const auto m0 = hn::Load(d, here + x), m1 = hn::Load(d, here + x + Lanes::kLanes);
    maxima.strong |= Lanes::bits(m0 > high_threshold, m1 > high_threshold) << x;
  }
  maxima.strong &= maxima.kept;
  return maxima;
}

// A row of magnitudes and bits, and the magnitudes of the rows around it.
template <class Magnitude>
struct Neighbors {
  const Magnitude *above, *here, *below;
  const BlockBits* bits;
};

template <class Rows>
Neighbors<typename Rows::Magnitude> neighbors(const Rows& rows, const FrontPiece& piece, int y) {
  const auto magnitude = [&](int row) {
    const bool inside = row >= 0 && row < piece.input.height;
    return inside ? rows.magnitude[row % Rows::kDepth] : rows.outside;
  };
  return {magnitude(y - 1), magnitude(y), magnitude(y + 1), rows.bits[y % Rows::kDepth]};
}

// The thresholds of a piece.
const Thresholds& limits(const FrontRows&, const FrontPiece& piece) { return piece.thresholds; }
BasicThresholds<double> limits(const DeepRows&, const FrontPiece& piece) {
  const auto [low, high] = piece.deep_thresholds;
  return {static_cast<double>(low), static_cast<double>(high)};
}

// Applies non-maximum suppression, unless edges may be thick, and the double threshold to row y.
template <bool kThin, class Rows>
void suppress(const Rows& rows, const FrontPiece& piece, const BitsSink& sink, int y) {
  auto [above, here, below, bits] = neighbors(rows, piece, y);
  Plane::Word *candidate = sink.candidate.row(y), *strong = sink.strong.row(y);
  const typename Rows::Magnitude high = limits(rows, piece).high;
  const int blocks = rows.blocks;
  for (int block = 0; block < blocks; ++block) {
    Maxima maxima = {};
    if (bits[block].above_low != 0) {
      maxima =
          kThin ? compare(above, here, below, bits[block], high) : exceed(here, bits[block], high);
    }
    candidate[block] = maxima.kept;
    strong[block] = maxima.strong;
    above += kBlock, here += kBlock, below += kBlock;
  }
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
