// SPDX-License-Identifier: LGPL-2.1-or-later
// Lays pictures of any size with photographic tiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pictures {

inline constexpr int kTileSide = 512;  ///< pixels

using Tile = std::vector<std::uint8_t>;  ///< kTileSide x kTileSide pixels of RGB
using Tiles = std::vector<Tile>;

/// Reads the tile*.ppm of a folder in order of name, as tests/pictures/tiles makes them. After a
/// failure, returns none, and `*error` is one line.
Tiles read_tiles(const std::string& folder, std::string* error);

/// Lays every tile once, in order; then repeatedly all of them, in random order and flipped at
/// random. `tiles` must not be empty.
std::vector<std::uint8_t> lay(const Tiles& tiles, int width, int height);

}  // namespace pictures
