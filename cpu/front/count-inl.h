// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the pixels of a row from whose histogram thresholds follow.

// Included once for each instruction set.
#if defined(CANNY_CPU_COUNT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_COUNT_INL_H_
#undef CANNY_CPU_COUNT_INL_H_
#else
#define CANNY_CPU_COUNT_INL_H_
#endif

#include <algorithm>

#include "canny/plan.h"
#include "cpu/front/front.h"
#include "cpu/front/gradient-inl.h"
#include "cpu/front/samples-inl.h"
#include "cpu/front/suppress-inl.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// Adds values below kBins to the counts.
template <class Value>
void count(const CommonRows& rows, const Value* values, int width) {
  constexpr int kCounts = CommonRows::kCounts;
  std::uint32_t* counts = rows.counts;
  int x = 0;
  for (; x + kCounts <= width; x += kCounts)
    for (int i = 0; i < kCounts; ++i) ++counts[i * kBins + values[x + i]];
  for (; x < width; ++x) ++counts[values[x]];
}

// The pixels of a block whose values count.
template <bool kHasRegion>
HWY_INLINE Plane::Word counted(const FrontPiece& piece, int block, int y) {
  if (kHasRegion) return piece.region->word(block, y);
  const int left = piece.input.width - block * kBlock;
  return left < kBlock ? (Plane::Word{1} << left) - 1 : ~Plane::Word{0};
}

// Adds the values of row y that count.
template <class Value>
void count_counted(const CommonRows& rows, const FrontPiece& piece, const Value* values, int y) {
  if (piece.region == nullptr) return count(rows, values, piece.input.width);
  const Plane::Word* region = piece.region->row(y);
  for (int block = 0; block < rows.blocks; ++block, values += kBlock) {
    Plane::Word bits = region[block];
    if (bits == ~Plane::Word{0}) {
      count(rows, values, kBlock);
      continue;
    }
    for (; bits != 0; bits &= bits - 1)
      ++rows.counts[values[hwy::Num0BitsBelowLS1Bit_Nonzero64(bits)]];
  }
}

// The bins of `count` magnitudes, which begin at a cache line. Reads and writes whole vectors.
template <class Rows>
const std::uint16_t* find_bins(const Rows& rows, const Plan& plan,
                               const typename Rows::Magnitude* from, int count) {
  using Lanes = MagnitudeLanes<typename Rows::Magnitude>;
  constexpr auto d = Lanes::d;
  const hn::Rebind<std::int16_t, decltype(d)> d_bins;
  const bool is_squared = plan.is_squared();
  auto* bins = reinterpret_cast<std::int16_t*>(rows.bins);
  const int shift = plan.auto_threshold.bin_shift;
  const auto store = [&](int x) HWY_ATTR {
    const auto length = lengths(hn::Load(d, from + x), is_squared);
    hn::Store(hn::DemoteTo(d_bins, hn::ShiftRightSame(length, shift)), d_bins, bins + x);
  };
  for (int x = 0; x < count; x += 2 * Lanes::kLanes) {
    store(x);
    store(x + Lanes::kLanes);
  }
  return rows.bins;
}

// The largest magnitude of row y among those that count.
template <bool kHasRegion, class Rows>
void find_largest(const Rows& rows, const FrontPiece& piece, const typename Rows::Magnitude* row,
                  int y) {
  constexpr auto d = MagnitudeLanes<typename Rows::Magnitude>::d;
  constexpr int kLanes = MagnitudeLanes<typename Rows::Magnitude>::kLanes;
  auto largest = hn::Zero(d);
  for (int block = 0; block < rows.blocks; ++block, row += kBlock) {
    const Plane::Word bits = counted<kHasRegion>(piece, block, y);
    const bool are_all = bits == ~Plane::Word{0};
    for (int x = 0; x < kBlock && are_all; x += kLanes)
      largest = hn::Max(largest, hn::Load(d, row + x));
    for (int x = 0; x < kBlock && !are_all && bits != 0; x += kLanes)
      largest = hn::Max(largest, hn::IfThenElseZero(mask_at(d, bits, x), hn::Load(d, row + x)));
  }
  const auto most = static_cast<std::uint64_t>(hn::GetLane(hn::MaxOfLanes(d, largest)));
  *rows.largest = std::max(*rows.largest, most);
}

// Keeps the luma of a row for the next pass. Returns its highest 8 bits.
const std::uint8_t* keep_luma(const FrontRows& rows, std::uint8_t* out) {
  store_highest(rows, out);
  return out;
}
const std::uint8_t* keep_luma(const DeepRows& rows, std::uint8_t* out) {
  auto* words = reinterpret_cast<std::uint16_t*>(out);
  for (int x = 0; x < rows.blocks * kBlock; ++x)
    words[x] = rows.channels[0].samples[x] ^ kHalfSample;
  store_highest(rows, rows.values);
  return rows.values;
}

// Turns the pixels of a piece into luma and counts its highest 8 bits.
template <class Rows>
void count_luma(const Rows& rows, const FrontPiece& piece, const LumaSink& sink) {
  for (int y = piece.first_row; y < piece.last_row; ++y) {
    sample_row(rows, piece.input, 1, y, 0);
    count_counted(rows, piece, keep_luma(rows, sink.image->row(0, y)), y);
  }
}

// Writes the magnitudes of a block at these bits one after the other, and maybe up to a vector of
// others after them. Returns the place after the last one. Only AVX-512 has an instruction for it;
// Highway's tables for AVX2 cost more than this loop.
template <class Magnitude>
HWY_INLINE Magnitude* append(const Magnitude* from, Plane::Word bits, Magnitude* to) {
#if HWY_TARGET <= HWY_AVX3
  constexpr auto d = MagnitudeLanes<Magnitude>::d;
  for (int x = 0; x < kBlock; x += MagnitudeLanes<Magnitude>::kLanes) {
    const auto mask = mask_at(d, bits, x);
    hn::StoreU(hn::Compress(hn::Load(d, from + x), mask), d, to);
    to += hn::CountTrue(d, mask);
  }
#else
  for (; bits != 0; bits &= bits - 1) *to++ = from[hwy::Num0BitsBelowLS1Bit_Nonzero64(bits)];
#endif
  return to;
}

// Counts the pixels of row y that suppression keeps.
template <class Rows>
void count_maxima(const Rows& rows, const FrontPiece& piece, int y) {
  using Magnitude = typename Rows::Magnitude;
  const auto at = neighbors(rows, piece, y);
  Magnitude* maxima = rows.next_magnitude;  // free after the gradient
  for (int block = 0; block < rows.blocks; ++block) {
    const BlockBits& bits = at.bits[block];
    if (bits.above_low == 0) continue;
    const Magnitude* here = at.here + block * kBlock;
    const Plane::Word kept =
        compare(at.above + block * kBlock, here, at.below + block * kBlock, bits, Magnitude{0})
            .kept;
    maxima = append(here, kept, maxima);
  }
  const auto found = static_cast<int>(maxima - rows.next_magnitude);
  count(rows, find_bins(rows, piece.plan, rows.next_magnitude, found), found);
}

// The smallest magnitude in a bin. Bins behind that of the largest magnitude may begin beyond 32
// bits.
std::int64_t first_magnitude(const Plan& plan, int bin) {
  const int unit = plan.is_deep ? kDeepUnit : 1;
  const std::int64_t length = (std::int64_t{bin} << plan.auto_threshold.bin_shift) * unit;
  const std::int64_t magnitude = plan.is_squared() ? length * length : length;
  return std::min(magnitude, plan.bounds.magnitude + 1);
}

// The pixels of a block whose magnitudes are below a bound.
template <class Magnitude>
HWY_INLINE Plane::Word below_bound(const Magnitude* from, Magnitude bound) {
  using Lanes = MagnitudeLanes<Magnitude>;
  constexpr auto d = Lanes::d;
  const auto limit = hn::Set(d, bound);
  Plane::Word below = 0;
  for (int x = 0; x < kBlock; x += 2 * Lanes::kLanes) {
    const auto m0 = hn::Load(d, from + x), m1 = hn::Load(d, from + x + Lanes::kLanes);
    below |= Lanes::bits(m0 < limit, m1 < limit) << x;
  }
  return below;
}

// A range of this many bins is counted without finding the bin of each pixel.
constexpr int kFewBins = 4;

// Counts the magnitudes of a row within a range of bins, and those below it in the bin before it.
template <bool kHasRegion, class Rows>
void count_range(const Rows& rows, const FrontPiece& piece, const BinRange& range,
                 const typename Rows::Magnitude* row, int y) {
  using Magnitude = typename Rows::Magnitude;
  const auto [first, last] = range;
  // Between two bounds is a bin or, if there are many, the whole range.
  const bool are_few = last - first <= kFewBins;
  const int used = are_few ? last - first : 1;
  Magnitude bounds[kFewBins + 1];
  for (int i = 0; i <= used; ++i)
    bounds[i] = static_cast<Magnitude>(first_magnitude(piece.plan, i < used ? first + i : last));
  std::uint32_t below[kFewBins + 1] = {};  // pixels below each bound
  Magnitude* found = rows.next_magnitude;  // free after the gradient
  for (int block = 0; block < rows.blocks; ++block, row += kBlock) {
    Plane::Word words[kFewBins + 1];
    const Plane::Word inside = counted<kHasRegion>(piece, block, y);
    for (int i = 0; i <= used; ++i) {
      words[i] = below_bound(row, bounds[i]) & inside;
      below[i] += static_cast<std::uint32_t>(hwy::PopCount(words[i]));
    }
    if (!are_few) found = append(row, words[1] & ~words[0], found);
  }
  if (first > 0) rows.counts[first - 1] += below[0];
  if (are_few) {
    for (int i = 0; i < used; ++i) rows.counts[first + i] += below[i + 1] - below[i];
    return;
  }
  const auto count_found = static_cast<int>(found - rows.next_magnitude);
  count(rows, find_bins(rows, piece.plan, rows.next_magnitude, count_found), count_found);
}

template <class Rows>
void count_for_quantile(const Rows& rows, const FrontPiece& piece, const BinRange& range,
                        const typename Rows::Magnitude* row, int y) {
  if (range.is_whole())
    return count_counted(rows, piece, find_bins(rows, piece.plan, row, piece.input.width), y);
  return piece.region != nullptr ? count_range<true>(rows, piece, range, row, y)
                                 : count_range<false>(rows, piece, range, row, y);
}

// Counts row y of magnitudes.
template <class Rows>
void count_row(const Rows& rows, const FrontPiece& piece, const CountSink& sink, int y) {
  const auto* row = neighbors(rows, piece, y).here;
  switch (piece.plan.auto_threshold.mode) {
    case ThresholdMode::kRelative:
      return piece.region != nullptr ? find_largest<true>(rows, piece, row, y)
                                     : find_largest<false>(rows, piece, row, y);
    case ThresholdMode::kQuantile:
      return count_for_quantile(rows, piece, sink.range, row, y);
    case ThresholdMode::kOtsu:
      return count_maxima(rows, piece, y);
    case ThresholdMode::kAbsolute:
    case ThresholdMode::kMedian:
      return;
  }
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
