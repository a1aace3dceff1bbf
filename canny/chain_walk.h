// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows chains pixel by pixel within bands of rows, and the memory of a thread for that: the
// turns of chains, and where their pieces begin.
#pragma once

#include <hwy/aligned_allocator.h>
#include <tbb/cache_aligned_allocator.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "canny/chain_pieces.h"
#include "canny/edge_bits.h"

namespace canny::chains {

/// Links of the pixels of a row, one plane for each direction: those that the pixels keep, or those
/// that both pixels keep. A word of zeros lies before and after each plane.
struct LinkRow {
  enum { kE, kSe, kS, kSw, kW, kNw, kN, kNe, kPlanes, kCount = kSw };
  EdgeBits::Word* planes[kPlanes];
};

/// What links within a band tell about an edge pixel. A path that comes in direction d leaves in
/// direction d ^ turn, with the turn in the lowest three bits.
enum Turn : std::uint8_t {
  kEnd = 8,    ///< one link. A path that comes in kBegin ^ kEnd leaves along it.
  kSeen = 16,  ///< instead of all others: a piece has this pixel
};

/// A piece comes to its first pixel, one with fewer than two links, in this direction: west. It
/// ends where its direction has kEnd, which turns of ends change.
inline constexpr unsigned kBegin = 4 | kEnd;

/// The same of the pixels of a row, one plane for each bit of Turn, the pixels with fewer than two
/// links, and those whose links both lead to later pixels. Each loop has such a peak.
struct MarkRow {
  enum { kTurn0, kTurn1, kTurn2, kEnd, kTurnPlanes, kStart = kTurnPlanes, kPeak, kPlanes };
  EdgeBits::Word* planes[kPlanes];
};

/// A pixel of a map: the direction of a step from there in the lowest byte, its point from bit
/// kPointShift on, and its index from bit kIndexShift on.
using Place = std::uint64_t;
inline constexpr int kPointShift = 8, kIndexShift = kPointShift + 32;
/// From a pixel to the one to its right.
inline constexpr Place kRight = (Place{1} << kIndexShift) + (Place{1} << kPointShift);

constexpr Number point(Place place) { return static_cast<Number>(place >> kPointShift); }
constexpr std::size_t direction(Place place) { return static_cast<std::uint8_t>(place); }
constexpr std::size_t index(Place place) { return place >> kIndexShift; }
constexpr Place turned(unsigned turn, Place place) { return place ^ turn; }

/// How many lanes a thread has: enough to hide most of the latency of a step.
inline constexpr int kLanes = 3;

/// How many steps a lane takes in a row.
inline constexpr int kRounds = 64;

/// Where a piece may begin, unless an earlier piece has the pixel.
union Start {
  Place place;  ///< one step before, with the direction of the step
  Number* end;  ///< of its points, once they are followed; that of the piece before if none
};

/// The peaks of a word, as in MarkRow.
struct Peaks {
  EdgeBits::Word bits;
  Place first;  ///< of the word
};

/// The lists are in raster order, and may have more elements.
struct BandMap {
  std::uint32_t first;  ///< index of the first pixel
  std::vector<Start> starts;
  std::vector<Peaks> peaks;
  std::size_t start_count, peak_count;
  LinkRow borders[2];  ///< links upwards to the band above, and to this one from the band below

  void reserve(std::size_t edges) {
    if (peaks.size() >= edges + 2) return;
    const std::size_t most_peaks = edges + edges / 4 + 2;
    starts.resize(most_peaks + kRounds);
    peaks.resize(most_peaks);  // last, since its size says for how many there is memory
  }
};

/// Rows of a map. For one thread.
struct LinkRows {
  int words = 0;  // of a row
  std::vector<EdgeBits::Word, tbb::cache_aligned_allocator<EdgeBits::Word>> memory;
  LinkRow kept[2], links[2];
  LinkRow none;  // always 0
  MarkRow marks;

  void set_width(int words_per_row, BandMap* maps) {
    if (words == words_per_row) return;
    const std::ptrdiff_t plane = EdgeBits::stride_of(words_per_row);
    memory.assign(
        EdgeBits::kLineWords + ((5 + 2 * kLanes) * LinkRow::kPlanes + MarkRow::kPlanes) * plane, 0);
    words = words_per_row;
    EdgeBits::Word* next = memory.data() + EdgeBits::kLineWords;
    const auto take = [&](auto* row) {
      for (EdgeBits::Word*& words_of_plane : row->planes) {
        words_of_plane = next;
        next += plane;
      }
    };
    for (LinkRow* row : {&kept[0], &kept[1], &links[0], &links[1], &none}) take(row);
    take(&marks);
    for (int i = 0; i < kLanes; ++i)
      for (LinkRow& border : maps[i].borders) take(&border);
  }
};

/// Memory of a thread, which it keeps from frame to frame.
struct WalkMemory {
  LinkRows rows;
  /// Of all lanes, valid for edges alone. The first one is seen. Words begin at cache lines.
  hwy::AlignedFreeUniquePtr<std::uint8_t[]> turns;
  BandMap maps[kLanes];
  Place down;  ///< from a pixel to the one below it

  void set_size(int words_per_row, int most_rows) {
    rows.set_width(words_per_row, maps);
    const auto stride = static_cast<std::uint32_t>((words_per_row | 1) * EdgeBits::kBits);
    const std::size_t size = std::size_t{stride} * most_rows;
    if (turn_count_ < kLanes * size) {
      turn_count_ = 0;
      turns = hwy::AllocateAligned<std::uint8_t>(EdgeBits::kBits + kLanes * size);
      if (turns == nullptr) throw std::bad_alloc();
      turn_count_ = kLanes * size;
    }
    turns[0] = kSeen;
    down = (Place{stride} << kIndexShift) + (Place{1} << (kRowShift + kPointShift));
    for (int i = 0; i < kLanes; ++i)
      maps[i].first = static_cast<std::uint32_t>(EdgeBits::kBits + i * size);
  }

 private:
  std::size_t turn_count_ = 0;
};

/// The number of edges in words of a map.
std::size_t count_ones(const EdgeBits::Word* words, std::size_t count);

/// Takes bands and fills their lists of pieces, until no band is left. The memory is that of the
/// thread.
void walk(Bands* bands, WalkMemory* memory);

}  // namespace canny::chains
