// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads tiles and lays them.
#include "tiles.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <opencv2/core.hpp>
#include <utility>

#include "check.h"
#include "ppm.h"
#include "reference/random.h"

namespace pictures {

Tile read_tile(const std::string& folder, const std::string& name) {
  ppm::Picture picture = ppm::read(folder + "/" + name);
  if (picture.width != kTileSide || picture.height != kTileSide)
    bench::fail(folder + "/" + name +
                    " is not a PPM file of 512x512 pixels: run tests/pictures/tiles " + folder,
                2);
  return std::move(picture.rgb);
}

Tiles read_tiles(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::filesystem::path name = entry.path().filename();
    if (name.string().rfind("tile", 0) == 0 && name.extension() == ".ppm") names.push_back(name);
  }
  if (names.empty())
    bench::fail("no tile*.ppm in " + folder + ": run tests/pictures/tiles " + folder, 2);
  std::sort(names.begin(), names.end());
  Tiles tiles;
  for (const std::string& name : names) tiles.push_back(read_tile(folder, name));
  return tiles;
}

std::vector<std::uint8_t> lay(const Tiles& tiles, int width, int height) {
  std::vector<std::uint8_t> rgb(std::size_t{3} * width * height);
  cv::Mat picture(height, width, CV_8UC3, rgb.data());
  reference::Random random(1);
  std::vector<std::size_t> order(tiles.size());
  std::iota(order.begin(), order.end(), 0);
  std::size_t count = 0;
  for (int top = 0; top < height; top += kTileSide) {
    for (int left = 0; left < width; left += kTileSide, ++count) {
      if (count > 0 && count % order.size() == 0)
        for (int i = static_cast<int>(order.size()) - 1; i > 0; --i)
          std::swap(order[i], order[random.between(0, i)]);
      const std::uint64_t flips = count < order.size() ? 0 : random.next() & 3;  // 1: x, 2: y
      // OpenCV does not write to it.
      const cv::Mat tile(kTileSide, kTileSide, CV_8UC3,
                         const_cast<std::uint8_t*>(tiles[order[count % order.size()]].data()));
      const cv::Rect place =
          cv::Rect(left, top, kTileSide, kTileSide) & cv::Rect(0, 0, width, height);
      cv::Mat flipped;
      if (flips == 0)
        flipped = tile;
      else
        cv::flip(tile, flipped, flips == 3 ? -1 : flips == 1);
      flipped(cv::Rect({0, 0}, place.size())).copyTo(picture(place));
    }
  }
  return rgb;
}

}  // namespace pictures
