// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the masks.
#include "masks.h"

#include <algorithm>
#include <iterator>

#include "reference/random.h"

namespace masks {
namespace {

using reference::Bytes;
using reference::Candidates;

constexpr const char* kNames[] = {"spiral",       "serpentine", "vserpentine",
                                  "checkerboard", "random41",   "random60"};

template <class Predicate>
Bytes plane_of(int width, int height, Predicate is_candidate) {
  Bytes plane(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) plane.row(y)[x] = is_candidate(x, y);
  return plane;
}

/// From the top left corner inwards. A step goes ahead unless it meets the border, or comes to or
/// next to an earlier turn.
Bytes spiral(int width, int height) {
  Bytes plane(width, height);
  int x = 0, y = 0, dx = 1, dy = 0;
  const auto inside = [&](int steps) {
    const int column = x + steps * dx, row = y + steps * dy;
    return column >= 0 && column < width && row >= 0 && row < height;
  };
  const auto drawn = [&](int steps) { return plane.row(y + steps * dy)[x + steps * dx] != 0; };
  const auto is_free = [&] { return inside(1) && !drawn(1) && (!inside(2) || !drawn(2)); };
  plane.row(0)[0] = 1;
  for (int turns = 0; turns < 2; ++turns) {
    for (; is_free(); turns = 0) {
      x += dx;
      y += dy;
      plane.row(y)[x] = 1;
    }
    std::swap(dx, dy);
    dx = -dx;
  }
  return plane;
}

/// Whether line `i` at `position` of `length` is a candidate: even lines are whole, odd ones join
/// their neighbours.
bool serpentine(int i, int position, int length) {
  return i % 2 == 0 || position == (i % 4 == 1 ? length - 1 : 0);
}

Candidates random_mask(int width, int height, int percent) {
  reference::Random random(4);
  Candidates result{{width, height}, {width, height}};
  for (std::size_t i = 0; i < result.candidate.samples.size(); ++i) {
    const bool is_candidate = random.between(0, 99) < percent;
    result.candidate.samples[i] = is_candidate;
    result.strong.samples[i] = is_candidate && random.between(0, 999) == 0;
  }
  return result;
}

/// With the top left pixel strong.
Candidates connected(Bytes candidate) {
  Candidates result{std::move(candidate), {}};
  result.strong = Bytes(result.candidate.width, result.candidate.height);
  result.strong.samples[0] = 1;
  return result;
}

}  // namespace

const char* name(Mask mask) { return kNames[static_cast<int>(mask)]; }

std::optional<Mask> find(const std::string& name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return {};
  return static_cast<Mask>(found - std::begin(kNames));
}

Candidates draw(Mask mask, int width, int height) {
  switch (mask) {
    case Mask::kSpiral:
      return connected(spiral(width, height));
    case Mask::kSerpentine:
      return connected(
          plane_of(width, height, [&](int x, int y) { return serpentine(y, x, width); }));
    case Mask::kVSerpentine:
      return connected(
          plane_of(width, height, [&](int x, int y) { return serpentine(x, y, height); }));
    case Mask::kCheckerboard:
      return connected(plane_of(width, height, [](int x, int y) { return (x + y) % 2 == 0; }));
    case Mask::kRandom41:
      return random_mask(width, height, 41);
    case Mask::kRandom60:
      return random_mask(width, height, 60);
  }
  return {};
}

}  // namespace masks
