// SPDX-License-Identifier: LGPL-2.1-or-later
// Collects the pixels of each component from its first one on.
#include "components.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace reference {
namespace {

using Pixels = std::vector<std::pair<int, int>>;  // columns and rows

// Takes the component of a pixel from the edges.
Pixels take(Bytes* edges, int x, int y) {
  Pixels pixels = {{x, y}};
  edges->row(y)[x] = 0;
  for (std::size_t i = 0; i < pixels.size(); i++) {
    const auto [here_x, here_y] = pixels[i];
    for (int to_y = std::max(here_y - 1, 0); to_y <= std::min(here_y + 1, edges->height - 1);
         to_y++) {
      for (int to_x = std::max(here_x - 1, 0); to_x <= std::min(here_x + 1, edges->width - 1);
           to_x++) {
        if (std::exchange(edges->row(to_y)[to_x], std::uint8_t{0}) != 0)
          pixels.emplace_back(to_x, to_y);
      }
    }
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

std::vector<canny::Component> components(const Bytes& edges, const Bytes& strong,
                                         unsigned min_pixels) {
  std::vector<canny::Component> result;
  Bytes rest = edges;
  for (int y = 0; y < rest.height; y++) {
    for (int x = 0; x < rest.width; x++) {
      if (rest.row(y)[x] == 0) continue;
      const Pixels pixels = take(&rest, x, y);
      if (pixels.size() < min_pixels) continue;
      if (result.size() == canny::kMaxComponents) return result;
      result.push_back(describe(pixels, strong));
    }
  }
  return result;
}

}  // namespace reference
