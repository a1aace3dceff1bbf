// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the turns of chains and where their pieces begin, for all pixels of a word at a time.

// Included once for each instruction set.
#if defined(CANNY_CHAIN_ENDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CHAIN_ENDS_INL_H_
#undef CANNY_CHAIN_ENDS_INL_H_
#else
#define CANNY_CHAIN_ENDS_INL_H_
#endif

#include <hwy/highway.h>

#include <utility>

#include "canny/chain_walk.h"

HWY_BEFORE_NAMESPACE();
namespace canny::chains::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Word = EdgeBits::Word;

// Calls run(d, i) for vectors of words that together hold words 0 to words - 1, some of them twice.
template <class Run>
HWY_INLINE void for_vectors(int words, const Run& run) {
  const hn::ScalableTag<Word> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i + lanes <= words; i += lanes) run(d, i);
  if (words % lanes == 0) return;
  if (words > lanes) return run(d, words - lanes);
  for (int i = 0; i < words; ++i) run(hn::CappedTag<Word, 1>(), i);
}

// The pixels to the right and to the left of those from word i on.
template <class D>
HWY_INLINE hn::Vec<D> right(D d, const Word* row, int i) {
  constexpr int kLast = EdgeBits::kBits - 1;
  return hn::ShiftRight<1>(hn::LoadU(d, row + i)) | hn::ShiftLeft<kLast>(hn::LoadU(d, row + i + 1));
}
template <class D>
HWY_INLINE hn::Vec<D> left(D d, const Word* row, int i) {
  constexpr int kLast = EdgeBits::kBits - 1;
  return hn::ShiftLeft<1>(hn::LoadU(d, row + i)) | hn::ShiftRight<kLast>(hn::LoadU(d, row + i - 1));
}

// a without b.
template <class V>
HWY_INLINE V without(V a, V b) {
  return hn::AndNot(b, a);
}

// At least two of four.
template <class V>
HWY_INLINE V two_of(V a, V b, V c, V d) {
  return (a & b) | (c & d) | ((a | b) & (c | d));
}

// The links that the pixels of a row keep: chain_links.h in Boolean terms. A diagonal link needs
// both pixels beside it to be free, so that more than two links are: three or four in rows and
// columns, of which the straight pair stays; two of these and the diagonal one opposite; one and
// the two diagonal ones opposite; or diagonal ones. Also stores the links upwards that both pixels
// keep.
void keep(const Word* edges, std::ptrdiff_t stride, int words, const LinkRow& kept_above,
          const LinkRow& kept, const LinkRow& links) {
  const Word *above = edges - stride, *below = edges + stride;
  for_vectors(words, [&](auto d, int i) HWY_ATTR {
    const auto here = hn::LoadU(d, edges + i);
    const auto e = here & right(d, edges, i), w = here & left(d, edges, i);
    const auto n = here & hn::LoadU(d, above + i), s = here & hn::LoadU(d, below + i);
    const auto se = here & without(right(d, below, i), e | s);
    const auto sw = here & without(left(d, below, i), s | w);
    const auto nw = here & without(left(d, above, i), w | n);
    const auto ne = here & without(right(d, above, i), n | e);
    const auto row = e & w, column = n & s, falling = nw & se, rising = sw & ne;
    const auto store = [&](const LinkRow& to, int plane, auto bits)
                           HWY_ATTR { hn::StoreU(bits, d, to.planes[plane] + i); };
    store(kept, LinkRow::kE, without(e, without(column, w)));
    store(kept, LinkRow::kSe, without(se, without(rising, nw)));
    store(kept, LinkRow::kS, without(s, row | (e & nw)));
    store(kept, LinkRow::kSw, without(sw, falling | (n & se)));
    store(kept, LinkRow::kW, without(w, without(column, e) | (s & ne)));
    const auto kept_nw = without(nw, without(rising, se) | (e & sw));
    const auto kept_n = without(n, row | (w & se) | (e & sw));
    const auto kept_ne = without(ne, falling | (s & nw) | (w & se));
    store(links, LinkRow::kNw, kept_nw & left(d, kept_above.planes[LinkRow::kSe], i));
    store(links, LinkRow::kN, kept_n & hn::LoadU(d, kept_above.planes[LinkRow::kS] + i));
    store(links, LinkRow::kNe, kept_ne & right(d, kept_above.planes[LinkRow::kSw], i));
  });
}

// Stores how many links are to the left of each word.
void count_links(int words, LinkRow* links) {
  Word count = 0;
  for (int i = 0; i < words; ++i) {
    links->planes[LinkRow::kCount][i] = count;
    for (int k = LinkRow::kNw; k <= LinkRow::kNe; ++k) count += hwy::PopCount(links->planes[k][i]);
  }
}

// What Turns and the lists of a band say about the pixels of a row, as planes of bits.
void mark(const Word* edges, int words, const LinkRow& kept, const LinkRow& links,
          const LinkRow& below, const MarkRow& marks) {
  for_vectors(words, [&](auto d, int i) HWY_ATTR {
    const auto w =
        hn::LoadU(d, kept.planes[LinkRow::kW] + i) & left(d, kept.planes[LinkRow::kE], i);
    const auto nw = hn::LoadU(d, links.planes[LinkRow::kNw] + i);
    const auto n = hn::LoadU(d, links.planes[LinkRow::kN] + i);
    const auto ne = hn::LoadU(d, links.planes[LinkRow::kNe] + i);
    const auto e =
        hn::LoadU(d, kept.planes[LinkRow::kE] + i) & right(d, kept.planes[LinkRow::kW], i);
    const auto se = right(d, below.planes[LinkRow::kNw], i);
    const auto s = hn::LoadU(d, below.planes[LinkRow::kN] + i);
    const auto sw = left(d, below.planes[LinkRow::kNe], i);
    const auto here = hn::LoadU(d, edges + i);
    const auto later = e | se | s | sw, earlier = w | nw | n | ne;
    const auto peak = two_of(e, se, s, sw);
    const auto both = peak | two_of(w, nw, n, ne) | (earlier & later);
    const auto store = [&](int plane, auto bits)
                           HWY_ATTR { hn::StoreU(bits, d, marks.planes[plane] + i); };
    store(MarkRow::kTurn0, se ^ sw ^ nw ^ ne);
    store(MarkRow::kTurn1, s ^ sw ^ n ^ ne);
    store(MarkRow::kTurn2, without(here, w ^ nw ^ n ^ ne));
    store(MarkRow::kEnd, without(earlier | later, both));
    store(MarkRow::kStart, without(here, both));
    store(MarkRow::kPeak, peak);
  });
}

// Appends the ones in a word to a list of starts, and up to two more. Returns the end of the list.
HWY_INLINE Start* append(Word ones, Place first, Start* list) {
  constexpr Word kLast = Word{1} << (EdgeBits::kBits - 1);
  Start* const end = list + hwy::PopCount(ones);
  do {
    for (int i = 0; i < 2; ++i, ones &= ones - 1)
      (list++)->place = first + kRight * static_cast<Place>(__builtin_ctzll(ones | kLast));
  } while (HWY_UNLIKELY(ones != 0));
  return end;
}

// The pixels of a word that no piece has.
HWY_INLINE Word unseen(const std::uint8_t* turns) {
  const hn::CappedTag<std::uint8_t, EdgeBits::kBits> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  std::uint8_t bits[sizeof(Word)];
  for (int j = 0; j < EdgeBits::kBits; j += lanes)
    hn::StoreMaskBits(d, hn::LoadU(d, turns + j) != hn::Set(d, kSeen), bits + j / 8);
  Word word;
  std::memcpy(&word, bits, sizeof word);
  return word;
}

// Calls run(i) for each word i of a row that is not 0.
template <class Run>
HWY_INLINE void for_used_words(const Word* row, int words, const Run& run) {
  const hn::CappedTag<Word, EdgeBits::kLineWords> d;
  for (int first = 0; first < words; first += EdgeBits::kBits) {
    const int last = HWY_MIN(first + EdgeBits::kBits, words);
    Word used = 0;
    for (int i = first; i < last; i += static_cast<int>(hn::Lanes(d))) {
      std::uint8_t bits[sizeof(Word)];  // StoreMaskBits() may write so many
      hn::StoreMaskBits(d, hn::LoadU(d, row + i) != hn::Zero(d), bits);
      used |= Word{bits[0]} << (i - first);
    }
    for (; used != 0; used &= used - 1)
      run(static_cast<Word>(first) + static_cast<Word>(__builtin_ctzll(used)));
  }
}

// Stores the turns of a row's edges, and appends its starts and peaks.
void store(const Word* edges, int words, const MarkRow& marks, Place first, std::uint8_t* turns,
           BandMap* map) {
  const hn::CappedTag<std::uint8_t, EdgeBits::kBits> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const MarkRow planes = marks;
  turns += index(first);
  for_used_words(edges, words, [&](Word i) HWY_ATTR {
    for (int j = 0; j < EdgeBits::kBits; j += lanes) {
      auto turn = hn::Zero(d);
      for (int plane = 0; plane < MarkRow::kTurnPlanes; ++plane) {
        const auto* bits = reinterpret_cast<const std::uint8_t*>(planes.planes[plane] + i);
        turn = turn | hn::IfThenElseZero(hn::LoadMaskBits(d, bits + j / 8),
                                         hn::Set(d, static_cast<std::uint8_t>(1 << plane)));
      }
      hn::StoreU(turn, d, turns + EdgeBits::kBits * i + j);
    }
  });
  const auto place = [&](Word i) HWY_ATTR { return first + EdgeBits::kBits * kRight * i; };
  const Word* const starts = planes.planes[MarkRow::kStart];
  Start* next_start = map->starts.data() + map->start_count;
  for_used_words(starts, words, [&](Word i) HWY_ATTR {
    next_start = append(starts[i], turned(kBegin, place(i) + kRight), next_start);
  });
  map->start_count = static_cast<std::size_t>(next_start - map->starts.data());
  const Word* const peaks = planes.planes[MarkRow::kPeak];
  Peaks* next_peaks = map->peaks.data() + map->peak_count;
  for_used_words(peaks, words, [&](Word i) HWY_ATTR { *next_peaks++ = {peaks[i], place(i)}; });
  map->peak_count = static_cast<std::size_t>(next_peaks - map->peaks.data());
}

// Fills the map of rows first_row .. last_row - 1, as if there were no edges outside.
void make_map(WalkMemory* memory, EdgeBits* bits, int first_row, int last_row, BandMap* map) {
  LinkRows* rows = &memory->rows;
  const int words = rows->words;
  LinkRow *kept = &rows->kept[0], *kept_above = &rows->kept[1];
  LinkRow *links = &rows->links[0], *links_above = &rows->links[1];
  map->start_count = map->peak_count = 0;
  Place first = (Place{map->first} << kIndexShift) +
                (static_cast<Place>(first_row) << (kRowShift + kPointShift));
  const auto keep_row = [&](int y, const LinkRow& above, LinkRow* to) HWY_ATTR {
    keep(bits->row(y), bits->stride(), words, above, *kept, *to);
  };
  if (first_row > 0) {
    keep_row(first_row - 1, rows->none, links);
    std::swap(kept, kept_above);
    keep_row(first_row, *kept_above, &map->borders[0]);
    count_links(words, &map->borders[0]);
  }
  for (int y = first_row; y <= last_row; ++y) {
    if (y < last_row) {
      keep_row(y, y == first_row ? rows->none : *kept_above, links);
    } else if (y < bits->height()) {
      keep_row(y, *kept_above, &map->borders[1]);
      count_links(words, &map->borders[1]);
    }
    if (y > first_row) {
      mark(bits->row(y - 1), words, *kept_above, *links_above, y == last_row ? rows->none : *links,
           rows->marks);
      store(bits->row(y - 1), words, rows->marks, first, memory->turns.get(), map);
      first += memory->down;
    }
    std::swap(kept, kept_above);
    std::swap(links, links_above);
  }
}

}  // namespace
}  // namespace canny::chains::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
