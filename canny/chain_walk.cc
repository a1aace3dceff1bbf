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

constexpr std::uint32_t kBits = EdgeBits::kBits;
constexpr std::uint32_t kNoPixel = 0xffffffff;

// How many lanes a thread has: enough to hide most of the latency of a step.
constexpr int kLanes = 4;

Word* first_word(EdgeBits* map) { return map->row(-1) - 1; }

// A walk that takes a band of its own at a time. A step waits for the loads of the one before, so a
// thread walks in several lanes by turns.
struct Lane {
  std::uint32_t pixel, direction, point;  // the last point, and the step that it takes next
  std::uint32_t first_pixel, pixels;      // of the band
  Number* out;
  std::uint32_t loop_pixel;  // the first one of a loop, or kNoPixel
  Side first_side;           // of a path
  Band* band;
  std::uint32_t first_point;  // of the piece, among the band's
  bool is_in_loops;
  std::uint32_t word, last_word;  // where the search for the next piece goes on
};

class Walker {
 public:
  Walker(Bands* bands, LinkRows* rows)
      : bands_(*bands),
        rows_(*rows),
        bytes_(reinterpret_cast<const std::uint8_t*>(first_word(bands->bits))),
        stride_bytes_(bands->bits->stride() * static_cast<std::ptrdiff_t>(sizeof(Word))),
        peaks_(first_word(&bands->peaks)) {
    for (int k = 0; k < kDirections; ++k) {
      adds_[k].pixel = static_cast<std::uint32_t>(kY[k] * stride_bytes_ * 8 + kX[k]);
      adds_[k].point = static_cast<std::uint32_t>(kY[k] * (1 << kRowShift) + kX[k]);
    }
  }

  void run() {
    Lane lanes[kLanes] = {};
    int count = 0;
    for (int i = std::min(kLanes, bands_.lanes); i > 0; --i)
      if (begin_piece(&lanes[count])) ++count;
    while (count > 0)
      for (int i = 0; i < count; ++i)
        if (!step(&lanes[i]) && !begin_piece(&lanes[i])) lanes[i--] = lanes[--count];
  }

 private:
  // What a step in a direction adds.
  struct Add {
    std::uint32_t pixel, point;
  };

  // Returns whether the piece goes on.
  HWY_INLINE bool step(Lane* lane) {
    const std::uint32_t next = lane->pixel + adds_[lane->direction].pixel;
    const unsigned found = kTables.step[lane->direction][neighborhood(next)];
    const bool is_end =
        (found >= kLast) | (next - lane->first_pixel >= lane->pixels) | (next == lane->loop_pixel);
    if (is_end) {
      end_piece_before(lane, next, found);
      return false;
    }
    // What is left of the peaks is on loops.
    peaks_[next / kBits] &= ~(Word{found / kPeak} << next % kBits);
    lane->pixel = next;
    lane->point += adds_[lane->direction].point;
    *lane->out++ = lane->point;
    lane->direction = found % kDirections;
    return true;
  }

  // Pixels are numbered through all bits.
  HWY_INLINE unsigned neighborhood(std::uint32_t pixel) const {
    const std::uint8_t* byte = bytes_ + (pixel - 1) / 8;
    const unsigned shift = (pixel - 1) % 8;
    const auto three = [&](std::ptrdiff_t offset) HWY_ATTR {
      std::uint16_t bits;
      std::memcpy(&bits, byte + offset, sizeof bits);
      return static_cast<unsigned>(bits) >> shift & 7;
    };
    return three(-stride_bytes_) | three(0) << 3 | three(stride_bytes_) << 6;
  }

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

  bool take_band(Lane* lane) {
    Band* band = lane->band = next_band();
    if (band == nullptr) return false;
    find_ends(&rows_, bands_.bits, band->first_row, band->last_row, &bands_.ends, &bands_.peaks);
    Word* const origin = first_word(&bands_.ends);
    lane->word = static_cast<std::uint32_t>(bands_.ends.row(band->first_row) - origin);
    lane->last_word = static_cast<std::uint32_t>(bands_.ends.row(band->last_row) - origin);
    lane->first_pixel = lane->word * kBits;
    lane->pixels = lane->last_word * kBits - lane->first_pixel;
    lane->is_in_loops = false;
    lane->out = band->points;
    lane->first_point = 0;
    return true;
  }

  // Stores the first point of a piece.
  void begin_piece_at(Lane* lane, std::uint32_t pixel) const {
    const auto stride = static_cast<std::uint32_t>(bands_.bits->stride());
    const std::uint32_t word = pixel / kBits, row = word / stride;
    lane->pixel = pixel;
    // One row and one word come before the first pixel.
    lane->point = (row - 1) << kRowShift | (pixel - (row * stride + 1) * kBits);
    *lane->out++ = lane->point;
  }

  // Begins the next piece of two points or more, and stores those of one point before it. Returns
  // whether there is one.
  bool begin_piece(Lane* lane) {
    for (;;) {
      if (lane->band == nullptr && !take_band(lane)) return false;
      Word* const words = first_word(lane->is_in_loops ? &bands_.peaks : &bands_.ends);
      while (lane->word < lane->last_word && words[lane->word] == 0) ++lane->word;
      if (lane->word == lane->last_word) {
        lane->word = lane->first_pixel / kBits;
        if (lane->is_in_loops) lane->band = nullptr;
        lane->is_in_loops = true;
        continue;
      }
      Word& word = words[lane->word];
      const std::uint32_t pixel =
          lane->word * kBits + static_cast<std::uint32_t>(__builtin_ctzll(word));
      word &= word - 1;
      if (!lane->is_in_loops) {
        if (begin_path(lane, pixel)) return true;
        continue;
      }
      begin_piece_at(lane, pixel);
      lane->loop_pixel = pixel;
      lane->direction =
          static_cast<std::uint32_t>(__builtin_ctz(kTables.kept[neighborhood(pixel)]));
      return true;
    }
  }

  // The side of the link in a direction from the lane's pixel to another band.
  Side side_of(const Lane& lane, unsigned direction) const {
    const bool is_down = is_forward(static_cast<int>(direction));
    const auto band = static_cast<std::size_t>(lane.band - bands_.bands.data());
    const std::size_t x = (lane.point & ((1u << kRowShift) - 1)) + (is_down ? 0 : kX[direction]);
    const unsigned downwards = is_down ? direction : opposite(static_cast<int>(direction));
    return static_cast<Side>((band - !is_down) * Bands::sides(bands_.bits->width()) +
                             2 * (3 * x + downwards - 1) + !is_down);
  }

  // Begins a path at one of its ends. Returns whether it has more points.
  bool begin_path(Lane* lane, std::uint32_t pixel) {
    begin_piece_at(lane, pixel);
    lane->first_side = kNoSide;
    lane->loop_pixel = kNoPixel;
    const unsigned kept = kTables.kept[neighborhood(pixel)];
    if (kept == 0) return end_piece(lane, kDirections), false;
    const auto a = static_cast<unsigned>(__builtin_ctz(kept));
    const auto b = static_cast<unsigned>(31 - __builtin_clz(kept));
    const std::uint32_t to_a = pixel + adds_[a].pixel, to_b = pixel + adds_[b].pixel;
    const bool links_a = kTables.step[a][neighborhood(to_a)] != kNoLink;
    const bool links_b = kTables.step[b][neighborhood(to_b)] != kNoLink && a != b;
    const bool is_a_inside = to_a - lane->first_pixel < lane->pixels;
    const bool is_b_inside = to_b - lane->first_pixel < lane->pixels;
    // One of the links at most is inside. No branch tells which one.
    lane->direction = (links_a & is_a_inside) != 0 ? a : b;
    unsigned outside[2], count = 0;
    if (links_a && !is_a_inside) outside[count++] = a;
    if (links_b && !is_b_inside) outside[count++] = b;
    const bool goes_on = ((links_a & is_a_inside) | (links_b & is_b_inside)) != 0;
    if (count + goes_on == 2) lane->first_side = side_of(*lane, outside[0]);
    if (!goes_on) end_piece(lane, count == 0 ? kDirections : outside[count - 1]);
    return goes_on;
  }

  // Ends the piece at the lane's pixel. The direction is that of a link to another band, or none.
  void end_piece(Lane* lane, unsigned direction) {
    Band& band = *lane->band;
    const auto end = static_cast<std::uint32_t>(lane->out - band.points);
    std::vector<std::uint32_t>& ends = lane->is_in_loops ? band.loop_ends : band.path_ends;
    const std::size_t size = end - lane->first_point;
    ends.push_back(end);
    lane->first_point = end;
    if (lane->is_in_loops) return band.kept.add(size, bands_.least);
    // The search for paths does not begin at this end, too.
    first_word(&bands_.ends)[lane->pixel / kBits] &= ~(Word{1} << lane->pixel % kBits);
    const Side last_side = direction == kDirections ? kNoSide : side_of(*lane, direction);
    if (lane->first_side == kNoSide && last_side == kNoSide)
      return band.kept.add(size, bands_.least);
    const auto open = static_cast<std::uint32_t>(band.open.size());
    band.open.push_back(
        {static_cast<std::uint32_t>(ends.size() - 1), {lane->first_side, last_side}});
    if (lane->first_side != kNoSide) bands_.pieces_at[lane->first_side] = 2 * open;
    if (last_side != kNoSide) bands_.pieces_at[last_side] = 2 * open + 1;
  }

  // Ends the piece at the lane's pixel or, if it is the last one, at the pixel of the next step.
  // There is memory for a point too many.
  void end_piece_before(Lane* lane, std::uint32_t pixel, unsigned found) {
    const bool is_outside = pixel - lane->first_pixel >= lane->pixels;
    const bool takes = (found == kLast) & !is_outside;
    *lane->out = lane->point + adds_[lane->direction].point;
    lane->out += takes;
    lane->pixel = takes ? pixel : lane->pixel;
    end_piece(lane, is_outside && found != kNoLink ? lane->direction : kDirections);
  }

  Bands& bands_;
  LinkRows& rows_;
  const std::uint8_t* const bytes_;  // of pixel 0, in the word before the row above the first one
  const std::ptrdiff_t stride_bytes_;
  Word* const peaks_;
  Add adds_[kDirections];
};

std::size_t count_ones_in(const Word* words, std::size_t count) {
  std::size_t ones = 0;
  for (std::size_t i = 0; i < count; ++i) ones += hwy::PopCount(words[i]);
  return ones;
}

void walk_bands(Bands* bands, LinkRows* rows) {
  rows->set_width(bands->bits->words_per_row());
  Walker(bands, rows).run();
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

void walk(Bands* bands, LinkRows* rows) { HWY_DYNAMIC_DISPATCH(walk_bands)(bands, rows); }

}  // namespace canny::chains
#endif  // HWY_ONCE
