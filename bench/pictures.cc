// SPDX-License-Identifier: LGPL-2.1-or-later
// Paints the pictures with integer generators, the same on every machine.
#include "pictures.h"

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "reference/random.h"

namespace pictures {
namespace {

constexpr const char* kNames[] = {"photo", "shapes", "noise", "texture", "snake", "snake36"};

void draw_shape(reference::Random& random, int width, int height, std::vector<std::uint8_t>& rgb) {
  const int x0 = random.between(0, width - 1), x1 = std::min(width, x0 + random.between(20, 300));
  const int y0 = random.between(0, height - 1), y1 = std::min(height, y0 + random.between(20, 300));
  const std::uint64_t color = random.next();
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x)
      for (int c = 0; c < 3; ++c)
        rgb[3 * (static_cast<std::size_t>(width) * y + x) + c] =
            static_cast<std::uint8_t>((color >> 8 * c & 127) + (x - x0) / 8 + random.between(0, 5));
}

std::vector<std::uint8_t> shapes(int width, int height) {
  reference::Random random(1);
  std::vector<std::uint8_t> rgb(std::size_t{3} * width * height);
  for (std::uint8_t& sample : rgb) sample = static_cast<std::uint8_t>(random.between(96, 104));
  for (int i = 0; i < width * height / 20000; ++i) draw_shape(random, width, height, rgb);
  return rgb;
}

/// Noise around 128, smoothed with weights 1 2 1 along both axes, where the last sample is next to
/// the first one; its contrast is `gain` / 2^`shift`.
std::vector<std::uint8_t> noise(int width, int height, int seed, int gain, int shift) {
  reference::Random random(seed);
  std::vector<std::uint8_t> rgb(std::size_t{3} * width * height);
  const cv::Mat weights = (cv::Mat_<float>(1, 3) << 1, 2, 1);
  for (std::size_t c = 0; c < 3; ++c) {
    cv::Mat_<std::int16_t> field(height, width), wide;
    for (std::int16_t& sample : field) sample = static_cast<std::int16_t>(random.next() & 255);
    cv::copyMakeBorder(field, wide, 1, 1, 1, 1, cv::BORDER_WRAP);
    cv::sepFilter2D(wide, wide, CV_16S, weights, weights);  // 0 .. 16 * 255
    std::size_t i = c;
    for (const std::int16_t sample : cv::Mat_<std::int16_t>(wide({1, 1, width, height}))) {
      rgb[i] =
          static_cast<std::uint8_t>(std::clamp(((sample - 2048) * gain >> shift) + 128, 0, 255));
      i += 3;
    }
  }
  return rgb;
}

/// Paints a band in serpentines, `weak` levels above the background, and `strong` levels in one
/// stretch.
std::vector<std::uint8_t> snake(int width, int height, int weak, int strong) {
  constexpr int kBand = 12, kPitch = 24, kMargin = 8;  // pixels
  std::vector<std::uint8_t> rgb(std::size_t{3} * width * height, 100);
  cv::Mat canvas(height, width, CV_8UC3, rgb.data());
  const auto fill = [&](int left, int top, int right, int bottom, int levels) {
    const cv::Rect rectangle(left, top, right - left, bottom - top);
    canvas(rectangle & cv::Rect(0, 0, width, height)) = cv::Scalar::all(100 + levels);
  };
  const int left = kMargin, right = width - kMargin, bottom = height - kMargin;
  bool turn_right = true;
  for (int y = kMargin; y + kBand <= bottom; y += kPitch) {
    fill(left, y, right, y + kBand, weak);
    const int next = y + kPitch + kBand;
    if (next <= bottom)
      fill(turn_right ? right - kBand : left, y, turn_right ? right : left + kBand, next, weak);
    turn_right = !turn_right;
  }
  fill(kMargin + 40, kMargin, kMargin + 60, kMargin + kBand, strong);
  return rgb;
}

}  // namespace

const char* name(Content content) { return kNames[static_cast<int>(content)]; }

std::optional<Content> find(const std::string& name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) return {};
  return static_cast<Content>(found - std::begin(kNames));
}

std::vector<std::uint8_t> paint(Content content, int width, int height, const Tiles& tiles) {
  switch (content) {
    case Content::kPhoto:
      return lay(tiles, width, height);
    case Content::kShapes:
      return shapes(width, height);
    case Content::kNoise:
      return noise(width, height, 2, 5, 5);
    case Content::kTexture:
      return noise(width, height, 3, 4, 7);
    case Content::kSnake:
      return snake(width, height, 16, 28);
    case Content::kSnake36:
      return snake(width, height, 36, 63);
  }
  return {};
}

}  // namespace pictures
