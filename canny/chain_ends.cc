// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds where the pieces of chains begin, for all pixels of a word at a time. The loops have no
// branches, so that compilers use vectors.
#include "canny/chain_ends.h"

#include <utility>

namespace canny::chains {
namespace {

using Word = EndFinder::Word;
constexpr int kLastBit = EdgeBits::kBits - 1;

// The pixels to the right and to the left of those of word i.
inline Word right(const Word* row, int i) { return row[i] >> 1 | row[i + 1] << kLastBit; }
inline Word left(const Word* row, int i) { return row[i] << 1 | row[i - 1] >> kLastBit; }

// At least one and at least two of four.
struct Sum {
  Word one, two;
};
inline Sum add(Word a, Word b, Word c, Word d) {
  return {a | b | c | d, (a & b) | (c & d) | ((a | b) & (c | d))};
}

}  // namespace

void EndFinder::set_width(int words_per_row) {
  words_ = words_per_row;
  const std::size_t plane = std::size_t{2} + words_per_row;
  memory_.assign(5 * kPlanes * plane, 0);
  Word* next = memory_.data() + 1;
  for (Row* row : {&kept_[0], &kept_[1], &links_[0], &links_[1], &none_})
    for (Word*& words : row->planes) {
      words = next;
      next += plane;
    }
}

// The links that the pixels of a row keep: chain_links.h in Boolean terms. A diagonal link needs
// both pixels beside it to be free, so that more than two links are: three or four in rows and
// columns, of which the straight pair stays; two of these and the diagonal one opposite; one and
// the two diagonal ones opposite; or diagonal ones.
void EndFinder::keep(const Word* edges, std::ptrdiff_t stride, const Row& kept) const {
  const Word *above = edges - stride, *below = edges + stride;
  Word* const __restrict to_e = kept.planes[kE];
  Word* const __restrict to_se = kept.planes[kSe];
  Word* const __restrict to_s = kept.planes[kS];
  Word* const __restrict to_sw = kept.planes[kSw];
  Word* const __restrict to_w = kept.planes[kW];
  Word* const __restrict to_nw = kept.planes[kNw];
  Word* const __restrict to_n = kept.planes[kN];
  Word* const __restrict to_ne = kept.planes[kNe];
  for (int i = 0; i < words_; ++i) {
    const Word here = edges[i], e = right(edges, i), w = left(edges, i), n = above[i], s = below[i];
    const Word se = right(below, i) & ~(e | s), sw = left(below, i) & ~(s | w);
    const Word nw = left(above, i) & ~(w | n), ne = right(above, i) & ~(n | e);
    const Word row = e & w, column = n & s, falling = nw & se, rising = sw & ne;
    to_e[i] = here & e & ~(column & ~w);
    to_se[i] = here & se & ~(rising & ~nw);
    to_s[i] = here & s & ~row & ~(e & nw);
    to_sw[i] = here & sw & ~falling & ~(n & se);
    to_w[i] = here & w & ~(column & ~e) & ~(s & ne);
    to_nw[i] = here & nw & ~(rising & ~se) & ~(e & sw);
    to_n[i] = here & n & ~row & ~(w & se) & ~(e & sw);
    to_ne[i] = here & ne & ~falling & ~(s & nw) & ~(w & se);
  }
}

// The links that both pixels keep, to the right and upwards.
void EndFinder::link(const Row& kept, const Row& kept_above, const Row& links) const {
  const Word *to_e = kept.planes[kE], *to_w = kept.planes[kW], *to_nw = kept.planes[kNw],
             *to_n = kept.planes[kN], *to_ne = kept.planes[kNe];
  const Word *above_se = kept_above.planes[kSe], *above_s = kept_above.planes[kS],
             *above_sw = kept_above.planes[kSw];
  Word* const __restrict e = links.planes[kE];
  Word* const __restrict nw = links.planes[kNw];
  Word* const __restrict n = links.planes[kN];
  Word* const __restrict ne = links.planes[kNe];
  for (int i = 0; i < words_; ++i) {
    e[i] = to_e[i] & right(to_w, i);
    nw[i] = to_nw[i] & left(above_se, i);
    n[i] = to_n[i] & above_s[i];
    ne[i] = to_ne[i] & right(above_sw, i);
  }
}

void EndFinder::mark(const Word* edges, const Row& links, const Row& below, Word* ends,
                     Word* peaks) const {
  const Word *e = links.planes[kE], *nw = links.planes[kNw], *n = links.planes[kN],
             *ne = links.planes[kNe];
  const Word *below_nw = below.planes[kNw], *below_n = below.planes[kN],
             *below_ne = below.planes[kNe];
  Word* const __restrict end = ends;
  Word* const __restrict peak = peaks;
  for (int i = 0; i < words_; ++i) {
    const Sum back = add(left(e, i), nw[i], n[i], ne[i]);
    const Sum forward = add(e[i], right(below_nw, i), below_n[i], left(below_ne, i));
    end[i] = edges[i] & ~(back.two | forward.two | (back.one & forward.one));
    peak[i] = forward.two;
  }
}

void EndFinder::find(EdgeBits* bits, int first_row, int last_row, EdgeBits* ends, EdgeBits* peaks) {
  Row *kept = &kept_[0], *kept_above = &kept_[1], *links = &links_[0], *links_above = &links_[1];
  for (int y = first_row; y < last_row; ++y) {
    keep(bits->row(y), bits->stride(), *kept);
    link(*kept, y == first_row ? none_ : *kept_above, *links);
    if (y > first_row)
      mark(bits->row(y - 1), *links_above, *links, ends->row(y - 1), peaks->row(y - 1));
    std::swap(kept, kept_above);
    std::swap(links, links_above);
  }
  const int last = last_row - 1;
  mark(bits->row(last), *links_above, none_, ends->row(last), peaks->row(last));
}

}  // namespace canny::chains
