// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds how far from a pixel's center its edge is.

// Included once for each instruction set.
#if defined(CANNY_CPU_OFFSETS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_OFFSETS_INL_H_
#undef CANNY_CPU_OFFSETS_INL_H_
#else
#define CANNY_CPU_OFFSETS_INL_H_
#endif

#include <cmath>

#include "cpu/front/front.h"
#include "cpu/front/suppress-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// Where the parabola through three lengths has its vertex, in 1/256 of their distance. A fused
// operation would give the same: the products are exact.
std::int16_t offset_of(double before, double here, double after) {
  const double curvature = before - 2 * here + after;
  return curvature == 0
             ? std::int16_t{0}
             : static_cast<std::int16_t>(std::lrint(256 * ((before - after) / (2 * curvature))));
}

// Finds the offsets of the points of row y.
template <class Magnitude>
void find_offsets(const Neighbors<Magnitude>& at, const Plan& plan, const OffsetSink& sink, int y) {
  const auto length = [&](const Magnitude* magnitude) {
    const auto value = static_cast<double>(*magnitude);
    return plan.is_squared() ? std::sqrt(value) : value;
  };
  Offset* const offsets = sink.offsets + std::size_t{1} * sink.points.width * y;
  for (int block = 0; block < sink.points.words_per_row(); ++block) {
    const BlockBits& bits = at.bits[block];
    for (Plane::Word left = sink.points.word(block, y); left != 0; left &= left - 1) {
      const int x = block * kBlock + static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(left));
      const auto is_set = [x](Plane::Word word) { return (word >> x % kBlock & 1) != 0; };
      const int step_x = is_set(bits.vertical) ? 0 : 1;
      const int step_y = !is_set(bits.steep) ? 0 : step_x == 1 && is_set(bits.falling) ? -1 : 1;
      const Magnitude* const rows[] = {at.above, at.here, at.below};
      const std::int16_t offset =
          offset_of(length(rows[1 - step_y] + x - step_x), length(at.here + x),
                    length(rows[1 + step_y] + x + step_x));
      offsets[x] = {static_cast<std::int16_t>(step_x * offset),
                    static_cast<std::int16_t>(step_y * offset)};
    }
  }
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
