// SPDX-License-Identifier: LGPL-2.1-or-later
// Paints the pictures with integer generators, the same on every machine.
#include "pictures.h"

#include <algorithm>

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

/// One channel of noise, to be smoothed with weights 1 2 1 along both axes: 0 .. 16 * 255.
struct Field {
  int width, height;
  std::vector<std::int16_t> samples;

  std::int16_t* row(int y) { return samples.data() + static_cast<std::size_t>(width) * y; }
};

Field random_field(reference::Random& random, int width, int height) {
  Field field{width, height, std::vector<std::int16_t>(static_cast<std::size_t>(width) * height)};
  for (std::int16_t& sample : field.samples)
    sample = static_cast<std::int16_t>(random.next() & 255);
  return field;
}

/// The last sample of a row is next to its first one.
void smooth_rows(Field& field) {
  for (int y = 0; y < field.height; ++y) {
    std::int16_t* row = field.row(y);
    const int first = row[0];
    int left = row[field.width - 1];
    for (int x = 0; x < field.width; ++x) {
      const int here = row[x], right = x + 1 < field.width ? row[x + 1] : first;
      row[x] = static_cast<std::int16_t>(left + 2 * here + right);
      left = here;
    }
  }
}

/// The last row is next to the first one.
void smooth_columns(Field& field) {
  const std::vector<std::int16_t> first(field.row(0), field.row(0) + field.width);
  std::vector<std::int16_t> above(field.row(field.height - 1),
                                  field.row(field.height - 1) + field.width);
  for (int y = 0; y < field.height; ++y) {
    std::int16_t* row = field.row(y);
    const std::int16_t* below = y + 1 < field.height ? field.row(y + 1) : first.data();
    for (int x = 0; x < field.width; ++x) {
      const std::int16_t here = row[x];
      row[x] = static_cast<std::int16_t>(above[x] + 2 * here + below[x]);
      above[x] = here;
    }
  }
}

/// Smoothed noise around 128; its contrast is `gain` / 2^`shift`.
std::vector<std::uint8_t> noise(int width, int height, int seed, int gain, int shift) {
  reference::Random random(seed);
  std::vector<std::uint8_t> rgb(std::size_t{3} * width * height);
  for (std::size_t c = 0; c < 3; ++c) {
    Field field = random_field(random, width, height);
    smooth_rows(field);
    smooth_columns(field);
    for (std::size_t i = 0; i < field.samples.size(); ++i)
      rgb[3 * i + c] = static_cast<std::uint8_t>(
          std::clamp(((field.samples[i] - 2048) * gain >> shift) + 128, 0, 255));
  }
  return rgb;
}

/// A gray picture in RGB, filled a rectangle at a time.
struct Canvas {
  int width, height;
  std::vector<std::uint8_t> rgb;

  void fill(int left, int top, int right, int bottom, std::uint8_t gray) {
    for (int y = std::max(top, 0); y < std::min(bottom, height); ++y)
      for (int x = std::max(left, 0); x < std::min(right, width); ++x)
        std::fill_n(rgb.data() + 3 * (static_cast<std::size_t>(width) * y + x), 3, gray);
  }
};

/// Paints a band in serpentines, `weak` levels above the background, and `strong` levels in one
/// stretch.
std::vector<std::uint8_t> snake(int width, int height, int weak, int strong) {
  constexpr int kBand = 12, kPitch = 24, kMargin = 8;  // pixels
  Canvas canvas{width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height, 100)};
  const auto weak_gray = static_cast<std::uint8_t>(100 + weak);
  const auto strong_gray = static_cast<std::uint8_t>(100 + strong);
  const int left = kMargin, right = width - kMargin, bottom = height - kMargin;
  bool turn_right = true;
  for (int y = kMargin; y + kBand <= bottom; y += kPitch) {
    canvas.fill(left, y, right, y + kBand, weak_gray);
    const int next = y + kPitch + kBand;
    if (next <= bottom)
      canvas.fill(turn_right ? right - kBand : left, y, turn_right ? right : left + kBand, next,
                  weak_gray);
    turn_right = !turn_right;
  }
  canvas.fill(kMargin + 40, kMargin, kMargin + 60, kMargin + kBand, strong_gray);
  return canvas.rgb;
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
