// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows edges pixel by pixel.
#include "contours.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace reference {
namespace {

struct Direction {
  int x, y;
};

// The angle from one direction to another one, in radians, clockwise since rows go downwards.
double turn(Direction from, Direction to) {
  return std::atan2(from.x * to.y - from.y * to.x, from.x * to.x + from.y * to.y);
}

// Diagonal steps come last, then large turns, then left turns.
auto rank(Direction from, Direction to) {
  const double angle = turn(from, to);
  return std::make_tuple(to.x != 0 && to.y != 0, std::lround(std::abs(angle) * 1000), angle < 0);
}

class Map {
 public:
  Map(std::vector<std::uint8_t> pixels, int width, int height)
      : pixels_(std::move(pixels)), width_(width), height_(height) {}

  bool has(int x, int y) const {
    return x >= 0 && x < width_ && y >= 0 && y < height_ && pixels_[index(x, y)] != 0;
  }
  void take(int x, int y) { pixels_[index(x, y)] = 0; }

  std::optional<Direction> next(int x, int y, Direction last) const {
    std::optional<Direction> best;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if ((dx == 0 && dy == 0) || !has(x + dx, y + dy)) continue;
        const Direction to = {dx, dy};
        if (!best || rank(last, to) < rank(last, *best)) best = to;
      }
    }
    return best;
  }

  // Takes the pixels that follow (x, y).
  ChainPoints follow(int x, int y, Direction last) {
    ChainPoints points;
    while (const std::optional<Direction> step = next(x, y, last)) {
      last = *step;
      x += last.x;
      y += last.y;
      take(x, y);
      points.emplace_back(x, y);
    }
    return points;
  }

 private:
  std::size_t index(int x, int y) const { return static_cast<std::size_t>(y) * width_ + x; }

  std::vector<std::uint8_t> pixels_;
  int width_, height_;
};

}  // namespace

std::vector<ChainPoints> contours(std::vector<std::uint8_t> pixels, int width, int height) {
  Map map(std::move(pixels), width, height);
  std::vector<ChainPoints> chains;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (!map.has(x, y)) continue;
      map.take(x, y);
      const ChainPoints there = map.follow(x, y, {1, 0});
      ChainPoints back;
      if (!there.empty()) back = map.follow(x, y, {x - there[0].first, y - there[0].second});
      ChainPoints chain = {{x, y}};
      chain.insert(chain.end(), there.begin(), there.end());
      if (!back.empty()) std::reverse(chain.begin(), chain.end());
      chain.insert(chain.end(), back.begin(), back.end());
      chains.push_back(chain);
    }
  }
  return chains;
}

}  // namespace reference
