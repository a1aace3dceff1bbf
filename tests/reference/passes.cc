// SPDX-License-Identifier: LGPL-2.1-or-later
/// Hysteresis with a number of passes, by distances in a graph of components.
///
/// A component is a maximal 8-connected set of candidates of one tile. A pass adds a component as a
/// whole or not at all. So pass 1 adds the components that contain or touch a strong pixel, and
/// pass k + 1 those that touch, in another tile, a component added by pass k: a breadth-first
/// search.
#include "passes.h"

#include <map>
#include <set>
#include <utility>

namespace reference {
namespace {

using Point = std::pair<int, int>;  // (x, y)
using Points = std::set<Point>;
using Rows = std::vector<std::vector<bool>>;

Points points_of(const Rows& mask) {
  Points points;
  for (std::size_t y = 0; y < mask.size(); y++) {
    for (std::size_t x = 0; x < mask[y].size(); x++) {
      if (mask[y][x]) points.emplace(int(x), int(y));
    }
  }
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

}  // namespace

Rows passes_by_components(const Rows& candidate, const Rows& strong, int passes) {
  const Points candidates = points_of(candidate);
  const std::map<Point, int> label = label_components(candidates);
  std::map<int, std::set<int>> graph = touching(candidates, label);
  std::set<int> taken = first_pass(candidates, points_of(strong), label);
  std::set<int> frontier = taken;
  for (int pass = 2; pass <= passes; pass++) {
    std::set<int> reached;
    for (int component : frontier) reached.insert(graph[component].begin(), graph[component].end());
    frontier.clear();
    for (int component : reached) {
      if (taken.insert(component).second) frontier.insert(component);
    }
  }
  Rows edges(candidate.size());
  for (std::size_t y = 0; y < candidate.size(); y++) edges[y].resize(candidate[y].size());
  for (const auto& [point, component] : label) {
    edges[std::size_t(point.second)][std::size_t(point.first)] = taken.count(component) > 0;
  }
  return edges;
}

}  // namespace reference
