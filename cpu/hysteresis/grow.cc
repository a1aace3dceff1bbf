// SPDX-License-Identifier: LGPL-2.1-or-later
// Grows rows in vectors of words. A lane holds 64 pixels where edges cross tiles, and 32, a tile's
// width, where they stay within tiles. The last vector of a row overlaps the one before it; growing
// a word twice does no harm. Highway compiles this file for each instruction set.
#include "cpu/hysteresis/grow.h"

#include <algorithm>

#include "canny/bits.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/hysteresis/grow.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Word = Plane::Word;

template <class V>
HWY_INLINE bool none(V v) {
  const hn::DFromV<V> d;
  return hn::AllTrue(d, v == hn::Zero(d));
}

// The runs of `mask` that contain a bit of `seeds`, a subset of it, within each lane. The carry of
// the sum runs upwards through the rest of a run; downwards, steps double in length.
template <class V>
HWY_INLINE V fill(V mask, V seeds) {
  V filled = hn::Or(seeds, hn::AndNot(mask + seeds, mask));
  if (none(hn::And(hn::AndNot(filled, mask), hn::ShiftRight<1>(filled)))) return filled;
  const auto step = [&](V shifted, V shifted_mask) HWY_ATTR {
    filled = hn::Or(filled, hn::And(mask, shifted));
    mask = hn::And(mask, shifted_mask);
  };
  step(hn::ShiftRight<1>(filled), hn::ShiftRight<1>(mask));
  step(hn::ShiftRight<2>(filled), hn::ShiftRight<2>(mask));
  step(hn::ShiftRight<4>(filled), hn::ShiftRight<4>(mask));
  step(hn::ShiftRight<8>(filled), hn::ShiftRight<8>(mask));
  constexpr int kHalf = 4 * sizeof(hn::TFromV<V>);
  if (kHalf > 16) step(hn::ShiftRight<16>(filled), hn::ShiftRight<16>(mask));
  step(hn::ShiftRight<kHalf>(filled), hn::ShiftRight<kHalf>(mask));
  return filled;
}

// The last bit of the lane before and the first bit of the lane after, for each lane.
template <class D>
HWY_INLINE hn::Vec<D> beside(D d, const hn::TFromD<D>* lanes) {
  constexpr int kLast = 8 * sizeof(hn::TFromD<D>) - 1;
  return hn::Or(hn::ShiftRight<kLast>(hn::LoadU(d, lanes - 1)),
                hn::ShiftLeft<kLast>(hn::LoadU(d, lanes + 1)));
}

template <class V>
HWY_INLINE V spread(V v) {
  return hn::Or(v, hn::Or(hn::ShiftLeft<1>(v), hn::ShiftRight<1>(v)));
}

// Calls step(i) for vectors of `lanes` words that start at word i and together cover at least
// `words` words.
template <class Step>
HWY_INLINE void for_vectors(int words, int lanes, Step step) {
  for (int i = 0; i < words; i += lanes) step(std::min(i, words - lanes));
}

// ---- rows ----

const hn::ScalableTag<Word> d64;
const hn::CappedTag<Word, 1> d64_one;

// Grows each word from its own bits and those of `from`. Returns whether any bit was added.
template <class D>
bool grow_words(D d, const Word* candidate, const Word* from, int words, Word* edges) {
  auto added = hn::Zero(d);
  for_vectors(words, hn::MaxLanes(d), [&](int i) HWY_ATTR {
    const auto mask = hn::LoadU(d, candidate + i), old = hn::LoadU(d, edges + i);
    const auto reached = hn::Or(spread(hn::LoadU(d, from + i)), beside(d, from + i));
    const auto filled = fill(mask, hn::Or(old, hn::And(mask, reached)));
    added = hn::Or(added, hn::Xor(filled, old));
    hn::StoreU(filled, d, edges + i);
  });
  return !none(added);
}

template <class D>
bool runs_cross_words(D d, const Word* candidate, const Word* edges, int words) {
  auto open = hn::Zero(d);
  for_vectors(words, hn::MaxLanes(d), [&](int i) HWY_ATTR {
    const auto rest = hn::AndNot(hn::LoadU(d, edges + i), hn::LoadU(d, candidate + i));
    open = hn::Or(open, hn::And(rest, beside(d, edges + i)));
  });
  return !none(open);
}

// Continues runs from word to word, to the right and then to the left.
void carry_runs(const Word* mask, int count, Word* words) {
  constexpr int kLast = Plane::kBits - 1;
  for (int i = 1; i < count; ++i) {
    const Word seed = mask[i] & ~words[i] & words[i - 1] >> kLast;
    words[i] |= seed | (seed != 0 ? mask[i] & ~(mask[i] + seed) : 0);
  }
  for (int i = count - 2; i >= 0; --i) {
    if ((mask[i] & ~words[i] & words[i + 1] << kLast) == 0) continue;
    // The run of ones at the top.
    const Word gaps = ~mask[i];
    const int length = gaps == 0 ? Plane::kBits : hwy::Num0BitsAboveMS1Bit_Nonzero64(gaps);
    words[i] |= ~Word{0} << (Plane::kBits - length);
  }
}

template <class D>
bool grow_with(D d, const Plane& candidate_plane, const Plane& edge_plane, int y, int from) {
  const Word* candidate = candidate_plane.row(y);
  Word* edges = edge_plane.row(y);
  const int words = edge_plane.words_per_row();
  const bool grew = grow_words(d, candidate, edge_plane.row(from), words, edges);
  if (!runs_cross_words(d, candidate, edges, words)) return grew;
  carry_runs(candidate, words, edges);
  return true;
}

bool grow(const Plane& candidate, const Plane& edges, int y, int from) {
  return edges.words_per_row() >= static_cast<int>(hn::MaxLanes(d64))
             ? grow_with(d64, candidate, edges, y, from)
             : grow_with(d64_one, candidate, edges, y, from);
}

// ---- tiles ----

const hn::ScalableTag<std::uint32_t> d32;
const hn::CappedTag<std::uint32_t, 2> d32_two;  // the two halves of a word

// Row y of a plane as words of 32 pixels, one per tile.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
std::uint32_t* half_words(const Plane& plane, int y) {
  return reinterpret_cast<std::uint32_t*>(plane.row(y));
}

// The rows of tiles side by side, a vector for each row.
template <class D>
struct Chunk {
  alignas(64) std::uint32_t candidate[kTile][hn::MaxLanes(D())], edges[kTile][hn::MaxLanes(D())];
};

// Floods each tile from its edges through its candidates, downwards and upwards until nothing
// changes.
template <class D>
HWY_INLINE void flood(D d, int rows, Chunk<D>* chunk) {
  const auto grow = [&](int y, int from) HWY_ATTR {
    const auto mask = hn::Load(d, chunk->candidate[y]), before = hn::Load(d, chunk->edges[y]);
    const auto reached = hn::And(mask, spread(hn::Load(d, chunk->edges[from])));
    const auto filled = fill(mask, hn::Or(before, reached));
    hn::Store(filled, d, chunk->edges[y]);
    return hn::Xor(filled, before);
  };
  for (bool changed = true; changed;) {
    auto added = grow(0, 0);
    for (int y = 1; y < rows; ++y) added = hn::Or(added, grow(y, y - 1));
    for (int y = rows - 2; y >= 0; --y) added = hn::Or(added, grow(y, y + 1));
    changed = !none(added);
  }
}

// Computes E(k + 1) from E(k) in rows first .. last - 1 of the tiles from `column` on. Returns
// whether edges were added.
template <class D>
bool pass_chunk(D d, const Plane& candidate, const Plane& from, const Plane& to, int first,
                int last, int column) {
  // The edges that rows touch outside their tiles: on either side and, combined with the row
  // itself, above or below.
  const auto sides = [&](int y) HWY_ATTR {
    const bool inside = y >= 0 && y < from.height;
    return inside ? beside(d, half_words(from, y) + column) : hn::Zero(d);
  };
  const auto outside = [&](int y) HWY_ATTR {
    const bool inside = y >= 0 && y < from.height;
    return inside ? spread(hn::LoadU(d, half_words(from, y) + column)) : hn::Zero(d);
  };
  Chunk<D> chunk;
  auto above = hn::Or(sides(first - 1), outside(first - 1)), here = sides(first);
  for (int y = first; y < last; ++y) {
    auto below = sides(y + 1);
    if (y + 1 == last) below = hn::Or(below, outside(last));
    const auto mask = hn::LoadU(d, half_words(candidate, y) + column);
    const auto touched = hn::And(mask, hn::Or(above, hn::Or(here, below)));
    hn::Store(mask, d, chunk.candidate[y - first]);
    hn::Store(hn::Or(touched, hn::LoadU(d, half_words(from, y) + column)), d,
              chunk.edges[y - first]);
    above = here;
    here = below;
  }
  flood(d, last - first, &chunk);
  auto added = hn::Zero(d);
  for (int y = first; y < last; ++y) {
    const auto edges = hn::Load(d, chunk.edges[y - first]);
    added = hn::Or(added, hn::Xor(edges, hn::LoadU(d, half_words(from, y) + column)));
    hn::StoreU(edges, d, half_words(to, y) + column);
  }
  return !none(added);
}

template <class D>
bool pass_with(D d, const Plane& candidate, const Plane& from, const Plane& to, int tile_row) {
  const int first = tile_row * kTile, last = std::min(first + kTile, candidate.height);
  bool grew = false;
  for_vectors(2 * candidate.words_per_row(), hn::MaxLanes(d), [&](int column) HWY_ATTR {
    grew |= pass_chunk(d, candidate, from, to, first, last, column);
  });
  return grew;
}

bool pass(const Plane& candidate, const Plane& from, const Plane& to, int tile_row) {
  return 2 * candidate.words_per_row() >= static_cast<int>(hn::MaxLanes(d32))
             ? pass_with(d32, candidate, from, to, tile_row)
             : pass_with(d32_two, candidate, from, to, tile_row);
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace canny::cpu {

HWY_EXPORT(grow);
HWY_EXPORT(pass);

bool grow_row(const Plane& candidate, const Plane& edges, int y, int from) {
  return HWY_DYNAMIC_DISPATCH(grow)(candidate, edges, y, from);
}

bool tile_pass(const Plane& candidate, const Plane& from, const Plane& to, int tile_row) {
  return HWY_DYNAMIC_DISPATCH(pass)(candidate, from, to, tile_row);
}

}  // namespace canny::cpu
#endif  // HWY_ONCE
