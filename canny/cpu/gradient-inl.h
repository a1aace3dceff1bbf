// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradients of a row: magnitudes and sectors.

// Included once for each instruction set.
#if defined(CANNY_CPU_GRADIENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_GRADIENT_INL_H_
#undef CANNY_CPU_GRADIENT_INL_H_
#else
#define CANNY_CPU_GRADIENT_INL_H_
#endif

#include "canny/constants.h"
#include "canny/cpu/front.h"
#include "canny/cpu/operator-inl.h"
#include "canny/cpu/vectors-inl.h"
#include "canny/plan.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// Sectors: with t = tan(22.5 degrees) |gx| the gradient is horizontal if |gy| < t and vertical if
// |gy| > t + 2 |gx|. Unless gx = 0, t is not an integer, so |gy| < t means |gy| <= floor(t). At gx
// = gy = 0 there is no candidate. No |gy| exceeds a sum that saturates.
HWY_INLINE void find_sectors(V16 gx, V16 gy, int x, BlockBits* bits) {
  const auto ax = hn::Abs(gx), ay = hn::Abs(gy);
  const auto t = hn::MulHigh(ax, hn::Set(d16, kTangent << (16 - kTangentShift)));
  bits->steep |= bits16(ay > t) << x;
  bits->vertical |= bits16(ay > hn::SaturatedAdd(hn::SaturatedAdd(t, ax), ax)) << x;
  bits->falling |= bits16(hn::Xor(gx, gy) < hn::Zero(d16)) << x;
}

// Computes magnitudes and sectors of a row, and which magnitudes exceed the low threshold.
template <class Op, Norm kNorm>
void gradient_row(GradientRow row) {
  Op::prepare(row);
  const auto low_threshold = hn::Set(d32, row.low);
  const int blocks = row.blocks;
  std::int32_t* magnitudes = row.magnitudes;
  for (int block = 0; block < blocks; ++block) {
    const Op op(row, block * kBlock);
    BlockBits found = {};
    for (int x = 0; x < kBlock; x += kLanes16) {
      const Responses here = op.template respond<kNorm>(x);
      hn::Store(here.low, d32, magnitudes + x);
      hn::Store(here.high, d32, magnitudes + x + kLanes32);
      const Plane::Word above_low = bits32(here.low > low_threshold, here.high > low_threshold);
      found.above_low |= above_low << x;
      find_sectors(here.gx, here.gy, x, &found);
    }
    row.bits[block] = found;
    magnitudes += kBlock;
  }
}

// Replaces responses of a row by those of the next channel where these have larger magnitudes.
void take_larger(const FrontRows& rows, std::int32_t* magnitudes, BlockBits* bits) {
  const std::int32_t* next = rows.next_magnitude;
  for (int block = 0; block < rows.blocks; ++block) {
    Plane::Word larger = 0;
    for (int x = 0; x < kBlock; x += kLanes16) {
      const auto here0 = hn::Load(d32, magnitudes + x), next0 = hn::Load(d32, next + x);
      const auto here1 = hn::Load(d32, magnitudes + x + kLanes32);
      const auto next1 = hn::Load(d32, next + x + kLanes32);
      larger |= bits32(next0 > here0, next1 > here1) << x;
      hn::Store(hn::Max(here0, next0), d32, magnitudes + x);
      hn::Store(hn::Max(here1, next1), d32, magnitudes + x + kLanes32);
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

using GradientFunction = void (*)(GradientRow row);

template <class Op>
GradientFunction with_norm(Norm norm) {
  return norm == Norm::kL2 ? gradient_row<Op, Norm::kL2> : gradient_row<Op, Norm::kL1>;
}

GradientFunction gradient_function(const Plan& plan) {
  switch (plan.op) {
    case Operator::kSobel:
      break;
    case Operator::kSobel5:
      return with_norm<SobelOf5>(plan.norm);
    case Operator::kSobel7:
      return with_norm<SobelOf7>(plan.norm);
    case Operator::kScharr:
      return with_norm<Three<3, 10>>(plan.norm);
    case Operator::kPrewitt:
      return with_norm<Three<1, 1>>(plan.norm);
    case Operator::kKroon:
      return with_norm<Three<17, 61>>(plan.norm);
    case Operator::kRoberts:
      return with_norm<Roberts>(plan.norm);
    case Operator::kRobinson:
      return gradient_row<Robinson, Norm::kL1>;
    case Operator::kKirsch:
      return gradient_row<Kirsch, Norm::kL1>;
  }
  return with_norm<Three<1, 2>>(plan.norm);
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
