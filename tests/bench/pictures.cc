// SPDX-License-Identifier: LGPL-2.1-or-later
// Paints the pictures from a stated integer generator.
#include "pictures.h"

#include <algorithm>

#include "reference/random.h"

namespace pictures {

const char* name(Content content) { return content == Content::kShapes ? "shapes" : "noise"; }

std::vector<std::uint8_t> paint(Content content, int width, int height) {
  reference::Random random(1);
  std::vector<std::uint8_t> rgb(3 * static_cast<std::size_t>(width) * height);
  for (std::uint8_t& sample : rgb)
    sample = static_cast<std::uint8_t>(content == Content::kNoise ? random.next()
                                                                  : random.between(96, 104));
  if (content == Content::kNoise) return rgb;
  for (int i = 0; i < width * height / 20000; ++i) {
    const int x0 = random.between(0, width - 1), x1 = std::min(width, x0 + random.between(20, 300));
    const int y0 = random.between(0, height - 1),
              y1 = std::min(height, y0 + random.between(20, 300));
    const std::uint64_t color = random.next();
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x)
        for (int c = 0; c < 3; ++c)
          rgb[3 * (static_cast<std::size_t>(width) * y + x) + c] = static_cast<std::uint8_t>(
              (color >> 8 * c & 127) + (x - x0) / 8 + random.between(0, 5));
  }
  return rgb;
}

}  // namespace pictures
