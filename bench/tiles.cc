// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads tiles and lays them.
#include "tiles.h"

#include <algorithm>
#include <filesystem>

#include "ppm.h"
#include "reference/random.h"

namespace pictures {
namespace {

struct Choice {
  std::size_t tile;
  bool flip_x, flip_y;
};

/// Chooses the next tile and whether to flip it.
class Sequence {
 public:
  explicit Sequence(std::size_t tiles) : order_(tiles) {
    for (std::size_t i = 0; i < tiles; ++i) order_[i] = i;
  }

  Choice next() {
    if (position_ == order_.size()) shuffle();
    const std::uint64_t flips = shuffled_ ? random_.next() : 0;
    return {order_[position_++], (flips & 1) != 0, (flips & 2) != 0};
  }

 private:
  void shuffle() {
    for (std::size_t i = order_.size() - 1; i > 0; --i)
      std::swap(order_[i],
                order_[static_cast<std::size_t>(random_.between(0, static_cast<int>(i)))]);
    shuffled_ = true;
    position_ = 0;
  }

  reference::Random random_{1};
  std::vector<std::size_t> order_;
  std::size_t position_ = 0;
  bool shuffled_ = false;
};

std::vector<std::filesystem::path> tile_paths(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("tile", 0) == 0 && entry.path().extension() == ".ppm")
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Tiles read_tiles(const std::string& folder, std::string* error) {
  Tiles tiles;
  for (const auto& path : tile_paths(folder)) {
    ppm::Picture picture = ppm::read(path.string());
    if (picture.width != kTileSide || picture.height != kTileSide) {
      *error = path.string() + " is not a PPM file of 512x512 pixels";
      return {};
    }
    tiles.push_back(std::move(picture.rgb));
  }
  if (tiles.empty()) *error = "no tile*.ppm in " + folder + ": tests/pictures/tiles makes them";
  return tiles;
}

std::vector<std::uint8_t> lay(const Tiles& tiles, int width, int height) {
  std::vector<std::uint8_t> rgb(std::size_t{3} * width * height);
  Sequence sequence(tiles.size());
  for (int top = 0; top < height; top += kTileSide) {
    for (int left = 0; left < width; left += kTileSide) {
      const Choice choice = sequence.next();
      const std::uint8_t* tile = tiles[choice.tile].data();
      for (int y = 0; y < std::min(kTileSide, height - top); ++y) {
        const int row = choice.flip_y ? kTileSide - 1 - y : y;
        for (int x = 0; x < std::min(kTileSide, width - left); ++x) {
          const int column = choice.flip_x ? kTileSide - 1 - x : x;
          std::copy_n(tile + 3 * (kTileSide * row + column), 3,
                      rgb.data() + 3 * (static_cast<std::size_t>(width) * (top + y) + left + x));
        }
      }
    }
  }
  return rgb;
}

}  // namespace pictures
