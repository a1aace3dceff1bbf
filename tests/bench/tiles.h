// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture of any size laid with photographic tiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pictures {

inline constexpr int kTileSide = 512;  ///< pixels

using Tile = std::vector<std::uint8_t>;  ///< kTileSide x kTileSide pixels of RGB
using Tiles = std::vector<Tile>;

/// The tile*.ppm of a folder in order of name, as tests/pictures/tiles makes them. After a failure
/// there are none, and `*error` is one line.
Tiles read_tiles(const std::string& folder, std::string* error);

/// Every tile once, in order; then all of them in random order and flipped at random, again and
/// again. `tiles` is not empty.
std::vector<std::uint8_t> lay(const Tiles& tiles, int width, int height);

}  // namespace pictures
