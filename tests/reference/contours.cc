// SPDX-License-Identifier: LGPL-2.1-or-later
// Links neighbors, keeps two links of each pixel, and follows them.
#include "contours.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace reference {
namespace {

constexpr int kDirections = 8;  // E, SE, S, SW, W, NW, N, NE
constexpr int kX[kDirections] = {1, 1, 0, -1, -1, -1, 0, 1};
constexpr int kY[kDirections] = {0, 1, 1, 1, 0, -1, -1, -1};

int opposite(int direction) { return (direction + 4) % kDirections; }

// The angle between two directions, in eighths of a full turn.
int angle(int a, int b) {
  const int difference = std::abs(b - a);
  return std::min(difference, kDirections - difference);
}

struct Pixel {
  int x, y;

  Pixel to(int direction) const { return {x + kX[direction], y + kY[direction]}; }
};

class Map {
 public:
  Map(const std::vector<std::uint8_t>& pixels, int width, int height)
      : pixels_(pixels), width_(width), height_(height) {}

  bool is_edge(Pixel p) const {
    return p.x >= 0 && p.x < width_ && p.y >= 0 && p.y < height_ && pixels_[index(p)] != 0;
  }

  // The directions of chains from an edge pixel.
  std::vector<int> steps(Pixel p) const {
    std::vector<int> both_keep;
    for (const int k : kept(p)) {
      const std::vector<int> there = kept(p.to(k));
      if (std::find(there.begin(), there.end(), opposite(k)) != there.end()) both_keep.push_back(k);
    }
    return both_keep;
  }

  std::size_t index(Pixel p) const { return static_cast<std::size_t>(p.y) * width_ + p.x; }

 private:
  bool has_link(Pixel p, int direction) const {
    if (!is_edge(p.to(direction))) return false;
    const bool is_diagonal = direction % 2 == 1;
    return !is_diagonal ||
           (!is_edge(p.to(direction - 1)) && !is_edge(p.to((direction + 1) % kDirections)));
  }

  std::vector<int> kept(Pixel p) const {
    std::vector<int> links;
    for (int k = 0; k < kDirections; ++k)
      if (has_link(p, k)) links.push_back(k);
    if (links.size() <= 2) return links;
    std::vector<int> straightest;
    for (const int a : links)
      for (const int b : links)
        if (a < b && (straightest.empty() || angle(a, b) > angle(straightest[0], straightest[1])))
          straightest = {a, b};
    return straightest;
  }

  const std::vector<std::uint8_t>& pixels_;
  int width_, height_;
};

// Follows chains. Remembers which pixels were on one.
class Follower {
 public:
  Follower(const Map& map, std::size_t pixels) : map_(map), seen_(pixels) {}

  bool has_seen(Pixel p) const { return seen_[map_.index(p)]; }

  // The points from a pixel on, first along its step of the lowest direction.
  ChainPoints follow(Pixel p) {
    ChainPoints points;
    for (std::optional<Pixel> next = p; next;) {
      p = *next;
      seen_[map_.index(p)] = true;
      points.emplace_back(p.x, p.y);
      next.reset();
      for (const int k : map_.steps(p))
        if (!next && !has_seen(p.to(k))) next = p.to(k);
    }
    return points;
  }

 private:
  const Map& map_;
  std::vector<bool> seen_;
};

}  // namespace

std::vector<ChainPoints> contours(const std::vector<std::uint8_t>& pixels, int width, int height) {
  const Map map(pixels, width, height);
  Follower follower(map, pixels.size());
  std::vector<ChainPoints> chains;
  const auto from_each = [&](bool wants_ends) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if (map.is_edge({x, y}) && !follower.has_seen({x, y}) &&
            (map.steps({x, y}).size() < 2) == wants_ends)
          chains.push_back(follower.follow({x, y}));
  };
  from_each(true);   // paths
  from_each(false);  // the pixels that are left are on loops
  std::sort(chains.begin(), chains.end(), [](const ChainPoints& a, const ChainPoints& b) {
    return std::pair(a[0].second, a[0].first) < std::pair(b[0].second, b[0].first);
  });
  return chains;
}

bool is_closed(const ChainPoints& chain) {
  return chain.size() >= 3 && std::abs(chain.front().first - chain.back().first) <= 1 &&
         std::abs(chain.front().second - chain.back().second) <= 1;
}

}  // namespace reference
