// SPDX-License-Identifier: LGPL-2.1-or-later
/// Checks hysteresis with a number of passes: hand-drawn masks, a second implementation on random
/// and worst-case masks, monotonicity and convergence.
///
///     passes [--seed N]
///
/// `--seed N` runs one random case again.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "drawn_masks.h"
#include "images.h"
#include "masks.h"
#include "random.h"
#include "reference.h"

namespace {

using conformance::check;
using conformance::compare;
using conformance::view;
using reference::Bytes;
using reference::Candidates;

constexpr std::uint64_t kCases = 200;

// ---- the second implementation ----

/// Hysteresis with a number of passes, by distances in a graph of components.
///
/// A component is a maximal 8-connected set of candidates of one tile. A pass adds a component as a
/// whole or not at all. So pass 1 adds the components that contain or touch a strong pixel, and
/// pass k + 1 those that touch, in another tile, a component added by pass k: a breadth-first
/// search.
using Point = std::pair<int, int>;  // (x, y)
using Points = std::set<Point>;

Points points_of(const Bytes& plane) {
  Points points;
  for (int y = 0; y < plane.height; y++)
    for (int x = 0; x < plane.width; x++)
      if (plane.row(y)[x]) points.emplace(x, y);
  return points;
}

Point tile_of(Point point) { return {point.first / 32, point.second / 32}; }

/// The points of `among` that are 8-adjacent to `point`.
std::vector<Point> neighbors(Point point, const Points& among) {
  static constexpr Point kSteps[] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0},
                                     {1, 0},   {-1, 1}, {0, 1},  {1, 1}};
  std::vector<Point> found;
  for (Point step : kSteps) {
    const Point neighbor{point.first + step.first, point.second + step.second};
    if (among.count(neighbor)) found.push_back(neighbor);
  }
  return found;
}

/// The number of every candidate's component, from 0 up.
std::map<Point, int> label_components(const Points& candidates) {
  std::map<Point, int> label;
  int components = 0;
  for (Point start : candidates) {
    if (label.count(start)) continue;
    std::vector<Point> open{start};
    label[start] = components;
    while (!open.empty()) {
      const Point point = open.back();
      open.pop_back();
      for (Point neighbor : neighbors(point, candidates)) {
        if (tile_of(neighbor) != tile_of(point) || label.count(neighbor)) continue;
        label[neighbor] = components;
        open.push_back(neighbor);
      }
    }
    components++;
  }
  return label;
}

/// The components of other tiles that each component touches.
std::map<int, std::set<int>> touching(const Points& candidates, const std::map<Point, int>& label) {
  std::map<int, std::set<int>> graph;
  for (Point point : candidates) {
    for (Point neighbor : neighbors(point, candidates)) {
      if (tile_of(neighbor) != tile_of(point)) graph[label.at(point)].insert(label.at(neighbor));
    }
  }
  return graph;
}

/// The components that pass 1 adds.
std::set<int> first_pass(const Points& candidates, const Points& strong,
                         const std::map<Point, int>& label) {
  std::set<int> taken;
  for (Point point : strong) {
    taken.insert(label.at(point));
    for (Point neighbor : neighbors(point, candidates)) taken.insert(label.at(neighbor));
  }
  return taken;
}

/// E(passes). passes >= 1.
Bytes passes_by_components(const Candidates& mask, unsigned passes) {
  const Points candidates = points_of(mask.candidate);
  const std::map<Point, int> label = label_components(candidates);
  std::map<int, std::set<int>> graph = touching(candidates, label);
  std::set<int> taken = first_pass(candidates, points_of(mask.strong), label);
  std::set<int> frontier = taken;
  for (unsigned pass = 2; pass <= passes; pass++) {
    std::set<int> reached;
    for (int component : frontier) reached.insert(graph[component].begin(), graph[component].end());
    frontier.clear();
    for (int component : reached) {
      if (taken.insert(component).second) frontier.insert(component);
    }
  }
  Bytes edges(mask.candidate.width, mask.candidate.height);
  for (const auto& [point, component] : label)
    edges.row(point.second)[point.first] = taken.count(component) > 0;
  return edges;
}

// ---- checks ----

bool is_subset(const Bytes& inner, const Bytes& outer) {
  for (std::size_t i = 0; i < inner.samples.size(); i++) {
    if (inner.samples[i] > outer.samples[i]) return false;
  }
  return true;
}

void check_drawn(const reference::DrawnMask& mask) {
  compare(mask.name + ", until stable", view(mask.stable),
          reference::hysteresis(mask.candidates, 0));
  for (unsigned n = 1; n < mask.expected.size(); n++) {
    const std::string title = mask.name + ", " + std::to_string(n) + " passes";
    compare(title, view(mask.expected[n]), reference::hysteresis(mask.candidates, n));
    compare(title + ", second implementation", view(mask.expected[n]),
            passes_by_components(mask.candidates, n));
  }
}

/// Compares both implementations for n = 1 to 8, and checks that E(n) is within E(n + 1) and that
/// the last map is that of n = 0.
void check_mask(const std::string& title, const Candidates& candidates) {
  const Bytes stable = reference::hysteresis(candidates, 0);
  Bytes before = candidates.strong;
  for (unsigned n = 1; n <= 8; n++) {
    const std::string name = title + ", " + std::to_string(n) + " passes";
    const Bytes edges = reference::hysteresis(candidates, n);
    compare(name, view(passes_by_components(candidates, n)), edges);
    check(is_subset(before, edges), name + ": E(n - 1) is within E(n)");
    before = edges;
  }
  check(is_subset(before, stable), title + ": E(8) is within the stable map");
  // Each pass but the last adds at least one pixel.
  const auto enough = unsigned(candidates.candidate.samples.size());
  compare(title + ", converged", view(stable), passes_by_components(candidates, enough));
  Bytes next = reference::hysteresis({candidates.candidate, before}, 1);
  while (next.samples != before.samples) {
    before = next;
    next = reference::hysteresis({candidates.candidate, before}, 1);
  }
  compare(title + ", pass after pass", view(stable), before);
}

/// A side of 1..100 pixels, more often one around the sides of tiles.
int random_side(reference::Random& random) {
  static constexpr int kSides[] = {1, 2, 31, 32, 33, 63, 64, 65, 95, 96, 97};
  if (random.between(0, 1) == 0) return random.between(1, 100);
  return random.any(kSides);
}

void check_random(std::uint64_t seed) {
  reference::Random random(seed);
  const int width = random_side(random);
  const int height = random_side(random);
  const int candidates_percent = random.between(5, 75);
  const int strong_per_thousand = random.between(0, 3) == 0 ? 100 : random.between(0, 10);
  Candidates candidates{{width, height}, {width, height}};
  for (std::size_t i = 0; i < candidates.candidate.samples.size(); i++) {
    const bool candidate = random.between(1, 100) <= candidates_percent;
    candidates.candidate.samples[i] = candidate;
    candidates.strong.samples[i] = candidate && random.between(1, 1000) <= strong_per_thousand;
  }
  check_mask("random mask, --seed " + std::to_string(seed) + ", " +
                 std::to_string(candidates_percent) + " % candidates",
             candidates);
}

void check_worst_cases() {
  static constexpr int kSides[][2] = {{31, 31}, {32, 32}, {33, 33}, {64, 64},
                                      {65, 97}, {100, 3}, {3, 100}, {129, 70}};
  for (const auto& [width, height] : kSides) {
    for (int i = 0; i < masks::kMasks; i++) {
      const auto mask = static_cast<masks::Mask>(i);
      const std::string title = std::string(masks::name(mask)) + " " + std::to_string(width) + "x" +
                                std::to_string(height);
      check_mask(title, masks::draw(mask, width, height, masks::Strong::kBegin));
      if (mask == masks::Mask::kOnes)
        check_mask(title + ", none strong", masks::draw(mask, width, height, masks::Strong::kNone));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (conformance::run(argc, argv, {{"masks", kCases, check_random}})) {
    for (const reference::DrawnMask& mask : reference::drawn_masks()) check_drawn(mask);
    check_worst_cases();
  }
  return conformance::summary();
}
