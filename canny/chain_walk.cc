// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows chains pixel by pixel within bands of rows: one text, which Highway compiles for each
// instruction set.
#include "canny/chain_walk.h"

#include <algorithm>
#include <cstring>

#include "canny/chain_links.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "canny/chain_walk.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "canny/chain_ends-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::chains::HWY_NAMESPACE {
namespace {

// Leads to the pixel that is always seen.
constexpr Start kNothing = {turned(kBegin, kRight)};

// Follows the pieces of a list.
struct Walk {
  Place place;  // the last point and the direction of the next step
  Number* out;
  Start* start;  // of the piece
};

// A walk that takes a band of its own at a time. A step waits for the loads of the one before, so a
// thread walks in several lanes by turns.
struct Lane {
  Walk walk;
  Band* band;  // or null
  BandMap* map;
  Number* loops;  // the points of the band's loops, or null while it follows paths
};

class Walker {
 public:
  Walker(Bands* bands, WalkMemory* memory)
      : bands_(*bands), memory_(*memory), turns_(memory->turns.get()) {
    for (int k = 0; k < kDirections; ++k)
      adds_[k] = memory->down * static_cast<Place>(kY[k]) + kRight * static_cast<Place>(kX[k]);
    adds_[kBegin] = adds_[kBegin ^ kEnd];
  }

  void run() {
    Start nothing[kLanes][kRounds + 1];
    Number scratch;
    Lane lanes[kLanes] = {};
    for (int i = 0; i < kLanes; ++i) lanes[i].map = &memory_.maps[i];
    for (;;) {
      bool is_busy = false;
      for (int i = 0; i < kLanes; ++i) {
        Lane& lane = lanes[i];
        if (lane.band != nullptr && is_at_end(lane)) end_list(&lane);
        if (lane.band == nullptr && i < bands_.lanes) take_band(&lane);
        if (lane.band == nullptr) {
          std::fill_n(nothing[i], kRounds + 1, kNothing);
          lane.walk = {kNothing.place, &scratch, nothing[i]};
        }
        is_busy |= lane.band != nullptr;
      }
      if (!is_busy) return;
      walk(lanes);
    }
  }

 private:
  // A function of its own, in which compilers have registers for all lanes.
  HWY_NOINLINE void walk(Lane* lanes) const {
    Walk walks[kLanes];
    for (int i = 0; i < kLanes; ++i) walks[i] = lanes[i].walk;
    for (int round = 0; round < kRounds; ++round)
      for (Walk& walk : walks) step(&walk);
    for (int i = 0; i < kLanes; ++i) lanes[i].walk = walks[i];
  }

  // Has no branches, since it is hard to predict where a piece ends.
  HWY_INLINE void step(Walk* walk) const {
    const Place add = adds_[direction(walk->place)];
    const Place place = walk->place + add;
    *walk->out = point(place);
    std::uint8_t* const at = turns_ + index(place);
    // Most chains go on in about this direction.
    __builtin_prefetch(at + 2 * (static_cast<std::int64_t>(add) >> kIndexShift), 1);
    const unsigned turn = *at;
    *at = kSeen;
    Start* const start = walk->start;
    const Place next = start[1].place, here = turned(turn, place);
    Number* const next_out = walk->out + 1;
    walk->out = turn < kSeen ? next_out : walk->out;
    start->end = walk->out;
    const bool is_end = (here & (kEnd | kSeen)) != 0;
    walk->place = is_end ? next : here;
    walk->start = start + is_end;
  }

  std::uint8_t& turn_at(Place place) const { return turns_[index(place)]; }

  // Takes the next band that has edges. Empties the lists of each that it takes.
  Band* next_band() {
    for (;;) {
      const auto number =
          static_cast<std::size_t>(bands_.next.fetch_add(1, std::memory_order_relaxed));
      if (number >= bands_.bands.size()) return nullptr;
      Band& band = bands_.bands[number];
      band.path_ends.clear();
      band.loop_ends.clear();
      band.open.clear();
      band.kept = {};
      if (band.edges > 0) return &band;
    }
  }

  void take_band(Lane* lane) {
    Band* band = lane->band = next_band();
    if (band == nullptr) return;
    BandMap* const map = lane->map;
    map->reserve(band->edges);
    make_map(&memory_, bands_.bits, band->first_row, band->last_row, map);
    lane->loops = nullptr;
    begin_list(lane, band->points);
  }

  void begin_list(Lane* lane, Number* out) const {
    BandMap& map = *lane->map;
    std::fill_n(map.starts.data() + map.start_count, kRounds + 1, kNothing);
    lane->walk = {map.starts[0].place, out, map.starts.data()};
  }

  static bool is_at_end(const Lane& lane) {
    return lane.walk.start >= lane.map->starts.data() + lane.map->start_count;
  }

  // What is left after the paths is on loops.
  void end_list(Lane* lane) const {
    if (lane->loops == nullptr) {
      list_paths(lane->band, *lane->map);
      find_loops(lane->map);
      lane->loops = lane->walk.out;
      begin_list(lane, lane->loops);
    } else {
      list_loops(*lane);
      lane->band = nullptr;
    }
  }

  // Half of the starts have no path, which branches can't predict.
  HWY_NOINLINE void list_paths(Band* band, const BandMap& map) const {
    band->path_ends.resize(map.start_count);
    std::uint32_t* const ends = band->path_ends.data();
    const std::size_t least = std::max<std::size_t>(bands_.least, 1);
    // A path is open only if it ends in the first or the last row.
    const Number second_row = static_cast<Number>(band->first_row + 1) << kRowShift;
    const Number last_row = static_cast<Number>(band->last_row - 1) << kRowShift;
    const Number* begin = band->points;
    std::uint32_t paths = 0;
    Kept kept;
    for (std::size_t i = 0; i < map.start_count; ++i) {
      const Number* const end = map.starts[i].end;
      const auto size = static_cast<std::size_t>(end - begin);
      ends[paths] = static_cast<std::uint32_t>(end - band->points);
      kept.chains += size >= least;
      kept.points += size >= least ? size : 0;
      const bool is_at_border = (*begin < second_row) | (end[-1] >= last_row);
      if (HWY_UNLIKELY(is_at_border & (size > 0)) && add_open(band, map, begin, size, paths)) {
        kept.chains -= size >= least;
        kept.points -= size >= least ? size : 0;
      }
      paths += size > 0;
      begin = end;
    }
    band->path_ends.resize(paths);
    band->kept = kept;
  }

  // Lists the peaks that no piece has. A loop comes to its first pixel from the last one.
  void find_loops(BandMap* map) const {
    map->start_count = 0;
    for (std::size_t i = 0; i < map->peak_count; ++i) {
      const Peaks& peaks = map->peaks[i];
      for (Word left = peaks.bits & unseen(&turn_at(peaks.first)); left != 0; left &= left - 1) {
        const Place place = peaks.first + kRight * static_cast<Place>(__builtin_ctzll(left));
        const int last = 31 - __builtin_clz(kTables.kept[neighborhood(point(place))]);
        const auto direction = static_cast<unsigned>(opposite(last));
        map->starts[map->start_count++] = {turned(direction, place + adds_[last])};
      }
    }
  }

  void list_loops(const Lane& lane) const {
    Band& band = *lane.band;
    const Number* begin = lane.loops;
    for (std::size_t i = 0; i < lane.map->start_count; ++i) {
      const Number* const end = lane.map->starts[i].end;
      if (end == begin) continue;
      band.loop_ends.push_back(static_cast<std::uint32_t>(end - band.points));
      band.kept.add(static_cast<std::size_t>(end - begin), bands_.least);
      begin = end;
    }
  }

  // Adds a path if links connect it with other bands. Returns whether they do.
  bool add_open(Band* band, const BandMap& map, const Number* points, std::size_t size,
                std::uint32_t path) const {
    Side sides[4] = {kNoSide, kNoSide};
    const Number ends[2] = {points[0], points[size - 1]};
    find_sides(*band, map, ends[0], sides);
    if (size > 1) find_sides(*band, map, ends[1], sides + 1);
    if (sides[0] == kNoSide && sides[1] == kNoSide) return false;
    const auto open = static_cast<std::uint32_t>(band->open.size());
    band->open.push_back({path, {sides[0], sides[1]}, {ends[0], ends[1]}, size, points});
    for (std::uint32_t i = 0; i < 2; ++i)
      if (sides[i] != kNoSide) bands_.pieces_at[sides[i]] = 2 * open + i;
    return true;
  }

  // The edges around a pixel, as in chain_links.h.
  unsigned neighborhood(Number point) const {
    const int x = static_cast<int>(point % (1u << kRowShift));
    const int y = static_cast<int>(point >> kRowShift);
    const auto three = [&](int row) HWY_ATTR {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(bands_.bits->row(row));
      std::uint16_t bits;
      std::memcpy(&bits, bytes + ((x - 1) >> 3), sizeof bits);
      return static_cast<unsigned>(bits) >> ((x - 1) & 7) & 7;
    };
    return three(y - 1) | three(y) << 3 | three(y + 1) << 6;
  }

  // Stores the sides of a point's links to other bands, two at most.
  void find_sides(const Band& band, const BandMap& map, Number from, Side* sides) const {
    const auto number = static_cast<std::size_t>(&band - bands_.bands.data());
    const std::uint32_t x = from % (1u << kRowShift), y = from >> kRowShift;
    const auto add = [&](const LinkRow& links, int plane, std::uint32_t lower_x, std::size_t border,
                         unsigned side) HWY_ATTR {
      const std::uint32_t word = lower_x / EdgeBits::kBits;
      const Word bit = Word{1} << lower_x % EdgeBits::kBits;
      if ((links.planes[plane][word] & bit) == 0) return;
      std::size_t before = links.planes[LinkRow::kCount][word];
      for (int k = LinkRow::kNw; k <= LinkRow::kNe; ++k)
        before += hwy::PopCount(links.planes[k][word] & (k < plane ? 2 * bit - 1 : bit - 1));
      const std::size_t link = border * Bands::most_links(bands_.bits->width()) + before;
      *sides++ = static_cast<Side>(2 * link + side);
    };
    if (number > 0 && y == static_cast<Number>(band.first_row))
      for (int k = LinkRow::kNw; k <= LinkRow::kNe; ++k) add(map.borders[0], k, x, number - 1, 1);
    if (number + 1 < bands_.bands.size() && y == static_cast<Number>(band.last_row) - 1) {
      add(map.borders[1], LinkRow::kNw, x + 1, number, 0);
      add(map.borders[1], LinkRow::kN, x, number, 0);
      if (x > 0) add(map.borders[1], LinkRow::kNe, x - 1, number, 0);
    }
  }

  Bands& bands_;
  WalkMemory& memory_;
  std::uint8_t* const turns_;
  Place adds_[2 * kEnd];
};

std::size_t count_ones_in(const Word* words, std::size_t count) {
  std::size_t ones = 0;
  for (std::size_t i = 0; i < count; ++i) ones += hwy::PopCount(words[i]);
  return ones;
}

void walk_bands(Bands* bands, WalkMemory* memory) {
  memory->set_size(bands->bits->words_per_row(), bands->most_rows);
  Walker(bands, memory).run();
}

}  // namespace
}  // namespace canny::chains::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace canny::chains {

HWY_EXPORT(count_ones_in);
HWY_EXPORT(walk_bands);

std::size_t count_ones(const EdgeBits::Word* words, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(count_ones_in)(words, count);
}

void walk(Bands* bands, WalkMemory* memory) { HWY_DYNAMIC_DISPATCH(walk_bands)(bands, memory); }

}  // namespace canny::chains
#endif  // HWY_ONCE
