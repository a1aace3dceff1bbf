// SPDX-License-Identifier: LGPL-2.1-or-later
// A row in lanes of 64 pixels; one text, which Highway compiles for each instruction set.
#include "cpu/grow.h"

#include <cstring>

#include "canny.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/grow.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<std::uint64_t> d64;
using V = hn::Vec<decltype(d64)>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(d64));
constexpr int kLaneBits = 64;
constexpr int kLast = kLaneBits - 1;

// A copy of a row with zeros around it, so that vectors may run over both ends.
struct Row {
  static constexpr int kMargin = 8;
  static constexpr int kMaxWords = kMaxSide / kLaneBits;

  Row(const std::uint32_t* row, int row_words) : words((row_words + 1) / 2) {
    std::memset(words_and_margins, 0, (words + 2 * kMargin) * sizeof(std::uint64_t));
    if (row != nullptr) std::memcpy(begin(), row, row_words * sizeof *row);
  }
  std::uint64_t* begin() { return words_and_margins + kMargin; }
  const std::uint64_t* begin() const { return words_and_margins + kMargin; }

  const int words;
  alignas(64) std::uint64_t words_and_margins[kMaxWords + 2 * kMargin];
};

// The runs of `mask` that hold a bit of `seeds`, which are bits of it, within each lane. The carry
// of the sum runs upwards through the rest of a run; downwards it takes steps that double.
HWY_INLINE V fill(V mask, V seeds) {
  V filled = hn::Or(seeds, hn::AndNot(mask + seeds, mask));
  const V open = hn::And(hn::AndNot(filled, mask), hn::ShiftRight<1>(filled));
  if (hn::AllTrue(d64, open == hn::Zero(d64))) return filled;
  const auto step = [&](V shifted, V shifted_mask) HWY_ATTR {
    filled = hn::Or(filled, hn::And(mask, shifted));
    mask = hn::And(mask, shifted_mask);
  };
  step(hn::ShiftRight<1>(filled), hn::ShiftRight<1>(mask));
  step(hn::ShiftRight<2>(filled), hn::ShiftRight<2>(mask));
  step(hn::ShiftRight<4>(filled), hn::ShiftRight<4>(mask));
  step(hn::ShiftRight<8>(filled), hn::ShiftRight<8>(mask));
  step(hn::ShiftRight<16>(filled), hn::ShiftRight<16>(mask));
  step(hn::ShiftRight<32>(filled), hn::ShiftRight<32>(mask));
  return filled;
}

// The last bits of the lanes before and the first bits of those after.
HWY_INLINE V beside(const std::uint64_t* words) {
  return hn::Or(hn::ShiftRight<kLast>(hn::LoadU(d64, words - 1)),
                hn::ShiftLeft<kLast>(hn::LoadU(d64, words + 1)));
}

// Grows each lane from its own bits and those of `from`. Returns whether any bit was added.
bool grow_lanes(const Row& candidate, const Row& from, Row& edges) {
  V added = hn::Zero(d64);
  for (int i = 0; i < candidate.words; i += kLanes) {
    const V mask = hn::Load(d64, candidate.begin() + i), old = hn::Load(d64, edges.begin() + i);
    const V near = hn::Load(d64, from.begin() + i);
    const V reached = hn::Or(hn::Or(near, hn::ShiftLeft<1>(near)),
                             hn::Or(hn::ShiftRight<1>(near), beside(from.begin() + i)));
    const V filled = fill(mask, hn::Or(old, hn::And(mask, reached)));
    added = hn::Or(added, hn::Xor(filled, old));
    hn::Store(filled, d64, edges.begin() + i);
  }
  return !hn::AllTrue(d64, added == hn::Zero(d64));
}

bool runs_cross_lanes(const Row& candidate, const Row& edges) {
  V open = hn::Zero(d64);
  for (int i = 0; i < candidate.words; i += kLanes) {
    const V rest =
        hn::AndNot(hn::Load(d64, edges.begin() + i), hn::Load(d64, candidate.begin() + i));
    open = hn::Or(open, hn::And(rest, beside(edges.begin() + i)));
  }
  return !hn::AllTrue(d64, open == hn::Zero(d64));
}

// Continues runs from lane to lane, to the right and then to the left.
void carry_runs(const Row& candidate, Row& edges) {
  const std::uint64_t* mask = candidate.begin();
  std::uint64_t* words = edges.begin();
  for (int i = 1; i < edges.words; ++i) {
    const std::uint64_t seed = mask[i] & ~words[i] & words[i - 1] >> kLast;
    words[i] |= seed | (seed != 0 ? mask[i] & ~(mask[i] + seed) : 0);
  }
  for (int i = edges.words - 2; i >= 0; --i) {
    if ((mask[i] & ~words[i] & words[i + 1] << kLast) == 0) continue;
    // The run of ones at the top.
    const std::uint64_t gaps = ~mask[i];
    const int length = gaps == 0 ? kLaneBits : hwy::Num0BitsAboveMS1Bit_Nonzero64(gaps);
    words[i] |= ~std::uint64_t{0} << (kLaneBits - length);
  }
}

bool grow(const std::uint32_t* candidate_words, const std::uint32_t* from_words, int words,
          std::uint32_t* edge_words) {
  const Row candidate(candidate_words, words), from(from_words, words);
  Row edges(edge_words, words);
  bool grew = grow_lanes(candidate, from, edges);
  if (runs_cross_lanes(candidate, edges)) {
    carry_runs(candidate, edges);
    grew = true;
  }
  if (grew) std::memcpy(edge_words, edges.begin(), words * sizeof *edge_words);
  return grew;
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace canny::cpu {

HWY_EXPORT(grow);

bool grow_row(const std::uint32_t* candidate, const std::uint32_t* from, int words,
              std::uint32_t* edges) {
  return HWY_DYNAMIC_DISPATCH(grow)(candidate, from, words, edges);
}

}  // namespace canny::cpu
#endif  // HWY_ONCE
