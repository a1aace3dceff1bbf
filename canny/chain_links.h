// SPDX-License-Identifier: LGPL-2.1-or-later
// The links that make chains, as tables. docs/reference/edge-map.md defines them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace canny::chains {

// The directions of the 8 neighbors: E, SE, S, SW, W, NW, N, NE. The first four lead to pixels that
// come later in raster order.
inline constexpr int kDirections = 8;
inline constexpr int kX[kDirections] = {1, 1, 0, -1, -1, -1, 0, 1};
inline constexpr int kY[kDirections] = {0, 1, 1, 1, 0, -1, -1, -1};

constexpr int opposite(int direction) { return (direction + kDirections / 2) % kDirections; }

// A neighborhood is a number of 9 bits: the 3 pixels of the upper row, from the left, of the middle
// row and of the lower row.
inline constexpr int kNeighborhoods = 1 << 9;

struct Tables {
  std::uint8_t kept[kNeighborhoods];  // a bit for each direction
};

constexpr unsigned links(int neighborhood) {
  unsigned neighbors = 0;
  for (int k = 0; k < kDirections; ++k)
    if (neighborhood >> (3 * (kY[k] + 1) + kX[k] + 1) & 1) neighbors |= 1u << k;
  unsigned links = 0;
  for (int k = 0; k < kDirections; ++k) {
    const unsigned beside = 1u << (k + 1) % kDirections | 1u << (k + 7) % kDirections;
    if (neighbors >> k & 1 && (k % 2 == 0 || (neighbors & beside) == 0)) links |= 1u << k;
  }
  return links;
}

// All of up to two links, else the straightest pair.
constexpr unsigned kept(unsigned links) {
  unsigned best = links;
  int count = 0, straightest = 0;
  for (int a = 0; a < kDirections; ++a) {
    if ((links >> a & 1) == 0) continue;
    ++count;
    for (int b = a + 1; b < kDirections; ++b) {
      const int angle = std::min(b - a, kDirections - (b - a));
      if ((links >> b & 1) == 0 || angle <= straightest) continue;
      straightest = angle;
      best = 1u << a | 1u << b;
    }
  }
  return count <= 2 ? links : best;
}

constexpr Tables make_tables() {
  Tables tables = {};
  for (int i = 0; i < kNeighborhoods; ++i)
    tables.kept[i] = static_cast<std::uint8_t>(kept(links(i)));
  return tables;
}

inline constexpr Tables kTables = make_tables();

}  // namespace canny::chains
