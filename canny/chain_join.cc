// SPDX-License-Identifier: LGPL-2.1-or-later
// Joins pieces of neighboring bands to chains, one after the other.
#include "canny/chain_join.h"

#include <algorithm>

#include "canny/chain_links.h"

namespace canny::chains {
namespace {

// The direction from a point to a neighbor.
int direction(Number from, Number to) {
  int k = 0;
  while (to - from != static_cast<Number>(kY[k] * (1 << kRowShift) + kX[k])) ++k;
  return k;
}

}  // namespace

Side Joiner::side(const End& end) const {
  return bands_->bands[end.band].open[end.open].sides[end.is_last];
}

Number Joiner::point(const End& end) const {
  return bands_->bands[end.band].open[end.open].ends[end.is_last];
}

// The end that the link of an end leads to.
Joiner::End Joiner::across(const End& end) const {
  const Side here = side(end), there = here ^ 1;
  const std::uint32_t piece = bands_->pieces_at[there];
  return {here % 2 == 0 ? end.band + 1 : end.band - 1, piece / 2, piece % 2 == 1};
}

// The end of a chain that begins at the first end of a piece and does not go through the piece; of
// a loop, this first end.
Joiner::End Joiner::outermost(const End& first) const {
  End end = first;
  while (side(end) != kNoSide) {
    end = across(end);
    end.is_last = !end.is_last;
    if (end.band == first.band && end.open == first.open) break;
  }
  return end;
}

// Adds the pieces from an end of a chain on. Returns the other end.
Joiner::End Joiner::add_parts(End end) {
  for (;;) {
    OpenPiece& open = bands_->bands[end.band].open[end.open];
    if (open.is_joined) return end;  // a loop
    open.is_joined = true;
    parts_.push_back({open.points, open.size, end.is_last});
    end.is_last = !end.is_last;
    if (side(end) == kNoSide) return end;
    end = across(end);
  }
}

// Has a loop begin at its first point, and go on in the lower direction.
void Joiner::rotate(std::size_t first_part) {
  const auto begin = parts_.begin() + static_cast<std::ptrdiff_t>(first_part);
  auto first = begin;
  const Number* first_point = begin->points;
  for (auto part = begin; part != parts_.end(); ++part) {
    const Number* point = std::min_element(part->points, part->points + part->size);
    if (*point > *first_point) continue;
    first = part;
    first_point = point;
  }
  std::rotate(begin, first, parts_.end());
  const Part around = *begin;
  const auto in_memory = static_cast<std::size_t>(first_point - around.points);
  const std::size_t at = around.is_reversed ? around.size - 1 - in_memory : in_memory;
  *begin = around.part(at, at + 1);
  if (at > 0) parts_.push_back(around.part(0, at));
  const auto second = [&] { return parts_.begin() + static_cast<std::ptrdiff_t>(first_part + 1); };
  if (at + 1 < around.size) parts_.insert(second(), around.part(at + 1, around.size));
  const Part& last = parts_.back();
  if (direction(*first_point, second()->at(0)) > direction(*first_point, last.at(last.size - 1)))
    reverse(first_part + 1);
}

void Joiner::reverse(std::size_t first_part) {
  std::reverse(parts_.begin() + static_cast<std::ptrdiff_t>(first_part), parts_.end());
  for (std::size_t i = first_part; i < parts_.size(); ++i)
    parts_[i].is_reversed = !parts_[i].is_reversed;
}

void Joiner::add_chain(Number first, std::size_t first_part) {
  JoinedChain chain = {first, first_part, parts_.size(), 0};
  for (std::size_t i = first_part; i < parts_.size(); ++i) chain.size += parts_[i].size;
  chains_.push_back(chain);
  const auto below = std::upper_bound(
      bands_->bands.begin(), bands_->bands.end(), chain.first,
      [](Number point, const Band& band) { return point >> kRowShift < Number(band.first_row); });
  (below - 1)->kept.add(chain.size, bands_->least);
}

void Joiner::join(Bands* bands) {
  bands_ = bands;
  chains_.clear();
  parts_.clear();
  for (std::size_t band = 0; band < bands->bands.size(); ++band) {
    const std::vector<OpenPiece>& pieces = bands->bands[band].open;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].is_joined) continue;
      const std::size_t first_part = parts_.size();
      const End begin = outermost({band, i, false}), end = add_parts(begin);
      if (side(begin) != kNoSide) {
        rotate(first_part);
        add_chain(parts_[first_part].at(0), first_part);
        continue;
      }
      // A path begins at that of its ends that comes first.
      if (point(begin) > point(end)) reverse(first_part);
      add_chain(std::min(point(begin), point(end)), first_part);
    }
  }
  std::sort(chains_.begin(), chains_.end(),
            [](const JoinedChain& a, const JoinedChain& b) { return a.first < b.first; });
}

}  // namespace canny::chains
