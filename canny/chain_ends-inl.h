// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds where the pieces of chains begin, for all pixels of a word at a time. The loops have no
// branches, so that compilers use vectors.

// Included once for each instruction set.
#if defined(CANNY_CHAIN_ENDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CHAIN_ENDS_INL_H_
#undef CANNY_CHAIN_ENDS_INL_H_
#else
#define CANNY_CHAIN_ENDS_INL_H_
#endif

#include <hwy/highway.h>

#include <utility>

#include "canny/chain_ends.h"

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
// the two diagonal ones opposite; or diagonal ones.
void keep(const Word* edges, std::ptrdiff_t stride, int words, const LinkRow& kept) {
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
    const auto store = [&](int plane, auto links)
                           HWY_ATTR { hn::StoreU(links, d, kept.planes[plane] + i); };
    store(LinkRow::kE, without(e, without(column, w)));
    store(LinkRow::kSe, without(se, without(rising, nw)));
    store(LinkRow::kS, without(s, row | (e & nw)));
    store(LinkRow::kSw, without(sw, falling | (n & se)));
    store(LinkRow::kW, without(w, without(column, e) | (s & ne)));
    store(LinkRow::kNw, without(nw, without(rising, se) | (e & sw)));
    store(LinkRow::kN, without(n, row | (w & se) | (e & sw)));
    store(LinkRow::kNe, without(ne, falling | (s & nw) | (w & se)));
  });
}

// The links that both pixels keep, to the right and upwards.
void link(int words, const LinkRow& kept, const LinkRow& kept_above, const LinkRow& links) {
  for_vectors(words, [&](auto d, int i) HWY_ATTR {
    const auto join = [&](int plane, auto there) HWY_ATTR {
      hn::StoreU(hn::LoadU(d, kept.planes[plane] + i) & there, d, links.planes[plane] + i);
    };
    join(LinkRow::kE, right(d, kept.planes[LinkRow::kW], i));
    join(LinkRow::kNw, left(d, kept_above.planes[LinkRow::kSe], i));
    join(LinkRow::kN, hn::LoadU(d, kept_above.planes[LinkRow::kS] + i));
    join(LinkRow::kNe, right(d, kept_above.planes[LinkRow::kSw], i));
  });
}

void mark(const Word* edges, int words, const LinkRow& links, const LinkRow& below, Word* ends,
          Word* peaks) {
  for_vectors(words, [&](auto d, int i) HWY_ATTR {
    const auto w = left(d, links.planes[LinkRow::kE], i);
    const auto nw = hn::LoadU(d, links.planes[LinkRow::kNw] + i);
    const auto n = hn::LoadU(d, links.planes[LinkRow::kN] + i);
    const auto ne = hn::LoadU(d, links.planes[LinkRow::kNe] + i);
    const auto e = hn::LoadU(d, links.planes[LinkRow::kE] + i);
    const auto se = right(d, below.planes[LinkRow::kNw], i);
    const auto s = hn::LoadU(d, below.planes[LinkRow::kN] + i);
    const auto sw = left(d, below.planes[LinkRow::kNe], i);
    const auto peak = two_of(e, se, s, sw);
    const auto both = peak | two_of(w, nw, n, ne) | ((w | nw | n | ne) & (e | se | s | sw));
    hn::StoreU(without(hn::LoadU(d, edges + i), both), d, ends + i);
    hn::StoreU(peak, d, peaks + i);
  });
}

// Stores which edge pixels of rows first_row .. last_row - 1 have fewer than two links within these
// rows, and which are peaks: both links go to later pixels. Each loop has a peak.
void find_ends(LinkRows* rows, EdgeBits* bits, int first_row, int last_row, EdgeBits* ends,
               EdgeBits* peaks) {
  const int words = rows->words;
  LinkRow *kept = &rows->kept[0], *kept_above = &rows->kept[1];
  LinkRow *links = &rows->links[0], *links_above = &rows->links[1];
  for (int y = first_row; y < last_row; ++y) {
    keep(bits->row(y), bits->stride(), words, *kept);
    link(words, *kept, y == first_row ? rows->none : *kept_above, *links);
    if (y > first_row)
      mark(bits->row(y - 1), words, *links_above, *links, ends->row(y - 1), peaks->row(y - 1));
    std::swap(kept, kept_above);
    std::swap(links, links_above);
  }
  const int last = last_row - 1;
  mark(bits->row(last), words, *links_above, rows->none, ends->row(last), peaks->row(last));
}

}  // namespace
}  // namespace canny::chains::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
