// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the rows of views that show images or gradients.

// Included once for each instruction set.
#if defined(CANNY_CPU_VIEW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_VIEW_INL_H_
#undef CANNY_CPU_VIEW_INL_H_
#else
#define CANNY_CPU_VIEW_INL_H_
#endif

#include "canny/plan.h"
#include "canny/view.h"
#include "cpu/front/front.h"
#include "cpu/front/gradient-inl.h"
#include "cpu/front/samples-inl.h"
#include "cpu/front/suppress-inl.h"
#include "cpu/front/vectors-inl.h"
#include "cpu/output/show.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// Writes row y of the output. Values to the right of the last pixel mean nothing.
void write(const CommonRows& rows, const FrontPiece& piece, const ViewSink& sink, int y) {
  write_values(piece.plan, rows.values, {0, piece.input.width}, *sink.output, y);
}

// Shows the luma of a piece.
template <class Rows>
void show_luma(const Rows& rows, const FrontPiece& piece, const ViewSink& sink) {
  for (int y = piece.first_row; y < piece.last_row; ++y) {
    sample_row(rows, piece.input, 1, y, 0);
    store_highest(rows, rows.values);
    write(rows, piece, sink, y);
  }
}

// Sets values to lengths over the operator's gain. Lengths are below 2^16 and gains below 2^7, so
// no quotient of floats rounds up to an integer.
template <class Rows>
void set_heights(const Rows& rows, const Plan& plan, const typename Rows::Magnitude* magnitudes) {
  using Lanes = MagnitudeLanes<typename Rows::Magnitude>;
  constexpr auto d = Lanes::d;
  const hn::Rebind<std::int32_t, decltype(d)> integers;
  const hn::Rebind<float, decltype(d)> floats;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const auto gain = hn::Set(floats, static_cast<float>(operator_gain(plan.weights)));
  const bool are_squared = plan.is_squared();
  for (int x = 0; x < rows.blocks * kBlock; x += Lanes::kLanes) {
    const auto length = hn::ConvertTo(floats, lengths(hn::Load(d, magnitudes + x), are_squared));
    hn::Store(hn::DemoteTo(bytes, hn::ConvertTo(integers, length / gain)), bytes, rows.values + x);
  }
}

// Clears the values of pixels that suppression does not keep.
template <class Magnitude>
void clear_suppressed(const CommonRows& rows, const Neighbors<Magnitude>& at) {
  for (int block = 0; block < rows.blocks; ++block) {
    const int x = block * kBlock;
    const Plane::Word kept =
        compare(at.above + x, at.here + x, at.below + x, at.bits[block], Magnitude{0}).kept;
    for (int i = 0; i < kBlock; ++i)
      if ((kept >> i & 1) == 0) rows.values[x + i] = 0;
  }
}

// Sets values to directions, of gradients with a length.
void set_directions(const CommonRows& rows, const BlockBits* bits) {
  for (int block = 0; block < rows.blocks; ++block) {
    const BlockBits& at = bits[block];
    for (int i = 0; i < kBlock; ++i) {
      const auto is_set = [i](Plane::Word word) { return (word >> i & 1) != 0; };
      const std::uint8_t diagonal = is_set(at.falling) ? kRisingValue : kFallingValue;
      const std::uint8_t steep = is_set(at.vertical) ? kVerticalValue : diagonal;
      const std::uint8_t direction = is_set(at.steep) ? steep : kHorizontalValue;
      rows.values[block * kBlock + i] = is_set(at.above_low) ? direction : 0;
    }
  }
}

// Shows row y of blurred pixels or of their gradients.
template <class Rows>
void show_row(const Rows& rows, const FrontPiece& piece, const ViewSink& sink,
              const typename Rows::Blurred* blurred, int y) {
  const auto at = neighbors(rows, piece, y);
  const View view = piece.plan.view;
  if (view == View::kBlurred) store_highest(rows.blocks, blurred, rows.values);
  if (view == View::kGradient || view == View::kSuppressed) set_heights(rows, piece.plan, at.here);
  if (view == View::kSuppressed) clear_suppressed(rows, at);
  if (view == View::kDirection) set_directions(rows, at.bits);
  write(rows, piece, sink, y);
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
