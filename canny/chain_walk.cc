// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows chains pixel by pixel within bands of rows.
#include "canny/chain_walk.h"

#include <cstring>

namespace canny::chains {
namespace {

using Word = EdgeBits::Word;
constexpr std::uint32_t kBits = EdgeBits::kBits;
constexpr std::uint32_t kNoPixel = 0xffffffff;

// How many lanes a thread has: enough to hide most of the latency of a step.
constexpr int kLanes = 4;

Word* first_word(EdgeBits* map) { return map->row(-1) - 1; }

}  // namespace

struct Walker::Lane {
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

// The neighborhood of a pixel that is not in the first column of the words.
unsigned Walker::neighborhood(std::uint32_t pixel) const {
  const std::uint8_t* byte = bytes_ + (pixel - 1) / 8;
  const unsigned shift = (pixel - 1) % 8;
  const auto three = [&](std::ptrdiff_t offset) {
    std::uint16_t bits;
    std::memcpy(&bits, byte + offset, sizeof bits);
    return static_cast<unsigned>(bits) >> shift & 7;
  };
  return three(-stride_bytes_) | three(0) << 3 | three(stride_bytes_) << 6;
}

bool Walker::take_band(Lane* lane) {
  const int number = bands_->next.fetch_add(1, std::memory_order_relaxed);
  if (number >= static_cast<int>(bands_->bands.size())) return false;
  Band* band = lane->band = &bands_->bands[number];
  finder_.find(bands_->bits, band->first_row, band->last_row, &bands_->ends, &bands_->peaks);
  band->path_ends.clear();
  band->loop_ends.clear();
  band->open.clear();
  band->kept = {};
  Word* const origin = first_word(&bands_->ends);
  lane->word = static_cast<std::uint32_t>(bands_->ends.row(band->first_row) - origin);
  lane->last_word = static_cast<std::uint32_t>(bands_->ends.row(band->last_row) - origin);
  lane->first_pixel = lane->word * kBits;
  lane->pixels = lane->last_word * kBits - lane->first_pixel;
  lane->is_in_loops = false;
  lane->out = band->points;
  lane->first_point = 0;
  return true;
}

// Stores the first point of a piece.
void Walker::begin_piece_at(Lane* lane, std::uint32_t pixel) const {
  const auto stride = static_cast<std::uint32_t>(bands_->bits->stride());
  const std::uint32_t word = pixel / kBits, row = word / stride;
  lane->pixel = pixel;
  // One row and one word come before the first pixel.
  lane->point = (row - 1) << kRowShift | (pixel - (row * stride + 1) * kBits);
  *lane->out++ = lane->point;
}

// Begins the next piece of two points or more, and stores those of one point before it. Returns
// whether there is one.
bool Walker::begin_piece(Lane* lane) {
  for (;;) {
    if (lane->band == nullptr && !take_band(lane)) return false;
    Word* const words = first_word(lane->is_in_loops ? &bands_->peaks : &bands_->ends);
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
    lane->direction = static_cast<std::uint32_t>(__builtin_ctz(kTables.kept[neighborhood(pixel)]));
    return true;
  }
}

// The side of the link in a direction from the lane's pixel to another band.
Side Walker::side_of(const Lane& lane, int direction) const {
  const bool is_down = is_forward(direction);
  const auto band = static_cast<std::size_t>(lane.band - bands_->bands.data());
  const std::size_t x = (lane.point & ((1u << kRowShift) - 1)) + (is_down ? 0 : kX[direction]);
  const int downwards = is_down ? direction : opposite(direction);
  return static_cast<Side>((band - !is_down) * Bands::sides(bands_->bits->width()) +
                           2 * (3 * x + downwards - 1) + !is_down);
}

// Begins a path at one of its ends. Returns whether it has more points.
bool Walker::begin_path(Lane* lane, std::uint32_t pixel) {
  begin_piece_at(lane, pixel);
  lane->first_side = kNoSide;
  lane->loop_pixel = kNoPixel;
  int inside = kDirections, outside = kDirections;
  for (unsigned kept = kTables.kept[neighborhood(pixel)]; kept != 0; kept &= kept - 1) {
    const int direction = __builtin_ctz(kept);
    const std::uint32_t next = pixel + add_to_pixel_[direction];
    if (kTables.step[direction][neighborhood(next)] == kNoLink) continue;
    if (next - lane->first_pixel < lane->pixels) {
      inside = direction;
    } else {
      if (outside < kDirections) lane->first_side = side_of(*lane, outside);
      outside = direction;
    }
  }
  lane->direction = static_cast<std::uint32_t>(inside);
  if (inside == kDirections) return end_piece(lane, outside), false;
  if (outside < kDirections) lane->first_side = side_of(*lane, outside);
  return true;
}

// Ends the piece at the lane's pixel. The direction is that of a link to another band, or none.
void Walker::end_piece(Lane* lane, int direction) {
  Band& band = *lane->band;
  const auto end = static_cast<std::uint32_t>(lane->out - band.points);
  std::vector<std::uint32_t>& ends = lane->is_in_loops ? band.loop_ends : band.path_ends;
  const std::size_t size = end - lane->first_point;
  ends.push_back(end);
  lane->first_point = end;
  if (lane->is_in_loops) return band.kept.add(size, bands_->least);
  // The search for paths does not begin at this end, too.
  first_word(&bands_->ends)[lane->pixel / kBits] &= ~(Word{1} << lane->pixel % kBits);
  const Side last_side = direction == kDirections ? kNoSide : side_of(*lane, direction);
  if (lane->first_side == kNoSide && last_side == kNoSide)
    return band.kept.add(size, bands_->least);
  const auto open = static_cast<std::uint32_t>(band.open.size());
  band.open.push_back({static_cast<std::uint32_t>(ends.size() - 1), {lane->first_side, last_side}});
  if (lane->first_side != kNoSide) bands_->pieces_at[lane->first_side] = 2 * open;
  if (last_side != kNoSide) bands_->pieces_at[last_side] = 2 * open + 1;
}

void Walker::add_point(Lane* lane, std::uint32_t pixel) const {
  lane->pixel = pixel;
  lane->point += add_to_point_[lane->direction];
  *lane->out++ = lane->point;
}

// Takes a step to a pixel where it finds something rare. Returns whether the piece goes on.
bool Walker::take_rare_step(Lane* lane, std::uint32_t pixel, unsigned found) {
  if (found == kNoLink) return end_piece(lane, kDirections), false;
  if (pixel - lane->first_pixel >= lane->pixels)
    return end_piece(lane, static_cast<int>(lane->direction)), false;
  if ((found & kPeak) != 0) {
    // What is left of the peaks is on loops.
    first_word(&bands_->peaks)[pixel / kBits] &= ~(Word{1} << pixel % kBits);
    if (pixel == lane->loop_pixel) return end_piece(lane, kDirections), false;
  }
  add_point(lane, pixel);
  if (found == kLast) return end_piece(lane, kDirections), false;
  lane->direction = found % kDirections;
  return true;
}

void Walker::run(Bands* bands) {
  bands_ = bands;
  bytes_ = reinterpret_cast<const std::uint8_t*>(first_word(bands->bits));
  stride_bytes_ = bands->bits->stride() * static_cast<std::ptrdiff_t>(sizeof(Word));
  for (int k = 0; k < kDirections; ++k) {
    add_to_pixel_[k] = static_cast<std::uint32_t>(kY[k] * stride_bytes_ * 8 + kX[k]);
    add_to_point_[k] = static_cast<std::uint32_t>(kY[k] * (1 << kRowShift) + kX[k]);
  }
  Lane lanes[kLanes] = {};
  int count = 0;
  for (int i = 0; i < kLanes; ++i)
    if (begin_piece(&lanes[count])) ++count;
  while (count > 0) {
    for (int i = 0; i < count; ++i) {
      Lane& lane = lanes[i];
      const std::uint32_t next = lane.pixel + add_to_pixel_[lane.direction];
      const unsigned found = kTables.step[lane.direction][neighborhood(next)];
      if (found < kDirections && next - lane.first_pixel < lane.pixels) {
        add_point(&lane, next);
        lane.direction = found;
      } else if (!take_rare_step(&lane, next, found) && !begin_piece(&lane)) {
        lanes[i--] = lanes[--count];
      }
    }
  }
}

}  // namespace canny::chains
