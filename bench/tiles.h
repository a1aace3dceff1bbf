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

/// Reads a file of a folder of tests/pictures/tiles. Ends the program with status 2 if that fails.
Tile read_tile(const std::string& folder, const std::string& name);

/// Likewise all tile*.ppm in order of name, of which there must be one.
Tiles read_tiles(const std::string& folder);

/// Lays every tile once, in order; then repeatedly all of them, in random order and flipped at
/// random. `tiles` must not be empty.
std::vector<std::uint8_t> lay(const Tiles& tiles, int width, int height);

}  // namespace pictures
