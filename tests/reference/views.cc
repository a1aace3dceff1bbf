// SPDX-License-Identifier: LGPL-2.1-or-later
/// Views of the stages, and short edges.
#include <algorithm>

#include "components.h"
#include "reference.h"

namespace reference {

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
  constexpr std::uint8_t kDirections[] = {64, 128, 192, 255};  // by Sector
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
      pixel = kDirections[int(
          sector(response.direction.gx.samples[i], response.direction.gy.samples[i]))];
  }
  return result;
}

std::uint64_t count_components(const Bytes& edges) {
  std::uint64_t count = 0;
  for_each_component(edges, [&](const Pixels&) { count++; });
  return count;
}

void remove_short(unsigned min_length, Bytes* edges) {
  for_each_component(*edges, [&](const Pixels& component) {
    if (component.size() >= min_length) return;
    for (const auto& [x, y] : component) edges->row(y)[x] = 0;
  });
}

}  // namespace reference
