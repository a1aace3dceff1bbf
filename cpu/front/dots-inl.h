// SPDX-License-Identifier: LGPL-2.1-or-later
// The blur of split rows with AVX-512 VNNI, which adds the products of a lane to a sum in one
// operation. Results and their places in memory are those of split-inl.h.

// Included once for each instruction set.
#if defined(CANNY_CPU_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_DOTS_INL_H_
#undef CANNY_CPU_DOTS_INL_H_
#else
#define CANNY_CPU_DOTS_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "cpu/front/split-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// The weights of four bytes each from the left on, for the pixels 0, 4, 8 .. of a block, for 1, 5,
// 9 .. and so on.
struct QuadWindow {
  int count = 0;
  std::int32_t weights[4][kMaxRadius / 2 + 2];
};
static_assert(kMaxRadius + 3 <= CommonRows::kMargin, "sum_quads() reads 3 bytes beyond the taps");

void set_weights(const Taps& taps, QuadWindow* window) {
  std::uint8_t bytes[3 + kMaxTaps + 6] = {};
  std::copy_n(taps.weight, taps.count, bytes + 3);
  window->count = (taps.count + 3 + 3) / 4;  // the window of the last pixels is 3 further right
  for (int first = 0; first < 4; ++first)
    std::memcpy(window->weights[first], bytes + 3 - first, 4 * window->count);
}

#if HWY_TARGET <= HWY_AVX3

// Adds the four products of bytes, or the two of words, in each lane. These are assembler because
// the compiler inlines the intrinsics only into code for processors that all have VNNI.
HWY_INLINE V32 add_dots(V32 sums, V8 a, VI8 b) {
  __asm__("vpdpbusd %2, %1, %0" : "+v"(sums.raw) : "v"(a.raw), "v"(b.raw));
  return sums;
}
HWY_INLINE V32 add_dots(V32 sums, V16 a, V16 b) {
  __asm__("vpdpwssd %2, %1, %0" : "+v"(sums.raw) : "v"(a.raw), "v"(b.raw));
  return sums;
}

// As sum_bytes(). Its even lanes of even pixels are the pixels 0, 4, 8 .., and so on.
void sum_quads(int blocks, const QuadWindow& window, int radius, const std::int8_t* upper,
               const std::int8_t* lower, std::int16_t* pairs) {
  upper -= radius, lower -= radius;
  for (int x = 0; x < blocks * kBlock; x += kLanes8, pairs += 4 * kLanes16) {
    V32 upper_sums[4], lower_sums[4];
    for (int first = 0; first < 4; ++first)
      upper_sums[first] = lower_sums[first] = hn::Set(d32, kHalfSum);
    for (int i = 0; i < window.count; ++i) {
      const auto a = hn::LoadU(di8, upper + x + 4 * i), b = hn::LoadU(di8, lower + x + 4 * i);
      for (int first = 0; first < 4; ++first) {
        const auto weights = hn::BitCast(d8, hn::Set(d32, window.weights[first][i]));
        upper_sums[first] = add_dots(upper_sums[first], weights, a);
        lower_sums[first] = add_dots(lower_sums[first], weights, b);
      }
    }
    const auto store = [&](int first, int place) HWY_ATTR {
      const auto low = hn::BitCast(d16, hn::ShiftLeft<16>(lower_sums[first]));
      hn::Store(hn::OddEven(low, hn::BitCast(d16, upper_sums[first])), d16,
                pairs + place * kLanes16);
    };
    store(0, 0), store(2, 1), store(1, 2), store(3, 3);
  }
}

// Vertical sums of a row: those of the vectors that sum_quads() stores.
struct DotSums {
  V32 sums[4];

  HWY_INLINE void clear() {
    for (auto& v : sums) v = hn::Zero(d32);
  }
  HWY_INLINE void add(const V16 (&pairs)[4], V16 weights) {
    for (int i = 0; i < 4; ++i) sums[i] = add_dots(sums[i], weights, pairs[i]);
  }
  // The highest 16 bits of the even pixels (0) or the odd ones (2).
  HWY_INLINE V16 rounded(int first) const {
    const auto even = hn::BitCast(d16, hn::ShiftRight<16>(sums[first]));
    return hn::OddEven(hn::BitCast(d16, sums[first + 1]), even);
  }
};

// As sum_pairs(), of both the even and the odd pixels: with fewer sums at a time, each addition
// would wait for the one before.
void sum_pairs_with_dots(int blocks, const Window& window, const std::int16_t* pairs,
                         SplitOutput evens, SplitOutput odds) {
  const int count = window.count;
  // Copies, which no store of a loop can change.
  const std::int16_t* sums[kMaxRadius + 2];
  for (int i = 0; i <= count; ++i) sums[i] = pairs + window.pairs[i];
  for (int x = 0; x < blocks * kBlock / 2; x += kLanes16) {
    V16 v[4];
    const auto load = [&](int pair) HWY_ATTR {
      for (int i = 0; i < 4; ++i) v[i] = hn::Load(d16, sums[pair] + 4 * x + i * kLanes16);
    };
    DotSums row0, row1, row2, row3;
    row0.clear(), row1.clear(), row2.clear(), row3.clear();
    load(0);
    for (int i = 0; i < count; ++i) {
      const auto upper = pair_of_weights(window.upper[i]);
      const auto lower = pair_of_weights(window.lower[i]);
      row0.add(v, upper), row1.add(v, lower);
      load(i + 1);
      row2.add(v, upper), row3.add(v, lower);
    }
    evens.put(x, row0.rounded(0), row1.rounded(0), row2.rounded(0), row3.rounded(0));
    odds.put(x, row0.rounded(2), row1.rounded(2), row2.rounded(2), row3.rounded(2));
  }
}

#endif  // HWY_TARGET <= HWY_AVX3

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
