// SPDX-License-Identifier: LGPL-2.1-or-later
/// Hysteresis until stable, and with a number of passes.
#include <algorithm>
#include <utility>

#include "reference.h"

namespace reference {
namespace {

/// A rectangle of pixels: left <= x < right, top <= y < bottom.
struct Rectangle {
  int left, top, right, bottom;

  bool contains(int x, int y) const { return x >= left && x < right && y >= top && y < bottom; }
};

/// Calls visit(x, y) for those of the 8 neighbors of (x, y) that are inside `area`.
template <class Visit>
void for_each_neighbor(const Rectangle& area, int x, int y, Visit visit) {
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      if ((dx != 0 || dy != 0) && area.contains(x + dx, y + dy)) visit(x + dx, y + dy);
    }
  }
}

struct Pixel {
  std::int16_t x, y;
};

/// Adds to `edges` the candidates in `area` that are 8-connected, through candidates in `area`, to
/// a pixel of `seeds`. All `seeds` are edges already.
void flood(const Bytes& candidate, const Rectangle& area, std::vector<Pixel>& seeds, Bytes& edges) {
  while (!seeds.empty()) {
    const Pixel pixel = seeds.back();
    seeds.pop_back();
    for_each_neighbor(area, pixel.x, pixel.y, [&](int x, int y) {
      if (!candidate.row(y)[x] || edges.row(y)[x]) return;
      edges.row(y)[x] = 1;
      seeds.push_back({std::int16_t(x), std::int16_t(y)});
    });
  }
}

/// The candidates of `tile` from which pass k + 1 starts: candidates in E(k), and candidates
/// 8-adjacent to a pixel of E(k) outside the tile.
std::vector<Pixel> tile_seeds(const Bytes& candidate, const Bytes& e_k, const Rectangle& tile) {
  const Rectangle image{0, 0, candidate.width, candidate.height};
  std::vector<Pixel> seeds;
  for (int y = tile.top; y < tile.bottom; y++) {
    for (int x = tile.left; x < tile.right; x++) {
      if (!candidate.row(y)[x]) continue;
      bool seed = e_k.row(y)[x];
      for_each_neighbor(image, x, y, [&](int column, int row) {
        seed |= !tile.contains(column, row) && e_k.row(row)[column];
      });
      if (seed) seeds.push_back({std::int16_t(x), std::int16_t(y)});
    }
  }
  return seeds;
}

/// E(k + 1) from E(k).
Bytes hysteresis_pass(const Bytes& candidate, const Bytes& e_k) {
  Bytes next = e_k;
  for (int top = 0; top < candidate.height; top += kTile) {
    for (int left = 0; left < candidate.width; left += kTile) {
      const Rectangle tile{left, top, std::min(left + kTile, candidate.width),
                           std::min(top + kTile, candidate.height)};
      std::vector<Pixel> seeds = tile_seeds(candidate, e_k, tile);
      for (const Pixel& seed : seeds) next.row(seed.y)[seed.x] = 1;
      flood(candidate, tile, seeds, next);
    }
  }
  return next;
}

}  // namespace

Bytes hysteresis(const Candidates& candidates) {
  const Rectangle image{0, 0, candidates.candidate.width, candidates.candidate.height};
  Bytes edges(image.right, image.bottom);
  std::vector<Pixel> seeds;
  for (int y = 0; y < image.bottom; y++) {
    for (int x = 0; x < image.right; x++) {
      if (!candidates.strong.row(y)[x] || edges.row(y)[x]) continue;
      edges.row(y)[x] = 1;
      seeds.push_back({std::int16_t(x), std::int16_t(y)});
      flood(candidates.candidate, image, seeds, edges);
    }
  }
  return edges;
}

Bytes hysteresis(const Candidates& candidates, unsigned passes) {
  if (passes == 0) return hysteresis(candidates);
  Bytes edges = candidates.strong;
  for (unsigned k = 0; k < passes; k++) {
    Bytes next = hysteresis_pass(candidates.candidate, edges);
    if (next.samples == edges.samples) break;  // so does every later pass
    edges = std::move(next);
  }
  return edges;
}

}  // namespace reference
