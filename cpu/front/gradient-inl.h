// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradients of a row: magnitudes, their lengths, and sectors.

// Included once for each instruction set.
#if defined(CANNY_CPU_GRADIENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_GRADIENT_INL_H_
#undef CANNY_CPU_GRADIENT_INL_H_
#else
#define CANNY_CPU_GRADIENT_INL_H_
#endif

#include <cstddef>
#include <iterator>

#include "canny/constants.h"
#include "canny/plan.h"
#include "cpu/front/front.h"
#include "cpu/front/operator-inl.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

const hn::RebindToFloat<decltype(d32)> df32;

// The lengths of magnitudes, rounded down, as length_of_square().
HWY_INLINE V32 lengths(V32 m, bool are_squared) {
  if (!are_squared) return m;
  const auto one = hn::Set(d32, 1);
  auto root = hn::ConvertTo(d32, hn::Sqrt(hn::ConvertTo(df32, m)));
  root = root - hn::IfThenElseZero(root * root > m, one);
  const auto next = root + one;
  return hn::IfThenElse(next * next > m, root, next);
}

// Likewise of deep samples, as deep_length().
HWY_INLINE auto lengths(V64 magnitudes, bool are_squared) {
  const auto lengths = are_squared ? hn::Sqrt(magnitudes) : magnitudes;
  return hn::ShiftRight<kDeepUnitShift>(hn::DemoteTo(half32, lengths));
}

// Sectors: with t = tan(22.5 degrees) |gx| the gradient is horizontal if |gy| < t and vertical if
// |gy| > t + 2 |gx|. Unless gx = 0, t is not an integer, so |gy| < t means |gy| <= floor(t). At gx
// = gy = 0 there is no candidate. No |gy| exceeds a sum that saturates.
HWY_INLINE void find_sectors(V16 gx, V16 gy, int x, BlockBits* bits) {
  const auto ax = hn::Abs(gx), ay = hn::Abs(gy);
  const auto t = hn::MulHigh(ax, hn::Set(d16, kTangent << (16 - kTangentShift)));
  bits->steep |= mask_bits(d16, ay > t) << x;
  bits->vertical |= mask_bits(d16, ay > hn::SaturatedAdd(hn::SaturatedAdd(t, ax), ax)) << x;
  bits->falling |= mask_bits(d16, hn::Xor(gx, gy) < hn::Zero(d16)) << x;
}

// Likewise of deep samples. |gx| times the tangent takes more than 32 bits, so the bits of |gx|
// below kTangentShift and those from there on are multiplied separately.
HWY_INLINE void find_sectors(V32 gx, V32 gy, int x, BlockBits* bits) {
  const auto ax = hn::Abs(gx), ay = hn::Abs(gy), tangent = hn::Set(d32, kTangent);
  const auto low_bits = hn::And(ax, hn::Set(d32, (1 << kTangentShift) - 1));
  const auto t = hn::ShiftRight<kTangentShift>(ax) * tangent +
                 hn::ShiftRight<kTangentShift>(low_bits * tangent);
  bits->steep |= mask_bits(d32, ay > t) << x;
  bits->vertical |= mask_bits(d32, ay > t + ax + ax) << x;
  bits->falling |= mask_bits(d32, hn::Xor(gx, gy) < hn::Zero(d32)) << x;
}

// Computes magnitudes and sectors of a row, and which magnitudes exceed the low threshold.
template <class Op, Norm kNorm, class Blurred, class Magnitude>
void gradient_row(GradientRow<Blurred, Magnitude> row) {
  using Lanes = MagnitudeLanes<Magnitude>;
  Op::prepare(row);
  const auto low_threshold = hn::Set(Lanes::d, row.low);
  const int blocks = row.blocks;
  Magnitude* magnitudes = row.magnitudes;
  for (int block = 0; block < blocks; ++block) {
    const auto place = Op::place(row, block * kBlock);
    BlockBits found = {};
    for (int x = 0; x < kBlock; x += 2 * Lanes::kLanes) {
      const auto here = Op::template respond<kNorm>(place, x);
      hn::Store(here.low, Lanes::d, magnitudes + x);
      hn::Store(here.high, Lanes::d, magnitudes + x + Lanes::kLanes);
      const Plane::Word above_low =
          Lanes::bits(here.low > low_threshold, here.high > low_threshold);
      found.above_low |= above_low << x;
      find_sectors(here.gx, here.gy, x, &found);
    }
    row.bits[block] = found;
    magnitudes += kBlock;
  }
}

// Replaces responses of a row by those of the next channel where these have larger magnitudes.
template <class Rows>
void take_larger(const Rows& rows, typename Rows::Magnitude* magnitudes, BlockBits* bits) {
  using Lanes = MagnitudeLanes<typename Rows::Magnitude>;
  constexpr auto d = Lanes::d;
  const auto* next = rows.next_magnitude;
  for (int block = 0; block < rows.blocks; ++block) {
    Plane::Word larger = 0;
    for (int x = 0; x < kBlock; x += 2 * Lanes::kLanes) {
      const auto here0 = hn::Load(d, magnitudes + x), next0 = hn::Load(d, next + x);
      const auto here1 = hn::Load(d, magnitudes + x + Lanes::kLanes);
      const auto next1 = hn::Load(d, next + x + Lanes::kLanes);
      larger |= Lanes::bits(next0 > here0, next1 > here1) << x;
      hn::Store(hn::Max(here0, next0), d, magnitudes + x);
      hn::Store(hn::Max(here1, next1), d, magnitudes + x + Lanes::kLanes);
    }
    const BlockBits& from = rows.next_bits[block];
    BlockBits& to = bits[block];
    to.above_low |= from.above_low;
    to.steep = (to.steep & ~larger) | (from.steep & larger);
    to.vertical = (to.vertical & ~larger) | (from.vertical & larger);
    to.falling = (to.falling & ~larger) | (from.falling & larger);
    magnitudes += kBlock, next += kBlock;
  }
}

template <class Blurred, class Magnitude>
using GradientFunction = void (*)(GradientRow<Blurred, Magnitude> row);

template <template <class> class Op, class Blurred, class Magnitude>
GradientFunction<Blurred, Magnitude> with_norm(Norm norm) {
  using OpOfRow = Op<GradientRow<Blurred, Magnitude>>;
  return norm == Norm::kL2 ? gradient_row<OpOfRow, Norm::kL2, Blurred, Magnitude>
                           : gradient_row<OpOfRow, Norm::kL1, Blurred, Magnitude>;
}

template <class Blurred, class Magnitude>
GradientFunction<Blurred, Magnitude> gradient_function(const Plan& plan) {
  using Row = GradientRow<Blurred, Magnitude>;
  const GradientFunction<Blurred, Magnitude> in_order_of_operators[] = {
      with_norm<SobelOf3, Blurred, Magnitude>(plan.norm),
      with_norm<SobelOf5, Blurred, Magnitude>(plan.norm),
      with_norm<SobelOf7, Blurred, Magnitude>(plan.norm),
      with_norm<Scharr, Blurred, Magnitude>(plan.norm),
      with_norm<Prewitt, Blurred, Magnitude>(plan.norm),
      with_norm<Kroon, Blurred, Magnitude>(plan.norm),
      with_norm<Roberts, Blurred, Magnitude>(plan.norm),
      gradient_row<Robinson<Row>, Norm::kL1, Blurred, Magnitude>,
      gradient_row<Kirsch<Row>, Norm::kL1, Blurred, Magnitude>,
  };
  static_assert(std::size(in_order_of_operators) ==
                static_cast<std::size_t>(Operator::kKirsch) + 1);
  return in_order_of_operators[static_cast<int>(plan.op)];
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
