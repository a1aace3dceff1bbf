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

#include "cpu/front/deep-inl.h"
#include "cpu/front/front.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// Sums of products of two samples each, for the lower and the upper halves of 128-bit blocks.
struct PairSums {
  ProductSums lower, upper;
};

HWY_INLINE PairSums no_sums() { return {no_products(), no_products()}; }

HWY_INLINE void add_pair(V16 lower, V16 upper, V16 weights, PairSums& sums) {
  add_products(lower, weights, sums.lower);
  add_products(upper, weights, sums.upper);
}

// Stores horizontal sums of the upper row of a pair. Interleaves those of the lower one with them
// within the 128-bit blocks of vectors, as vertical() multiplies them.
template <bool kUpper>
HWY_INLINE void put_sums(V16 v, std::int16_t* upper_sums, std::int16_t* pair) {
  if (kUpper) {
    hn::Store(v, d16, upper_sums);
    return;
  }
  const auto upper = hn::Load(d16, upper_sums);
  hn::Store(hn::InterleaveLower(d16, upper, v), d16, pair);
  hn::Store(hn::InterleaveUpper(d16, upper, v), d16, pair + kLanes16);
}

// Horizontal sums of a row of samples, less 32768. 256 * 255 fits 16 unsigned bits.
template <bool kUpper>
void horizontal(int blocks, const ChannelRows& rows, const Taps& taps, std::size_t pair_place) {
  const int radius = taps.radius(), width = blocks * kBlock;
  const std::uint16_t *weight = taps.weight + radius, *row = rows.samples;
  std::int16_t *upper_sums = rows.sums.upper, *pair = rows.sums.pairs + pair_place;
  const auto put = [&](int x, decltype(hn::Zero(du16)) sum) HWY_ATTR {
    const auto v = hn::BitCast(d16, hn::Xor(sum, hn::Set(du16, 0x8000)));
    put_sums<kUpper>(v, upper_sums + x, pair + 2 * x);
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

// Likewise of deep samples less 32768: sums less 2^23, which fit 24 signed bits. They are split
// into 16 signed bits and the lowest 8.
template <bool kUpper>
void horizontal(int blocks, const DeepChannelRows& rows, const Taps& taps, std::size_t pair_place) {
  const int radius = taps.radius(), width = blocks * kBlock;
  const std::uint16_t* weight = taps.weight + radius;
  const auto* row = reinterpret_cast<const std::int16_t*>(rows.samples);
  const auto put = [&](int x, const SumRows& sums, V16 v) HWY_ATTR {
    put_sums<kUpper>(v, sums.upper + x, sums.pairs + pair_place + 2 * x);
  };
  const auto byte = hn::Set(d32, 255);
  for (int x = 0; x < width; x += kLanes16, row += kLanes16) {
    auto sums = no_sums();
    const auto middle = hn::Load(d16, row), none = hn::Zero(d16);
    const auto w = hn::Set(d16, static_cast<std::int16_t>(weight[0]));
    add_pair(hn::InterleaveLower(d16, middle, none), hn::InterleaveUpper(d16, middle, none), w,
             sums);
    for (int i = 1; i <= radius; ++i) {
      const auto left = hn::LoadU(d16, row - i), right = hn::LoadU(d16, row + i);
      add_pair(hn::InterleaveLower(d16, left, right), hn::InterleaveUpper(d16, left, right),
               hn::Set(d16, static_cast<std::int16_t>(weight[i])), sums);
    }
    const V32 low = total(sums.lower), high = total(sums.upper);
    put(x, rows.sums, hn::ReorderDemote2To(d16, hn::ShiftRight<8>(low), hn::ShiftRight<8>(high)));
    put(x, rows.byte_sums, hn::ReorderDemote2To(d16, hn::And(low, byte), hn::And(high, byte)));
  }
}

// The factors of vertical(): the places of the pairs of a window of rows from the top, and two
// weights for each pair, with the upper row's in the low half. The window of the upper blurred row
// begins with the first row of the first pair, and the window of the lower one with the second row.
struct Window {
  int count = 0;
  std::size_t pairs[kMaxRadius + 2];  // and the place of the next pair
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

HWY_INLINE void store_sums(const PairSums& sums, std::int16_t* out) {
  // Adds back what horizontal() subtracted, 256 * 32768, and half a unit for rounding.
  const auto rest = hn::Set(d32, 256 * 32768 + 32768);
  const auto low = total(sums.lower) + rest, high = total(sums.upper) + rest;
  hn::Store(hn::ReorderDemote2To(d16, hn::ShiftRight<16>(low), hn::ShiftRight<16>(high)), d16, out);
}

HWY_INLINE V16 pair_of_weights(std::int32_t pair) { return hn::BitCast(d16, hn::Set(d32, pair)); }

// Computes vertical sums of two rows and rounds them, once in the blur. 256 * 256 * 255 fits 32
// bits.
void vertical(int blocks, const Window& window, const ChannelRows& rows, std::int16_t* upper,
              std::int16_t* lower) {
  const std::int16_t* pairs = rows.sums.pairs;
  for (int x = 0; x < blocks * kBlock; x += 2 * kLanes16, pairs += 4 * kLanes16) {
    auto upper0 = no_sums(), upper1 = no_sums(), lower0 = no_sums(), lower1 = no_sums();
    for (int i = 0; i < window.count; ++i) {
      const std::int16_t* sums = pairs + window.pairs[i];
      const auto upper_weights = pair_of_weights(window.upper[i]);
      const auto lower_weights = pair_of_weights(window.lower[i]);
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

// Joins both parts of sums of deep samples less 32768 and rounds them. 65536 * 32768 fits 32 bits.
HWY_INLINE V32 rounded(V32 sums, V32 byte_sums) {
  return hn::ShiftRight<16>(hn::ShiftLeft<8>(sums) + byte_sums + hn::Set(d32, 32768));
}

// Stores them, no longer less 32768.
HWY_INLINE void store_sums(const PairSums& sums, const PairSums& byte_sums, std::int32_t* out) {
  const auto v = hn::ReorderDemote2To(d16, rounded(total(sums.lower), total(byte_sums.lower)),
                                      rounded(total(sums.upper), total(byte_sums.upper)));
  const auto samples = hn::Xor(hn::BitCast(du16, v), hn::Set(du16, kHalfSample));
  const hn::Half<decltype(du16)> half;
  hn::Store(hn::PromoteTo(d32, hn::LowerHalf(half, samples)), d32, out);
  hn::Store(hn::PromoteTo(d32, hn::UpperHalf(half, samples)), d32, out + kLanes32);
}

// Likewise for deep samples.
void vertical(int blocks, const Window& window, const DeepChannelRows& rows, std::int32_t* upper,
              std::int32_t* lower) {
  const std::int16_t *pairs = rows.sums.pairs, *byte_pairs = rows.byte_sums.pairs;
  for (int x = 0; x < blocks * kBlock; x += kLanes16) {
    auto upper_sums = no_sums(), upper_byte_sums = no_sums();
    auto lower_sums = no_sums(), lower_byte_sums = no_sums();
    for (int i = 0; i < window.count; ++i) {
      const std::int16_t* sums = pairs + window.pairs[i];
      const std::int16_t* byte_sums = byte_pairs + window.pairs[i];
      const auto upper_weights = pair_of_weights(window.upper[i]);
      const auto lower_weights = pair_of_weights(window.lower[i]);
      const auto a = hn::Load(d16, sums), b = hn::Load(d16, sums + kLanes16);
      add_pair(a, b, upper_weights, upper_sums);
      add_pair(a, b, lower_weights, lower_sums);
      const auto c = hn::Load(d16, byte_sums), d = hn::Load(d16, byte_sums + kLanes16);
      add_pair(c, d, upper_weights, upper_byte_sums);
      add_pair(c, d, lower_weights, lower_byte_sums);
    }
    store_sums(upper_sums, upper_byte_sums, upper + x);
    store_sums(lower_sums, lower_byte_sums, lower + x);
    pairs += 2 * kLanes16, byte_pairs += 2 * kLanes16;
  }
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
