// SPDX-License-Identifier: LGPL-2.1-or-later
// Cuts square tiles from photographs: cut_tiles PICTURES TILES, both folders of PPM files.
#include <algorithm>
#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "ppm.h"

namespace {

constexpr int kSide = 512;  // pixels

struct Photograph {
  const char* name;
  int tiles;     ///< along the diagonal from the top left to the bottom right; one is in the middle
  double scale;  ///< 0: unscaled, or enlarged so that a tile fits in
};
constexpr Photograph kPhotographs[] = {
    {"motorcycle_left", 3, 0},
    {"coffee", 2, 0},
    {"rocket", 2, 0},
    {"chelsea", 2, 0},
    {"camera", 1, 0},
    {"retina", 1, 0.5},
    {"hubble_deep_field", 1, 0},
    {"motorcycle_right", 2, 0},
    {"gravel", 1, 0},
    {"page", 1, 0},
};

cv::Mat scaled(const cv::Mat& picture, double scale) {
  if (scale == 0)
    scale = std::max({1.0, double(kSide) / picture.rows, double(kSide) / picture.cols});
  if (scale == 1) return picture;
  cv::Mat result;
  cv::resize(picture, result, {}, scale, scale, scale > 1 ? cv::INTER_CUBIC : cv::INTER_AREA);
  return result;
}

/// The offset of tile i of `count` in `length` pixels.
int offset(int length, int i, int count) {
  return count == 1 ? (length - kSide) / 2 : (length - kSide) * i / (count - 1);
}

ppm::Picture tile_of(const cv::Mat& picture, int i, int count) {
  const cv::Mat tile =
      picture({offset(picture.cols, i, count), offset(picture.rows, i, count), kSide, kSide})
          .clone();
  return {kSide, kSide, {tile.datastart, tile.dataend}};
}

/// Numbers the tiles from `first`; returns the next number, or -1 after a failure.
int cut(const Photograph& photograph, const std::string& from, const std::string& to, int first) {
  const std::string path = from + "/" + photograph.name + ".ppm";
  ppm::Picture picture = ppm::read(path);
  if (picture.rgb.empty()) {
    std::fprintf(stderr, "cut_tiles: %s is not a binary PPM file of 8 bits\n", path.c_str());
    return -1;
  }
  const cv::Mat pixels =
      scaled({picture.height, picture.width, CV_8UC3, picture.rgb.data()}, photograph.scale);
  for (int i = 0; i < photograph.tiles; ++i) {
    char name[64];
    std::snprintf(name, sizeof name, "/tile%02d_%s.ppm", first + i, photograph.name);
    if (ppm::write(to + name, tile_of(pixels, i, photograph.tiles))) continue;
    std::fprintf(stderr, "cut_tiles: can't write %s%s\n", to.c_str(), name);
    return -1;
  }
  return first + photograph.tiles;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: cut_tiles PICTURES TILES\n");
    return 2;
  }
  int tiles = 0;
  for (const Photograph& photograph : kPhotographs) {
    tiles = cut(photograph, argv[1], argv[2], tiles);
    if (tiles < 0) return 1;
  }
  std::printf("%d tiles\n", tiles);
}
