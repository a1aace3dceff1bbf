// SPDX-License-Identifier: LGPL-2.1-or-later
// The lengths of gradients.

// Included once for each instruction set.
#if defined(CANNY_CPU_LENGTH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_LENGTH_INL_H_
#undef CANNY_CPU_LENGTH_INL_H_
#else
#define CANNY_CPU_LENGTH_INL_H_
#endif

#include "canny/plan.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

const hn::RebindToFloat<decltype(d32)> df32;

// The square roots of m, rounded down, as length_of_square().
HWY_INLINE V32 lengths_of_squares(V32 m) {
  const auto one = hn::Set(d32, 1);
  auto root = hn::ConvertTo(d32, hn::Sqrt(hn::ConvertTo(df32, m)));
  root = root - hn::IfThenElseZero(root * root > m, one);
  const auto next = root + one;
  return hn::IfThenElse(next * next > m, root, next);
}

// The lengths of magnitudes of deep samples, as deep_length().
HWY_INLINE auto deep_lengths(V64 magnitudes, bool are_squared) {
  const auto lengths = are_squared ? hn::Sqrt(magnitudes) : magnitudes;
  return hn::ShiftRight<kDeepUnitShift>(hn::DemoteTo(half32, lengths));
}

HWY_INLINE V32 lengths(V32 magnitudes, bool are_squared) {
  return are_squared ? lengths_of_squares(magnitudes) : magnitudes;
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
