// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradient operators in 16-bit lanes. |gx| and |gy| are at most kLargestGradient, so the L1
// norm fits 16 unsigned bits and a sum of squares fits 31 bits. Of deep samples, operators are in
// 32-bit lanes: |gx| and |gy| fit 24 bits, and a sum of squares is exact as a double.

// Included once for each instruction set.
#if defined(CANNY_CPU_OPERATOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_OPERATOR_INL_H_
#undef CANNY_CPU_OPERATOR_INL_H_
#else
#define CANNY_CPU_OPERATOR_INL_H_
#endif

#include "canny/operator.h"
#include "cpu/front/front.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

constexpr int kLargestGradient = Separable3<17, 61>::kLargest;

// A row whose gradients are computed.
template <class Blurred, class Magnitude>
struct GradientRow {
  using Sample = Blurred;

  int blocks, width;
  // The blurred rows that the operator reads, from the top down. Pixels on either side of the image
  // are replicated as far as an operator of 3 columns reads.
  const Blurred* blurred[kMaxOperatorSize];
  // Memory for the sums of larger operators, with margins.
  Blurred *smooth, *difference;
  Magnitude low;  // threshold
  Magnitude* magnitudes;
  BlockBits* bits;
};

// The responses at kLanes16 pixels, and of deep samples at kLanes32 pixels.
struct Responses {
  V32 low, high;  // magnitudes in order
  V16 gx, gy;     // the direction
};
struct DeepResponses {
  V64 low, high;
  V32 gx, gy;
};

// ---- norms ----

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

// The responses of an operator whose magnitude is that of (x, y).
template <Norm kNorm>
HWY_INLINE Responses responses(V16 x, V16 y, V16 gx, V16 gy) {
  if (kNorm == Norm::kL1) {
    const hn::Half<decltype(du16)> half;
    const auto sum = hn::BitCast(du16, hn::Abs(x)) + hn::BitCast(du16, hn::Abs(y));
    return {hn::PromoteTo(d32, hn::LowerHalf(half, sum)),
            hn::PromoteTo(d32, hn::UpperHalf(half, sum)), gx, gy};
  }
  x = spread_halves(x), y = spread_halves(y);
  const auto low = hn::InterleaveLower(d16, x, y), high = hn::InterleaveUpper(d16, x, y);
  auto low_squares = no_products(), high_squares = no_products();
  add_products(low, low, low_squares);
  add_products(high, high, high_squares);
  return {total(low_squares), total(high_squares), gx, gy};
}

template <Norm kNorm>
HWY_INLINE DeepResponses responses(V32 x, V32 y, V32 gx, V32 gy) {
  if (kNorm == Norm::kL1) {
    const auto sum = hn::Abs(x) + hn::Abs(y);
    return {lower_doubles(sum), upper_doubles(sum), gx, gy};
  }
  const auto low_x = lower_doubles(x), low_y = lower_doubles(y);
  const auto high_x = upper_doubles(x), high_y = upper_doubles(y);
  return {low_x * low_x + low_y * low_y, high_x * high_x + high_y * high_y, gx, gy};
}

template <Norm kNorm, class V>
HWY_INLINE auto responses(V gx, V gy) {
  return responses<kNorm>(gx, gy, gx, gy);
}

// ---- separable operators ----

HWY_INLINE V16 load(const std::int16_t* from) { return hn::LoadU(d16, from); }
HWY_INLINE V32 load(const std::int32_t* from) { return hn::LoadU(d32, from); }

template <class V>
HWY_INLINE V set(int value) {
  const hn::DFromV<V> d;
  return hn::Set(d, static_cast<hn::TFromV<V>>(value));
}

template <int kFactor, class V>
HWY_INLINE V times(V v) {
  if (kFactor == 1) return v;
  return kFactor == 2 ? v + v : v * set<V>(kFactor);
}

// An operator has functions that prepare a row, that say where what it reads for the pixels from x
// on is, and that respond at these pixels.

// Operators that read three rows.
template <class Row>
struct OfRows {
  struct Place {
    const typename Row::Sample *above, *here, *below;
  };
  static void prepare(const Row&) {}
  static HWY_INLINE Place place(const Row& row, int x) {
    return {row.blurred[0] + x, row.blurred[1] + x, row.blurred[2] + x};
  }
};

// 3x3 pixels: the difference -1 0 1, and the smoothing kSide kMiddle kSide.
template <class Row, int kSide, int kMiddle>
struct Three : OfRows<Row> {
  static_assert(Separable3<kSide, kMiddle>::kLargest <= kLargestGradient);

  template <Norm kNorm, class Place>
  static HWY_INLINE auto respond(const Place& at, int x) {
    const auto above_left = load(at.above + x - 1), above_right = load(at.above + x + 1);
    const auto below_left = load(at.below + x - 1), below_right = load(at.below + x + 1);
    const auto slope = load(at.here + x + 1) - load(at.here + x - 1);
    const auto falling = below_right - above_left, rising = above_right - below_left;
    const auto middle = load(at.below + x) - load(at.above + x);
    return responses<kNorm>(times<kSide>(falling + rising) + times<kMiddle>(slope),
                            times<kSide>(falling - rising) + times<kMiddle>(middle));
  }
};
template <class Row>
using SobelOf3 = Three<Row, 1, 2>;
template <class Row>
using Scharr = Three<Row, 3, 10>;
template <class Row>
using Prewitt = Three<Row, 1, 1>;
template <class Row>
using Kroon = Three<Row, 17, 61>;

// Sums columns of 2 kReach + 1 pixels with the weights smooth[i] and difference[i] at i pixels from
// the middle one.
template <int kReach, class Row>
void sum_columns(const Row& row, const std::int16_t (&smooth)[kReach + 1],
                 const std::int16_t (&difference)[kReach + 1]) {
  using Sample = typename Row::Sample;
  const hn::ScalableTag<Sample> d;
  const int width = row.blocks * kBlock;
  for (int x = 0; x < width; x += static_cast<int>(hn::MaxLanes(d))) {
    auto smooth_sum = hn::Set(d, smooth[0]) * hn::Load(d, row.blurred[kReach] + x);
    auto difference_sum = hn::Zero(d);
    for (int i = 1; i <= kReach; ++i) {
      const auto above = hn::Load(d, row.blurred[kReach - i] + x);
      const auto below = hn::Load(d, row.blurred[kReach + i] + x);
      smooth_sum = smooth_sum + hn::Set(d, smooth[i]) * (above + below);
      difference_sum = difference_sum + hn::Set(d, difference[i]) * (below - above);
    }
    hn::Store(smooth_sum, d, row.smooth + x);
    hn::Store(difference_sum, d, row.difference + x);
  }
  for (Sample* sums : {row.smooth, row.difference}) {
    for (int i = 1; i <= kReach; ++i) {
      sums[-i] = sums[0];
      sums[row.width - 1 + i] = sums[row.width - 1];
    }
  }
}

// Sums of the pixels on both sides of one, and their differences, right minus left.
template <class Sample>
HWY_INLINE auto both(const Sample* sums, int distance) {
  return load(sums - distance) + load(sums + distance);
}
template <class Sample>
HWY_INLINE auto across(const Sample* sums, int distance) {
  return load(sums + distance) - load(sums - distance);
}

// Operators that read sums of columns.
template <class Row>
struct OfColumns {
  struct Place {
    const typename Row::Sample *smooth, *difference;
  };
  static HWY_INLINE Place place(const Row& row, int x) {
    return {row.smooth + x, row.difference + x};
  }
};

// 5x5 pixels. |gx| and |gy| are at most 48 * 255.
template <class Row>
struct SobelOf5 : OfColumns<Row> {
  static void prepare(const Row& row) { sum_columns<2>(row, {6, 4, 1}, {0, 2, 1}); }

  template <Norm kNorm, class Place>
  static HWY_INLINE auto respond(const Place& at, int x) {
    const auto *smooth = at.smooth + x, *difference = at.difference + x;
    return responses<kNorm>(
        times<2>(across(smooth, 1)) + across(smooth, 2),
        times<6>(load(difference)) + times<4>(both(difference, 1)) + both(difference, 2));
  }
};

// Divides by 16 and rounds, halves to even: adds 7, or 8 to an odd quotient.
HWY_INLINE V32 divide(V32 sum) {
  const auto is_odd = hn::And(hn::ShiftRight<4>(sum), hn::Set(d32, 1));
  return hn::ShiftRight<4>(sum + hn::Set(d32, 7) + is_odd);
}

// Two weights, for interleaved lanes.
HWY_INLINE V16 weights(int even, int odd) {
  return hn::BitCast(d16, hn::Set(d32, even | odd << 16));
}

// Computes (A a + B b + C c + D d) / 16.
template <int A, int B, int C, int D>
HWY_INLINE V16 rounded_sum(V16 a, V16 b, V16 c, V16 d) {
  const V16 ab = weights(A, B), cd = weights(C, D);
  auto low = no_products(), high = no_products();
  add_products(hn::InterleaveLower(d16, a, b), ab, low);
  add_products(hn::InterleaveLower(d16, c, d), cd, low);
  add_products(hn::InterleaveUpper(d16, a, b), ab, high);
  add_products(hn::InterleaveUpper(d16, c, d), cd, high);
  return hn::ReorderDemote2To(d16, divide(total(low)), divide(total(high)));
}
template <int A, int B, int C, int D>
HWY_INLINE V32 rounded_sum(V32 a, V32 b, V32 c, V32 d) {
  return divide(times<A>(a) + times<B>(b) + times<C>(c) + times<D>(d));
}

// 7x7 pixels. Before the division |gx| and |gy| are at most 640 * 255, then 40 * 255. Sums of
// columns are at most 64 * 255 and 10 * 255.
template <class Row>
struct SobelOf7 : OfColumns<Row> {
  static void prepare(const Row& row) { sum_columns<3>(row, {20, 15, 6, 1}, {0, 5, 4, 1}); }

  template <Norm kNorm, class Place>
  static HWY_INLINE auto respond(const Place& at, int x) {
    const auto *smooth = at.smooth + x, *difference = at.difference + x;
    const auto none = set<decltype(load(smooth))>(0);
    const auto gx =
        rounded_sum<5, 4, 1, 0>(across(smooth, 1), across(smooth, 2), across(smooth, 3), none);
    const auto gy = rounded_sum<20, 15, 6, 1>(load(difference), both(difference, 1),
                                              both(difference, 2), both(difference, 3));
    return responses<kNorm>(gx, gy);
  }
};

// ---- other operators ----

// The differences along both diagonals of 2x2 pixels.
template <class Row>
struct Roberts : OfRows<Row> {
  template <Norm kNorm, class Place>
  static HWY_INLINE auto respond(const Place& at, int x) {
    const auto falling = load(at.here + x) - load(at.below + x + 1);
    const auto rising = load(at.here + x + 1) - load(at.below + x);
    return responses<kNorm>(falling, rising, rising - falling, hn::Neg(falling + rising));
  }
};

// The directions of a compass operator's masks: E, NE, N, NW, W, SW, S, SE.
constexpr int kDirections = 8;

// The responses with these magnitudes.
HWY_INLINE Responses responses_of(V16 magnitudes, V16 gx, V16 gy) {
  const hn::Half<decltype(d16)> half;
  return {hn::PromoteTo(d32, hn::LowerHalf(half, magnitudes)),
          hn::PromoteTo(d32, hn::UpperHalf(half, magnitudes)), gx, gy};
}
HWY_INLINE DeepResponses responses_of(V32 magnitudes, V32 gx, V32 gy) {
  return {lower_doubles(magnitudes), upper_doubles(magnitudes), gx, gy};
}

// The largest of the responses to masks in all directions, and the first direction that has it.
template <class V>
HWY_INLINE auto largest(const V (&masks)[kDirections]) {
  constexpr std::int16_t kGx[] = {1, 1, 0, -1, -1, -1, 0, 1};
  constexpr std::int16_t kGy[] = {0, -1, -1, -1, 0, 1, 1, 1};
  auto best = masks[0], gx = set<V>(kGx[0]), gy = set<V>(kGy[0]);
  for (int i = 1; i < kDirections; ++i) {
    const auto is_larger = masks[i] > best;
    best = hn::Max(best, masks[i]);
    gx = hn::IfThenElse(is_larger, set<V>(kGx[i]), gx);
    gy = hn::IfThenElse(is_larger, set<V>(kGy[i]), gy);
  }
  return responses_of(best, gx, gy);
}

// Loads the pixels in all directions from those at x.
template <class V, class Place>
HWY_INLINE void load_around(const Place& at, int x, V (&around)[kDirections]) {
  const hn::TFromV<V>* from[] = {at.here + 1, at.above + 1, at.above, at.above - 1,
                                 at.here - 1, at.below - 1, at.below, at.below + 1};
  for (int i = 0; i < kDirections; ++i) around[i] = load(from[i] + x);
}

// The sum of the pixels in a direction and on both sides of it.
template <class V>
HWY_INLINE V three(const V (&around)[kDirections], int direction) {
  return around[(direction + kDirections - 1) % kDirections] + around[direction] +
         around[(direction + 1) % kDirections];
}

// The mask 1 2 1 minus the same in the opposite direction.
template <class Row>
struct Robinson : OfRows<Row> {
  template <Norm, class Place>
  static HWY_INLINE auto respond(const Place& at, int x) {
    decltype(load(at.here)) around[kDirections], masks[kDirections];
    load_around(at, x, around);
    for (int i = 0; i < kDirections / 2; ++i) {
      const int back = i + kDirections / 2;
      masks[i] = three(around, i) + around[i] - three(around, back) - around[back];
      masks[back] = hn::Neg(masks[i]);
    }
    return largest(masks);
  }
};

// Three weights of 5 and five of -3: 8 times the three pixels less 3 times all.
template <class Row>
struct Kirsch : OfRows<Row> {
  template <Norm, class Place>
  static HWY_INLINE auto respond(const Place& at, int x) {
    decltype(load(at.here)) around[kDirections], masks[kDirections];
    load_around(at, x, around);
    const auto all = three(around, 1) + three(around, 4) + around[6] + around[7];
    for (int i = 0; i < kDirections; ++i) masks[i] = times<8>(three(around, i)) - times<3>(all);
    return largest(masks);
  }
};

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
