// SPDX-License-Identifier: LGPL-2.1-or-later
// Collects the pixels of each component from its first one on.
#include "components.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace reference {
namespace {

// Takes the component of a pixel from the edges.
Pixels take(Bytes* edges, int x, int y) {
  Pixels pixels = {{x, y}};
  edges->row(y)[x] = 0;
  for (std::size_t i = 0; i < pixels.size(); i++) {
    const auto [px, py] = pixels[i];
    for (int ny = std::max(py - 1, 0); ny <= std::min(py + 1, edges->height - 1); ny++)
      for (int nx = std::max(px - 1, 0); nx <= std::min(px + 1, edges->width - 1); nx++)
        if (std::exchange(edges->row(ny)[nx], std::uint8_t{0}) != 0) pixels.emplace_back(nx, ny);
  }
  return pixels;
}

canny::Component describe(const Pixels& pixels, const Bytes& strong) {
  canny::Component component;
  int right = 0, bottom = 0;
  component.x = component.y = 65535;
  for (const auto& [x, y] : pixels) {
    component.x = std::min(component.x, std::uint16_t(x));
    component.y = std::min(component.y, std::uint16_t(y));
    right = std::max(right, x);
    bottom = std::max(bottom, y);
    component.pixels++;
    component.strong_pixels += strong.row(y)[x] != 0;
    component.sum_x += std::uint64_t(x);
    component.sum_y += std::uint64_t(y);
  }
  component.width = std::uint16_t(right - component.x + 1);
  component.height = std::uint16_t(bottom - component.y + 1);
  return component;
}

}  // namespace

void for_each_component(Bytes plane, const std::function<void(const Pixels&)>& visit) {
  for (int y = 0; y < plane.height; y++)
    for (int x = 0; x < plane.width; x++)
      if (plane.row(y)[x] != 0) visit(take(&plane, x, y));
}

std::vector<canny::Component> components(const Bytes& edges, const Bytes& strong,
                                         unsigned min_pixels) {
  std::vector<canny::Component> result;
  for_each_component(edges, [&](const Pixels& pixels) {
    if (pixels.size() >= min_pixels && result.size() < canny::kMaxComponents)
      result.push_back(describe(pixels, strong));
  });
  return result;
}

}  // namespace reference
