// SPDX-License-Identifier: LGPL-2.1-or-later
/// Draws the masks.
#include "masks.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "components.h"
#include "random.h"

namespace masks {
namespace {

using reference::Bytes;
using reference::Candidates;

constexpr const char* kNames[] = {"spiral",    "serpentine",    "vserpentine", "checkerboard",
                                  "random41",  "random60",      "comb",        "vcomb",
                                  "diagonals", "antidiagonals", "ones"};
static_assert(std::size(kNames) == kMasks);

template <class Predicate>
Bytes plane_of(int width, int height, Predicate is_candidate) {
  Bytes plane(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) plane.row(y)[x] = is_candidate(x, y);
  return plane;
}

/// Draws a spiral from the top left corner inwards. A step goes ahead unless it meets the border,
/// or reaches or touches an earlier turn.
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
/// their neighbors.
bool serpentine(int i, int position, int length) {
  return i % 2 == 0 || position == (i % 4 == 1 ? length - 1 : 0);
}

/// Likewise, with all odd lines joining at the end.
bool comb(int i, int position, int length) { return i % 2 == 0 || position == length - 1; }

/// A strong pixel in 1000 candidates.
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

}  // namespace

const char* name(Mask mask) { return kNames[static_cast<int>(mask)]; }

std::optional<Mask> find(const std::string& name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return {};
  return static_cast<Mask>(found - std::begin(kNames));
}

Bytes candidates(Mask mask, int width, int height) {
  const auto plane = [&](auto is_candidate) { return plane_of(width, height, is_candidate); };
  switch (mask) {
    case Mask::kSpiral:
      return spiral(width, height);
    case Mask::kSerpentine:
      return plane([&](int x, int y) { return serpentine(y, x, width); });
    case Mask::kVSerpentine:
      return plane([&](int x, int y) { return serpentine(x, y, height); });
    case Mask::kCheckerboard:
      return plane([](int x, int y) { return (x + y) % 2 == 0; });
    case Mask::kRandom41:
      return random_mask(width, height, 41).candidate;
    case Mask::kRandom60:
      return random_mask(width, height, 60).candidate;
    case Mask::kComb:
      return plane([&](int x, int y) { return comb(x, y, height); });
    case Mask::kVComb:
      return plane([&](int x, int y) { return comb(y, x, width); });
    case Mask::kDiagonals:
      return plane([](int x, int y) { return (x - y) % 3 == 0; });
    case Mask::kAntidiagonals:
      return plane([](int x, int y) { return (x + y) % 3 == 0; });
    case Mask::kOnes:
      return plane([](int, int) { return true; });
  }
  std::abort();
}

Candidates draw(Mask mask, int width, int height) {
  if (mask == Mask::kRandom41) return random_mask(width, height, 41);
  if (mask == Mask::kRandom60) return random_mask(width, height, 60);
  Candidates result{candidates(mask, width, height), {width, height}};
  result.strong.samples[0] = 1;
  return result;
}

Candidates draw(Mask mask, int width, int height, Strong strong) {
  Candidates result{candidates(mask, width, height), {width, height}};
  reference::Pixels way;  // the largest component
  reference::for_each_component(result.candidate, [&](const reference::Pixels& component) {
    if (component.size() > way.size()) way = component;
  });
  if (strong == Strong::kNone || way.empty()) return result;
  const std::size_t last = way.size() - 1;
  const auto& [x, y] = way[strong == Strong::kBegin ? 0 : strong == Strong::kEnd ? last : last / 2];
  result.strong.row(y)[x] = 1;
  return result;
}

}  // namespace masks
