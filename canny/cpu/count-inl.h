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

#include "canny/cpu/front.h"
#include "canny/cpu/length-inl.h"
#include "canny/cpu/samples-inl.h"
#include "canny/cpu/suppress-inl.h"
#include "canny/cpu/vectors-inl.h"
#include "canny/plan.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// Adds values below kBins to the counts.
template <class Value>
void count(const FrontRows& rows, const Value* values, int width) {
  constexpr int kCounts = FrontRows::kCounts;
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
void count_counted(const FrontRows& rows, const FrontPiece& piece, const Value* values, int y) {
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
const std::uint16_t* find_bins(const FrontRows& rows, const Plan& plan, const std::int32_t* from,
                               int count) {
  const bool is_squared = plan.is_squared();
  const int shift = plan.measure.bin_shift;
  const auto bin = [&](const std::int32_t* m) HWY_ATTR {
    return hn::ShiftRightSame(lengths(hn::Load(d32, m), is_squared), shift);
  };
  const hn::Half<decltype(d16)> half;
  for (int x = 0; x < count; x += kLanes16) {
    hn::Store(hn::DemoteTo(half, bin(from + x)), half, rows.smooth + x);
    hn::Store(hn::DemoteTo(half, bin(from + x + kLanes32)), half, rows.smooth + x + kLanes32);
  }
  return reinterpret_cast<const std::uint16_t*>(rows.smooth);
}

// The largest magnitude of row y among those that count.
void find_largest_inside(const FrontRows& rows, const FrontPiece& piece, const std::int32_t* row,
                         int y) {
  auto largest = hn::Zero(d32);
  for (int block = 0; block < rows.blocks; ++block, row += kBlock) {
    const Plane::Word bits = piece.region->word(block, y);
    for (int x = 0; x < kBlock && bits != 0; x += kLanes32)
      largest = hn::Max(largest, hn::IfThenElseZero(mask_at(bits, x), hn::Load(d32, row + x)));
  }
  const auto most = static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(d32, largest)));
  *rows.largest = std::max(*rows.largest, most);
}

void find_largest(const FrontRows& rows, const std::int32_t* row, int width) {
  auto largest = hn::Zero(d32);
  int x = 0;
  for (; x + kLanes32 <= width; x += kLanes32) largest = hn::Max(largest, hn::Load(d32, row + x));
  auto most = static_cast<std::int32_t>(hn::GetLane(hn::MaxOfLanes(d32, largest)));
  for (; x < width; ++x) most = std::max(most, row[x]);
  *rows.largest = std::max(*rows.largest, static_cast<std::uint32_t>(most));
}

// Turns the pixels of a piece into luma and counts them.
void count_luma(const FrontRows& rows, const FrontPiece& piece) {
  const std::uint16_t* luma = rows.channels[0].samples;
  for (int y = piece.first_row; y < piece.last_row; ++y) {
    sample_row(rows, piece.input, 1, y, 0);
    count_counted(rows, piece, luma, y);
    store_bytes(rows.blocks, luma, piece.image->row(0, y));
  }
}

// Writes the magnitudes of a block at these bits one after the other, and maybe up to a vector of
// others after them. Returns the place after the last one. Only AVX-512 has an instruction for it;
// Highway's tables for AVX2 cost more than this loop.
HWY_INLINE std::int32_t* append(const std::int32_t* from, Plane::Word bits, std::int32_t* to) {
#if HWY_TARGET <= HWY_AVX3
  for (int x = 0; x < kBlock; x += kLanes32) {
    const auto mask = mask_at(bits, x);
    hn::StoreU(hn::Compress(hn::Load(d32, from + x), mask), d32, to);
    to += hn::CountTrue(d32, mask);
  }
#else
  for (; bits != 0; bits &= bits - 1) *to++ = from[hwy::Num0BitsBelowLS1Bit_Nonzero64(bits)];
#endif
  return to;
}

// Counts the pixels of row y that suppression keeps.
void count_maxima(const FrontRows& rows, const FrontPiece& piece, int y) {
  const Neighbors at = neighbors(rows, piece, y);
  std::int32_t* maxima = rows.next_magnitude;  // free after the gradient
  for (int block = 0; block < rows.blocks; ++block) {
    const BlockBits& bits = at.bits[block];
    if (bits.above_low == 0) continue;
    const std::int32_t* here = at.here + block * kBlock;
    const Plane::Word kept =
        compare(at.above + block * kBlock, here, at.below + block * kBlock, bits, 0).kept;
    maxima = append(here, kept, maxima);
  }
  const auto found = static_cast<int>(maxima - rows.next_magnitude);
  count(rows, find_bins(rows, piece.plan, rows.next_magnitude, found), found);
}

// The smallest magnitude in a bin. Bins behind that of the largest magnitude may begin beyond 32
// bits.
std::int32_t first_magnitude(const Plan& plan, int bin) {
  const std::int64_t length = std::int64_t{bin} << plan.measure.bin_shift;
  const std::int64_t magnitude = plan.is_squared() ? length * length : length;
  return static_cast<std::int32_t>(std::min<std::int64_t>(magnitude, plan.bounds.magnitude + 1));
}

// The pixels of a block whose magnitudes are below a bound.
HWY_INLINE Plane::Word below_bound(const std::int32_t* from, std::int32_t bound) {
  const auto limit = hn::Set(d32, bound);
  Plane::Word below = 0;
  for (int x = 0; x < kBlock; x += kLanes16)
    below |= bits32(hn::Load(d32, from + x) < limit, hn::Load(d32, from + x + kLanes32) < limit)
             << x;
  return below;
}

// A range of this many bins is counted without finding the bin of each pixel.
constexpr int kFewBins = 4;

// Counts the magnitudes of a row within a range of bins, and those below it in the bin before it.
template <bool kHasRegion>
void count_range(const FrontRows& rows, const FrontPiece& piece, const std::int32_t* row, int y) {
  const auto [first, last] = piece.range;
  // Between two bounds is a bin or, if there are many, the whole range.
  const bool are_few = last - first <= kFewBins;
  const int used = are_few ? last - first : 1;
  std::int32_t bounds[kFewBins + 1];
  for (int i = 0; i <= used; ++i)
    bounds[i] = first_magnitude(piece.plan, i < used ? first + i : last);
  std::uint32_t below[kFewBins + 1] = {};     // pixels below each bound
  std::int32_t* found = rows.next_magnitude;  // free after the gradient
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

void count_for_quantile(const FrontRows& rows, const FrontPiece& piece, const std::int32_t* row,
                        int y) {
  if (piece.range.is_whole())
    return count_counted(rows, piece, find_bins(rows, piece.plan, row, piece.input.width), y);
  return piece.region != nullptr ? count_range<true>(rows, piece, row, y)
                                 : count_range<false>(rows, piece, row, y);
}

// Counts row y of magnitudes.
void count_row(const FrontRows& rows, const FrontPiece& piece, int y) {
  const int width = piece.input.width;
  const std::int32_t* row = neighbors(rows, piece, y).here;
  switch (piece.plan.measure.mode) {
    case ThresholdMode::kRelative:
      return piece.region != nullptr ? find_largest_inside(rows, piece, row, y)
                                     : find_largest(rows, row, width);
    case ThresholdMode::kQuantile:
      return count_for_quantile(rows, piece, row, y);
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
