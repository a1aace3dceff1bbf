// SPDX-License-Identifier: LGPL-2.1-or-later
/// Views of the stages, and short edges.
#include <algorithm>
#include <utility>

#include "reference.h"

namespace reference {
namespace {

std::uint8_t direction(Sector sector) {
  switch (sector) {
    case Sector::kHorizontal:
      return 64;
    case Sector::kFalling:
      return 128;
    case Sector::kVertical:
      return 192;
    case Sector::kRising:
      return 255;
  }
  return 0;
}

}  // namespace

Bytes pass_numbers(const Candidates& candidates, unsigned passes) {
  constexpr unsigned kShown = 64;
  Bytes result(candidates.strong.width, candidates.strong.height);
  for (unsigned pass = passes == 0 ? kShown : passes; pass > 0; pass--) {
    const Bytes edges = hysteresis(candidates, pass);
    for (std::size_t i = 0; i < edges.samples.size(); i++)
      if (edges.samples[i]) result.samples[i] = std::uint8_t(pass);
  }
  for (std::size_t i = 0; i < result.samples.size(); i++)
    if (candidates.strong.samples[i]) result.samples[i] = 255;
  return result;
}

Bytes view(View view, const Response& response, const Candidates& candidates, canny::Norm norm,
           Operator op, unsigned passes) {
  if (view == View::kPasses) {
    Bytes result = pass_numbers(candidates, passes);
    for (std::uint8_t& pixel : result.samples)
      if (pixel > 0 && pixel < 255) pixel = std::uint8_t(std::max(32, 255 - 16 * pixel));
    return result;
  }
  const Magnitudes g = lengths(response, norm, op);
  const Bytes kept = suppress(response.direction, response.magnitude, {-1, -1}).candidate;
  Bytes result(g.width, g.height);
  for (std::size_t i = 0; i < result.samples.size(); i++) {
    const auto height = std::uint8_t(std::min<std::int64_t>(255, g.samples[i] / gain(op)));
    std::uint8_t& pixel = result.samples[i];
    if (view == View::kGradient) pixel = height;
    if (view == View::kSuppressed) pixel = kept.samples[i] ? height : 0;
    if (view == View::kClasses)
      pixel = candidates.strong.samples[i] ? 255 : candidates.candidate.samples[i] ? 128 : 0;
    if (view == View::kDirection && g.samples[i] > 0)
      pixel = direction(sector(response.direction.gx.samples[i], response.direction.gy.samples[i]));
  }
  return result;
}

std::uint64_t count_components(const Bytes& edges) {
  std::uint64_t count = 0;
  Bytes left = edges;
  std::vector<std::pair<int, int>> open;
  const auto take = [&](int x, int y) {
    if (x < 0 || x >= left.width || y < 0 || y >= left.height || !left.row(y)[x]) return false;
    left.row(y)[x] = 0;
    open.emplace_back(x, y);
    return true;
  };
  for (int y = 0; y < left.height; y++) {
    for (int x = 0; x < left.width; x++) {
      if (take(x, y)) count++;
      while (!open.empty()) {
        const auto [px, py] = open.back();
        open.pop_back();
        for (int ny = py - 1; ny <= py + 1; ny++)
          for (int nx = px - 1; nx <= px + 1; nx++) take(nx, ny);
      }
    }
  }
  return count;
}

void remove_short(unsigned min_length, Bytes* edges) {
  Bytes is_seen(edges->width, edges->height);
  for (int y = 0; y < edges->height; y++) {
    for (int x = 0; x < edges->width; x++) {
      if (!edges->row(y)[x] || is_seen.row(y)[x]) continue;
      std::vector<std::pair<int, int>> component = {{x, y}};
      is_seen.row(y)[x] = 1;
      for (std::size_t i = 0; i < component.size(); i++) {
        const auto [px, py] = component[i];
        for (int ny = std::max(py - 1, 0); ny <= std::min(py + 1, edges->height - 1); ny++) {
          for (int nx = std::max(px - 1, 0); nx <= std::min(px + 1, edges->width - 1); nx++) {
            if (!edges->row(ny)[nx] || is_seen.row(ny)[nx]) continue;
            is_seen.row(ny)[nx] = 1;
            component.emplace_back(nx, ny);
          }
        }
      }
      if (component.size() >= min_length) continue;
      for (const auto& [px, py] : component) edges->row(py)[px] = 0;
    }
  }
}

}  // namespace reference
