// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures that benchmarks time: the same pixels on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tiles.h"

namespace pictures {

enum class Content {
  kPhoto,    ///< photographic tiles
  kShapes,   ///< overlapping shaded rectangles with a little grain
  kNoise,    ///< smoothed noise of high contrast: edges nearly everywhere, most of them strong
  kTexture,  ///< the same with low contrast: without a blur, gradients on both sides of 50 and 100
  kSnake,    ///< one contour that winds over the whole picture: without a blur, it is above 50
             ///< everywhere and above 100 in one place
  kSnake36,  ///< the same after a blur with sigma 1.4
};

const char* name(Content content);
std::optional<Content> find(const std::string& name);

/// Paints a tight RGB picture. `tiles` is for kPhoto, which needs at least one.
std::vector<std::uint8_t> paint(Content content, int width, int height, const Tiles& tiles = {});

}  // namespace pictures
