// SPDX-License-Identifier: LGPL-2.1-or-later
// Edge maps of every size up to 130x130: masks, random pixels and a grid.
#pragma once

#include <cstdint>
#include <iterator>

#include "canny/arena.h"
#include "canny/edge_bits.h"
#include "canny/pack.h"
#include "reference/masks.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace small_maps {

inline constexpr int kPercents[] = {2, 5, 20, 41, 60, 80, 90};
/// Shares no factor with the number of widths, so that each width meets each content.
inline constexpr int kContents = masks::kMasks + static_cast<int>(std::size(kPercents)) + 1;
static_assert(kContents == 19);

/// Of so many per cent.
inline reference::Bytes scatter(int percent, int width, int height, reference::Random& random) {
  reference::Bytes map(width, height);
  for (std::uint8_t& pixel : map.samples) pixel = random.between(0, 99) < percent;
  return map;
}

inline reference::Bytes content(int number, int width, int height, reference::Random& random) {
  if (number < masks::kMasks)
    return masks::candidates(static_cast<masks::Mask>(number), width, height);
  number -= masks::kMasks;
  if (number < static_cast<int>(std::size(kPercents)))
    return scatter(kPercents[number], width, height, random);
  reference::Bytes grid(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) grid.row(y)[x] = x % 5 == 0 || y % 4 == 0;
  return grid;
}

inline void pack(const reference::Bytes& map, canny::EdgeBits* bits) {
  bits->set_size(map.width, map.height);
  for (int y = 0; y < map.height; ++y) canny::pack_row(map.row(y), map.width, bits->row(y));
}

/// Calls test(number, map, arena, random) for every `step`-th map, with arenas of several threads.
template <class Test>
void for_each(std::uint64_t step, const Test& test) {
  constexpr int kSide = 130;
  constexpr unsigned kThreads[] = {1, 2, 3, 8};
  canny::Arena arenas[std::size(kThreads)];
  for (std::size_t i = 0; i < std::size(kThreads); ++i)
    arenas[i].set_threads(static_cast<int>(canny::usable_threads(kThreads[i])));
  reference::Random random(9);
  for (std::uint64_t number = 0; number < kSide * kSide; number += step) {
    const int width = static_cast<int>(number % kSide) + 1;
    const int height = static_cast<int>(number / kSide) + 1;
    const auto map = content(static_cast<int>(number % kContents), width, height, random);
    test(number, map, &arenas[(width + height) % std::size(kThreads)], random);
  }
}

}  // namespace small_maps
