// SPDX-License-Identifier: LGPL-2.1-or-later
// The blur of 8-bit luma with its rows split: one vector has the pixels 0, 2, 4 .. of a block and
// another one the pixels 1, 3, 5 .., since sums of products of adjacent bytes come out like that.

// Included once for each instruction set.
#if defined(CANNY_CPU_SPLIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_SPLIT_INL_H_
#undef CANNY_CPU_SPLIT_INL_H_
#else
#define CANNY_CPU_SPLIT_INL_H_
#endif

#include "cpu/front/blur-inl.h"
#include "cpu/front/front.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// The weights of pairs of bytes from the left on, for the even and for the odd pixels.
struct ByteWindow {
  int count = 0;
  std::uint16_t even[kMaxRadius + 1], odd[kMaxRadius + 1];
};

void set_weights(const Taps& taps, ByteWindow* window) {
  const auto weight = [&](int i) { return i < 0 || i >= taps.count ? 0 : taps.weight[i]; };
  window->count = taps.radius() + 1;
  for (int i = 0; i < window->count; ++i) {
    window->even[i] = byte_pair(weight(2 * i), weight(2 * i + 1));
    window->odd[i] = byte_pair(weight(2 * i - 1), weight(2 * i));
  }
}

// With this many pairs, windows have loops of their own: the default sigma's.
constexpr int kUsualPairs = 5;

// Where the loops are unrolled, additions must keep their order: GCC would multiply everything
// first and then add up, with more products in flight than there are registers.
template <int kPairs>
constexpr bool kIsUnrolled = kPairs > 0;

// Interleaves the lanes of two rows for vertical sums: the even lanes, and the odd ones.
HWY_INLINE void store_pairs(V16 upper, V16 lower, std::int16_t* pairs) {
  const auto even = hn::BitCast(d16, hn::ShiftLeft<16>(hn::BitCast(d32, lower)));
  const auto odd = hn::BitCast(d16, hn::ShiftRight<16>(hn::BitCast(d32, upper)));
  hn::Store(hn::OddEven(even, upper), d16, pairs);
  hn::Store(hn::OddEven(lower, odd), d16, pairs + kLanes16);
}

// The weights of one kind in a ByteWindow, as vectors.
template <int kMost>
class WeightVectors {
 public:
  WeightVectors(const std::uint16_t* pairs, int count) : pairs_(pairs) {
    if (!kAreStored) return;
    for (int i = 0; i < count; ++i) hn::Store(repeat(i), d8, vectors_ + i * kLanes8);
  }
  HWY_INLINE V8 operator[](int i) const {
    return kAreStored ? in_register(hn::Load(d8, vectors_ + i * kLanes8)) : repeat(i);
  }

 private:
  // SSE takes several operations to repeat 16 bits.
  static constexpr bool kAreStored = HWY_ARCH_X86 && kLanes8 == 16;

  HWY_INLINE V8 repeat(int i) const { return hn::BitCast(d8, hn::Set(du16, pairs_[i])); }

  const std::uint16_t* pairs_;
  HWY_ALIGN std::uint8_t vectors_[kAreStored ? kMost * kLanes8 : 1];
};

// Half of a unit of the luma, which rounds vertical sums, spread over horizontal ones.
constexpr std::int16_t kHalfSum = 128;

// Horizontal sums of two rows of luma less 128, plus kHalfSum. No sum of a part of the taps exceeds
// 16 bits, for the taps are positive and add up to 256. kPairs = 0 stands for any number.
template <int kPairs>
void sum_bytes(int blocks, const ByteWindow& window, const std::int8_t* upper,
               const std::int8_t* lower, std::int16_t* pairs) {
  const int count = kPairs > 0 ? kPairs : window.count;
  constexpr int kMost = kPairs > 0 ? kPairs : kMaxRadius + 1;
  const WeightVectors<kMost> even_weights(window.even, count), odd_weights(window.odd, count);
  upper -= count - 1, lower -= count - 1;
  for (int x = 0; x < blocks * kBlock; x += kLanes8, pairs += 4 * kLanes16) {
    V16 upper_even = hn::Set(d16, kHalfSum), upper_odd = upper_even;
    V16 lower_even = upper_even, lower_odd = upper_even;
    for (int i = 0; i < count; ++i) {
      const auto even = even_weights[i], odd = odd_weights[i];
      const auto a = in_register(hn::LoadU(di8, upper + x + 2 * i));
      const auto b = in_register(hn::LoadU(di8, lower + x + 2 * i));
      upper_even = upper_even + multiply_pairs(even, a);
      upper_odd = upper_odd + multiply_pairs(odd, a);
      lower_even = lower_even + multiply_pairs(even, b);
      lower_odd = lower_odd + multiply_pairs(odd, b);
      if (!kIsUnrolled<kPairs>) continue;
      upper_even = in_register(upper_even), upper_odd = in_register(upper_odd);
      lower_even = in_register(lower_even), lower_odd = in_register(lower_odd);
    }
    store_pairs(upper_even, lower_even, pairs);
    store_pairs(upper_odd, lower_odd, pairs + 2 * kLanes16);
  }
}

// Where the even or the odd pixels of four blurred rows go, less 128.
struct SplitOutput {
  std::int16_t* last;     // the row above them, which the lowest one replaces
  std::int16_t* sums[4];  // of each row and the one above it

  HWY_INLINE void put(int x, V16 row0, V16 row1, V16 row2, V16 row3) const {
    hn::Store(hn::Load(d16, last + x) + row0, d16, sums[0] + x);
    hn::Store(row0 + row1, d16, sums[1] + x);
    hn::Store(row1 + row2, d16, sums[2] + x);
    hn::Store(row2 + row3, d16, sums[3] + x);
    hn::Store(row3, d16, last + x);
  }
};

// Vertical sums of a row's even or odd pixels: those of their even lanes, and of their odd ones.
// 256 * 256 * 128 fits 32 bits.
struct VerticalSums {
  ProductSums even, odd;

  HWY_INLINE void add(V16 even_pairs, V16 odd_pairs, V16 weights) {
    add_products(even_pairs, weights, even);
    add_products(odd_pairs, weights, odd);
  }
  HWY_INLINE void keep_order() {
    even.first = in_register(even.first), odd.first = in_register(odd.first);
  }
  // The highest 16 bits.
  HWY_INLINE V16 rounded() const {
    const auto evens = hn::BitCast(d16, hn::ShiftRight<16>(total(even)));
    return hn::OddEven(hn::BitCast(d16, total(odd)), evens);
  }
};

HWY_INLINE VerticalSums no_vertical_sums() { return {no_products(), no_products()}; }

// Blurs the even or the odd pixels of four rows. The window of the lower two begins a pair further
// down, so both share the weights, and each pair but the first and the last is loaded once.
template <int kPairs>
void sum_pairs(int blocks, const Window& window, const std::int16_t* pairs, SplitOutput output) {
  const int count = kPairs > 0 ? kPairs : window.count;
  // Copies, which no store of a loop can change.
  constexpr int kMost = kPairs > 0 ? kPairs : kMaxRadius + 1;
  const std::int16_t* sums[kMost + 1];
  HWY_ALIGN std::int16_t upper_weights[kMost * kLanes16], lower_weights[kMost * kLanes16];
  for (int i = 0; i <= count; ++i) sums[i] = pairs + window.pairs[i];
  for (int i = 0; i < count; ++i) {
    hn::Store(pair_of_weights(window.upper[i]), d16, upper_weights + i * kLanes16);
    hn::Store(pair_of_weights(window.lower[i]), d16, lower_weights + i * kLanes16);
  }
  for (int x = 0; x < blocks * kBlock / 2; x += kLanes16) {
    const auto even = [x](const std::int16_t* p) HWY_ATTR { return hn::Load(d16, p + 4 * x); };
    const auto odd = [even](const std::int16_t* p) HWY_ATTR { return even(p + kLanes16); };
    auto row0 = no_vertical_sums(), row1 = row0, row2 = row0, row3 = row0;
    V16 a = even(sums[0]), b = odd(sums[0]);
    for (int i = 0; i < count; ++i) {
      const auto upper = in_register(hn::Load(d16, upper_weights + i * kLanes16));
      const auto lower = in_register(hn::Load(d16, lower_weights + i * kLanes16));
      row0.add(a, b, upper);
      row1.add(a, b, lower);
      a = in_register(even(sums[i + 1])), b = in_register(odd(sums[i + 1]));
      row2.add(a, b, upper);
      row3.add(a, b, lower);
      if (!kIsUnrolled<kPairs>) continue;
      row0.keep_order(), row1.keep_order(), row2.keep_order(), row3.keep_order();
    }
    output.put(x, row0.rounded(), row1.rounded(), row2.rounded(), row3.rounded());
  }
}

// Four rows without a blur.
void split_bytes(int blocks, std::int8_t* const (&rows)[4], SplitOutput evens, SplitOutput odds) {
  for (int x = 0; x < blocks * kBlock / 2; x += kLanes16) {
    const auto at = [x](const std::int8_t* row) HWY_ATTR { return hn::Load(di8, row + 2 * x); };
    const auto a = at(rows[0]), b = at(rows[1]), c = at(rows[2]), d = at(rows[3]);
    evens.put(x, even(a), even(b), even(c), even(d));
    odds.put(x, odd(a), odd(b), odd(c), odd(d));
  }
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
