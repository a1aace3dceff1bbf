// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies between frames and the host's copies of a device's memory.
#include "canny/transfer.h"

#include <algorithm>
#include <cstring>

#include "canny/arena.h"

namespace canny {
namespace {

// The threads with which the calling thread copies: only its own if no others can be started.
Arena& copying_threads() {
  struct Threads {
    Arena arena;
    Threads() noexcept {
      try {
        arena.set_threads(static_cast<int>(usable_threads(0)));
      } catch (...) {
      }
    }
  };
  thread_local Threads threads;
  return threads.arena;
}

}  // namespace

void copy_rows(const Rows<const std::uint8_t>& from, const Rows<std::uint8_t>& to) {
  constexpr std::size_t kBytesPerTask = std::size_t{1} << 18;
  const std::size_t grain = std::max<std::size_t>(kBytesPerTask / to.bytes, 1);
  const std::size_t tasks = (to.count + grain - 1) / grain;
  const auto copy = [&](int task) {
    const std::size_t first = task * grain, last = std::min(first + grain, to.count);
    for (std::size_t y = first; y < last; ++y)
      std::memcpy(to.data + y * to.pitch, from.data + y * from.pitch, to.bytes);
  };
  if (tasks == 1) return copy(0);
  // In an arena of its own, this is not a part of the caller's loop, which may end early; nor does
  // this thread take tasks of that loop meanwhile, which could call this detector again.
  copying_threads().parallel_for(static_cast<int>(tasks), copy);
}

void copy_planes(const std::uint8_t* from, const Frame& to) {
  for (int i = 0; i < plane_count(to); ++i) {
    const Rows<std::uint8_t> rows = rows_of(plane(to, i));
    const std::size_t pitch = pitch_of(static_cast<int>(rows.bytes));
    copy_rows({from + plane_offset(to, i), pitch, rows.bytes, rows.count}, rows);
  }
}

void write_words(const Region& region, int width, int height, RectangleRows* rectangles,
                 std::uint8_t* words) {
  const std::size_t bytes = word_row_bytes(width);
  rectangles->begin(region.rectangles, region.rectangle_count, width, height);
  const Box& bounds = rectangles->bounds();
  for (int y = 0; y < height; ++y) {
    std::uint8_t* row = words + bytes * y;
    if (y >= bounds.top && y < bounds.bottom)
      std::memcpy(row, rectangles->next(), bytes);
    else
      std::memset(row, 0, bytes);
  }
}

void copy_words(const std::uint8_t* words, EdgeBits* bits) {
  const std::size_t bytes = word_row_bytes(bits->width());
  for (int y = 0; y < bits->height(); ++y) std::memcpy(bits->row(y), words + y * bytes, bytes);
}

}  // namespace canny
