// SPDX-License-Identifier: LGPL-2.1-or-later
// The two passes of the Gaussian blur.

// Included once for each instruction set.
#if defined(CANNY_CPU_BLUR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_BLUR_INL_H_
#undef CANNY_CPU_BLUR_INL_H_
#else
#define CANNY_CPU_BLUR_INL_H_
#endif

#include <algorithm>

#include "canny/cpu/front.h"
#include "canny/cpu/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// Horizontal sums of a row of samples, less 32768. 256 * 255 fits 16 unsigned bits. The upper row
// of a pair is stored; the lower one is interleaved with it within the 128-bit blocks of vectors,
// as vertical() multiplies them.
template <bool kUpper>
void horizontal(int blocks, const ChannelRows& rows, const Taps& taps, std::int16_t* pair) {
  const int radius = taps.radius(), width = blocks * kBlock;
  const std::uint16_t *weight = taps.weight + radius, *row = rows.samples;
  std::int16_t* upper_sums = rows.upper_sums;
  const auto put = [&](int x, decltype(hn::Zero(du16)) sum) HWY_ATTR {
    const auto v = hn::BitCast(d16, hn::Xor(sum, hn::Set(du16, 0x8000)));
    if (kUpper) {
      hn::Store(v, d16, upper_sums + x);
      return;
    }
    const auto upper = hn::Load(d16, upper_sums + x);
    hn::Store(hn::InterleaveLower(d16, upper, v), d16, pair + 2 * x);
    hn::Store(hn::InterleaveUpper(d16, upper, v), d16, pair + 2 * x + kLanes16);
  };
  for (int x = 0; x < width; x += 2 * kLanes16, row += 2 * kLanes16) {
    auto w = hn::Set(du16, weight[0]);
    auto sum0 = w * hn::Load(du16, row), sum1 = w * hn::Load(du16, row + kLanes16);
    for (int i = 1; i <= radius; ++i) {
      w = hn::Set(du16, weight[i]);
      sum0 = sum0 + w * (hn::LoadU(du16, row - i) + hn::LoadU(du16, row + i));
      sum1 = sum1 + w * (hn::LoadU(du16, row + kLanes16 - i) + hn::LoadU(du16, row + kLanes16 + i));
    }
    put(x, sum0);
    put(x + kLanes16, sum1);
  }
}

// The factors of vertical(): the pairs of a window of rows from the top, and two weights for each
// pair, with the upper row's in the low half. The window of the upper blurred row begins with the
// first row of the first pair, and the window of the lower one with the second row.
struct Window {
  int count = 0;
  const std::int16_t* pairs[kMaxRadius + 1];
  std::int32_t upper[kMaxRadius + 1], lower[kMaxRadius + 1];
};

void set_weights(const Taps& taps, Window* window) {
  const auto weight = [&](int i) { return i < 0 || i >= taps.count ? 0 : taps.weight[i]; };
  window->count = taps.radius() + 1;
  for (int i = 0; i < window->count; ++i) {
    window->upper[i] = weight(2 * i) | weight(2 * i + 1) << 16;
    window->lower[i] = weight(2 * i - 1) | weight(2 * i) << 16;
  }
}

// Sums of both rows of pairs, for the lower and the upper halves of blocks. Each is spread over two
// vectors in an order that depends on the instruction set.
struct ColumnSums {
  V32 low, low2, high, high2;
};

HWY_INLINE ColumnSums no_sums() {
  return {hn::Zero(d32), hn::Zero(d32), hn::Zero(d32), hn::Zero(d32)};
}

HWY_INLINE void add_pair(V16 low, V16 high, V16 weights, ColumnSums& sums) {
  sums.low = hn::ReorderWidenMulAccumulate(d32, low, weights, sums.low, sums.low2);
  sums.high = hn::ReorderWidenMulAccumulate(d32, high, weights, sums.high, sums.high2);
}

HWY_INLINE void store_sums(const ColumnSums& sums, std::int16_t* out) {
  // Adds back what horizontal() subtracted, 256 * 32768, and half a unit for rounding.
  const auto rest = hn::Set(d32, 256 * 32768 + 32768);
  const auto low = hn::RearrangeToOddPlusEven(sums.low, sums.low2) + rest;
  const auto high = hn::RearrangeToOddPlusEven(sums.high, sums.high2) + rest;
  hn::Store(hn::ReorderDemote2To(d16, hn::ShiftRight<16>(low), hn::ShiftRight<16>(high)), d16, out);
}

// Computes vertical sums of two rows and rounds them, once in the blur. 256 * 256 * 255 fits 32
// bits.
void vertical(int blocks, const Window& window, std::int16_t* upper, std::int16_t* lower) {
  const auto weights = [](const std::int32_t* pair)
                           HWY_ATTR { return hn::BitCast(d16, hn::Set(d32, *pair)); };
  for (int x = 0; x < blocks * kBlock; x += 2 * kLanes16) {
    auto upper0 = no_sums(), upper1 = no_sums(), lower0 = no_sums(), lower1 = no_sums();
    for (int i = 0; i < window.count; ++i) {
      const std::int16_t* sums = window.pairs[i] + 2 * x;
      const auto upper_weights = weights(&window.upper[i]);
      const auto lower_weights = weights(&window.lower[i]);
      const auto a = hn::Load(d16, sums), b = hn::Load(d16, sums + kLanes16);
      add_pair(a, b, upper_weights, upper0);
      add_pair(a, b, lower_weights, lower0);
      const auto c = hn::Load(d16, sums + 2 * kLanes16), d = hn::Load(d16, sums + 3 * kLanes16);
      add_pair(c, d, upper_weights, upper1);
      add_pair(c, d, lower_weights, lower1);
    }
    store_sums(upper0, upper + x);
    store_sums(upper1, upper + x + kLanes16);
    store_sums(lower0, lower + x);
    store_sums(lower1, lower + x + kLanes16);
  }
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
