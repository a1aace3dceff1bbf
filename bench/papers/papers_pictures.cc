// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads, scales and repeats the photographs.
#include "papers_pictures.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "pictures.h"

namespace papers {
namespace {

using pictures::kTileSide;

std::vector<std::uint8_t> scaled(const pictures::Tile& tile, bench::Size size) {
  // OpenCV does not write to its input.
  const cv::Mat from(kTileSide, kTileSide, CV_8UC3, const_cast<std::uint8_t*>(tile.data()));
  cv::Mat to;
  cv::resize(from, to, {size.width, size.height}, 0, 0, cv::INTER_AREA);
  return {to.datastart, to.dataend};
}

}  // namespace

Pictures::Pictures(const std::string& folder) {
  if (folder.empty()) return;
  for (const char* file : {"tile07_chelsea.ppm", "tile14_gravel.ppm"})
    tiles_.push_back(pictures::read_tile(folder, file));
}

std::vector<std::uint8_t> Pictures::paint(Content content, bench::Size size) const {
  if (tiles_.empty()) {
    const bool is_portrait = content == Content::kPortrait;
    return pictures::paint(is_portrait ? pictures::Content::kShapes : pictures::Content::kNoise,
                           size.width, size.height);
  }
  const pictures::Tile& tile = tiles_[static_cast<std::size_t>(content)];
  if (size.width <= kTileSide && size.height <= kTileSide) return scaled(tile, size);
  return pictures::lay({tile}, size.width, size.height);
}

std::string Pictures::text() const {
  return tiles_.empty() ? "drawn shapes (portrait) and noise (busy)"
                        : "the photographs chelsea (portrait) and gravel (busy)";
}

}  // namespace papers
