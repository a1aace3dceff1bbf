// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis on words of 32 pixels. The flood handles a word again only when it gained an edge,
// so its work is bounded by the number of candidates, whatever their shape.
#include "cpu/hysteresis.h"

#include <algorithm>

namespace canny::cpu {

// A stack of words that have edges to pass on, each at most once, in a slice of the Flood's
// memory that belongs to rows first_row .. last_row - 1.
class Flood::Worklist {
 public:
  Worklist(Flood& flood, const BitPlane& candidate, const BitPlane& edges, int first_row,
           int last_row)
      : candidate_(candidate),
        edges_(edges),
        row_words_(candidate.words_per_row()),
        first_row_(first_row),
        last_row_(last_row),
        waiting_(flood.waiting_.data() + static_cast<std::size_t>(row_words_) * first_row),
        queued_(flood.queued_.data()) {
    // A frame that was aborted may have left words in the queue.
    std::fill(queued_ + static_cast<std::size_t>(row_words_) * first_row,
              queued_ + static_cast<std::size_t>(row_words_) * last_row, 0);
  }

  void push(int w, int y) {
    const std::uint32_t word = static_cast<std::uint32_t>(y) * row_words_ + w;
    if (queued_[word]) return;
    queued_[word] = 1;
    waiting_[count_++] = word;
  }

  void drain() {
    while (count_ > 0) {
      const std::uint32_t word = waiting_[--count_];
      queued_[word] = 0;
      pass_on(static_cast<int>(word % row_words_), static_cast<int>(word / row_words_));
    }
  }

 private:
  // Grows the edges of the 8 words around from those of this one.
  void pass_on(int w, int y) {
    const std::uint32_t edges = edges_.row(y)[w];
    const std::uint32_t to_left = edges << (kWordBits - 1), to_right = edges >> (kWordBits - 1);
    for (int row = std::max(y - 1, first_row_); row < std::min(y + 2, last_row_); ++row) {
      if (w > 0) grow(w - 1, row, to_left);
      if (row != y) grow(w, row, spread(edges));
      if (w + 1 < static_cast<int>(row_words_)) grow(w + 1, row, to_right);
    }
  }

  void grow(int w, int y, std::uint32_t reached) {
    std::uint32_t& edges = edges_.row(y)[w];
    const std::uint32_t candidate = candidate_.row(y)[w];
    const std::uint32_t added = reached & candidate & ~edges;
    if (added == 0) return;
    edges |= fill_runs(candidate, added);
    push(w, y);
  }

  const BitPlane& candidate_;
  const BitPlane& edges_;
  const std::uint32_t row_words_;
  const int first_row_, last_row_;
  std::uint32_t* waiting_;
  std::uint8_t* queued_;
  std::size_t count_ = 0;
};

void Flood::set_size(const BitPlane& plane) {
  waiting_.assign(plane.size_words(), 0);
  queued_.assign(plane.size_words(), 0);
}

void Flood::run(const BitPlane& candidate, const BitPlane& edges, int first_row, int last_row) {
  Worklist worklist(*this, candidate, edges, first_row, last_row);
  for (int y = first_row; y < last_row; ++y) {
    for (int w = 0; w < candidate.words_per_row(); ++w) {
      std::uint32_t& word = edges.row(y)[w];
      if (word == 0) continue;
      word = fill_runs(candidate.row(y)[w], word);
      worklist.push(w, y);
    }
  }
  worklist.drain();
}

void Flood::join(const BitPlane& candidate, const BitPlane& edges, int range_rows) {
  Worklist worklist(*this, candidate, edges, 0, candidate.height);
  for (int border = range_rows; border < candidate.height; border += range_rows) {
    for (int y = border - 1; y <= border; ++y) {
      for (int w = 0; w < candidate.words_per_row(); ++w)
        if (edges.row(y)[w] != 0) worklist.push(w, y);
    }
  }
  worklist.drain();
}

namespace {

// The rows of one tile.
struct TileRows {
  std::uint32_t row[kTile];
};

// Floods a tile from `edges` through `candidate`, downwards and upwards until nothing changes.
void flood_tile(const TileRows& candidate, int rows, TileRows* edges) {
  const auto grow = [&](int y, std::uint32_t next) {
    const std::uint32_t before = edges->row[y];
    edges->row[y] = fill_runs(candidate.row[y], before | spread(next));
    return edges->row[y] != before;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (int y = 0; y < rows; ++y) changed |= grow(y, y > 0 ? edges->row[y - 1] : 0);
    for (int y = rows - 2; y >= 0; --y) changed |= grow(y, edges->row[y + 1]);
  }
}

// The bits of the word in column w of row y that touch an edge outside its tile, which has the
// rows first .. last - 1.
std::uint32_t touched_from_outside(const BitPlane& edges, int w, int y, int first, int last) {
  std::uint32_t touched = 0;
  for (int row = y - 1; row <= y + 1; ++row) {
    touched |= edges.at(w - 1, row) >> (kWordBits - 1);
    touched |= edges.at(w + 1, row) << (kWordBits - 1);
    if (row < first || row >= last) touched |= spread(edges.at(w, row));
  }
  return touched;
}

}  // namespace

bool tile_pass(const BitPlane& candidate, const BitPlane& from, const BitPlane& to, int tile_row) {
  const int first = tile_row * kTile;
  const int last = std::min(first + kTile, candidate.height);
  bool grew = false;
  for (int w = 0; w < candidate.words_per_row(); ++w) {
    TileRows tile_candidate, tile_edges;
    for (int y = first; y < last; ++y) {
      tile_candidate.row[y - first] = candidate.row(y)[w];
      tile_edges.row[y - first] =
          from.row(y)[w] | (candidate.row(y)[w] & touched_from_outside(from, w, y, first, last));
    }
    flood_tile(tile_candidate, last - first, &tile_edges);
    for (int y = first; y < last; ++y) {
      to.row(y)[w] = tile_edges.row[y - first];
      grew |= to.row(y)[w] != from.row(y)[w];
    }
  }
  return grew;
}

}  // namespace canny::cpu
