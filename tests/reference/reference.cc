// SPDX-License-Identifier: LGPL-2.1-or-later
/// The definition of the edge map as plain loops.
#include "reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

namespace reference {
namespace {

/// Where a pixel's samples are among its bytes; luma is all of them. `rest` are the bytes of an
/// edge map that are neither color nor luma, and -1 for the others.
struct Layout {
  int bytes, r, g, b;
  int rest[4] = {-1, -1, -1, -1};
};

/// Of formats whose samples are bytes of one plane.
Layout layout(canny::PixelFormat format) {
  switch (format) {
    case canny::PixelFormat::kGray8:
      return {1, 0, 0, 0};
    case canny::PixelFormat::kRgb:
      return {3, 0, 1, 2};
    case canny::PixelFormat::kBgr:
      return {3, 2, 1, 0};
    case canny::PixelFormat::kRgbx:
      return {4, 0, 1, 2, {-1, -1, -1, 255}};
    case canny::PixelFormat::kBgrx:
      return {4, 2, 1, 0, {-1, -1, -1, 255}};
    case canny::PixelFormat::kXrgb:
      return {4, 1, 2, 3, {255, -1, -1, -1}};
    case canny::PixelFormat::kXbgr:
      return {4, 3, 2, 1, {255, -1, -1, -1}};
    case canny::PixelFormat::kYuy2:
      return {2, 0, 0, 0, {-1, 128}};
    case canny::PixelFormat::kUyvy:
      return {2, 1, 1, 1, {128, -1}};
    case canny::PixelFormat::kAyuv:
      return {4, 1, 1, 1, {255, -1, 128, 128}};
    case canny::PixelFormat::kVuya:
      return {4, 2, 2, 2, {128, 128, -1, 255}};
    case canny::PixelFormat::kGray10Le:
    case canny::PixelFormat::kGray16Le:
      return {2, 1, 1, 1};
    case canny::PixelFormat::kGray16Be:
      return {2, 0, 0, 0};
    case canny::PixelFormat::kRgb16:
    case canny::PixelFormat::kBgr16:
    case canny::PixelFormat::kRgb15:
    case canny::PixelFormat::kBgr15:
    case canny::PixelFormat::kRgbPlanes:
      break;
  }
  std::abort();
}

/// How many bits the colors of a word of 16 have, the highest ones first, each above the next one.
struct ColorBits {
  int bits[3];
  bool is_blue_first;
};

/// Empty if the format has no such words.
std::optional<ColorBits> color_bits(canny::PixelFormat format) {
  switch (format) {
    case canny::PixelFormat::kRgb16:
      return ColorBits{{5, 6, 5}, false};
    case canny::PixelFormat::kBgr16:
      return ColorBits{{5, 6, 5}, true};
    case canny::PixelFormat::kRgb15:
      return ColorBits{{5, 5, 5}, false};
    case canny::PixelFormat::kBgr15:
      return ColorBits{{5, 5, 5}, true};
    default:
      return {};
  }
}

struct Color {
  int r, g, b;
};

std::uint8_t luma(const Color& color) {
  return std::uint8_t((9798 * color.r + 19235 * color.g + 3735 * color.b + 16384) >> 15);
}

/// 8 bits: as many of the color's bits as fit again below it.
int widen(int value, int bits) { return (value << (8 - bits)) + (value >> (2 * bits - 8)); }

Color color_of_word(const ColorBits& at, const std::uint8_t* pixel) {
  const int word = pixel[0] + 256 * pixel[1];
  int colors[3];
  for (int i = 2, lowest = 0; i >= 0; lowest += at.bits[i--])
    colors[i] = widen((word >> lowest) % (1 << at.bits[i]), at.bits[i]);
  return at.is_blue_first ? Color{colors[2], colors[1], colors[0]}
                          : Color{colors[0], colors[1], colors[2]};
}

/// The nearest integer, halves to the even one: the default rounding mode's.
int round_half_even(double value) { return int(std::nearbyint(value)); }

/// dcb|abcd|cba, again and again until `i` is inside 0..size-1.
int reflect_101(int i, int size) {
  if (size == 1) return 0;
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

/// aaa|abcd|ddd
int replicate(int i, int size) { return std::clamp(i, 0, size - 1); }

/// The weighted sums along the rows: at most 256 * 255, which 16 bits hold.
Plane<std::uint16_t> blur_rows(const Bytes& image, const std::vector<int>& k) {
  const int radius = int(k.size()) / 2;
  const int width = image.width;
  Plane<std::uint16_t> sums(width, image.height);
  std::vector<std::uint8_t> padded(std::size_t(width) + 2 * std::size_t(radius));
  for (int y = 0; y < image.height; y++) {
    for (int x = -radius; x < width + radius; x++) {
      padded[std::size_t(x + radius)] = image.row(y)[reflect_101(x, width)];
    }
    std::uint16_t* sum = sums.row(y);
    for (std::size_t i = 0; i < k.size(); i++) {
      const std::uint8_t* sample = padded.data() + i;
      for (int x = 0; x < width; x++) sum[x] = std::uint16_t(sum[x] + k[i] * sample[x]);
    }
  }
  return sums;
}

/// The weighted sums along the columns, rounded from 16 fractional bits to integers.
Bytes blur_columns(const Plane<std::uint16_t>& sums, const std::vector<int>& k) {
  const int radius = int(k.size()) / 2;
  Bytes blurred(sums.width, sums.height);
  std::vector<std::int32_t> total;
  for (int y = 0; y < sums.height; y++) {
    total.assign(std::size_t(sums.width), 32768);
    for (int j = 0; j < int(k.size()); j++) {
      const std::uint16_t* sum = sums.row(reflect_101(y + j - radius, sums.height));
      const int weight = k[std::size_t(j)];
      for (int x = 0; x < sums.width; x++) total[std::size_t(x)] += weight * sum[x];
    }
    for (int x = 0; x < sums.width; x++) {
      blurred.row(y)[x] = std::uint8_t(total[std::size_t(x)] >> 16);
    }
  }
  return blurred;
}

/// Whether the pixel's magnitude is a maximum across the edge. gx and gy are at most 1020, so the
/// largest integer here is (13573 + 65536) * 1020 < 2^27.
bool is_maximum(const Gradient& gradient, const Plane<std::int32_t>& magnitude, int x, int y) {
  const auto m = [&](int column, int row) {
    const bool inside =
        column >= 0 && column < magnitude.width && row >= 0 && row < magnitude.height;
    return inside ? magnitude.row(row)[column] : 0;
  };
  const int gx = gradient.gx.row(y)[x];
  const int gy = gradient.gy.row(y)[x];
  const int ax = std::abs(gx);
  const int ay = std::abs(gy) << 15;
  const int t = 13573 * ax;  // 13573 = tan(22.5 degrees) 2^15, and tan(67.5) = tan(22.5) + 2
  if (ay < t) return m(x, y) > m(x - 1, y) && m(x, y) >= m(x + 1, y);
  if (ay > t + (ax << 16)) return m(x, y) > m(x, y - 1) && m(x, y) >= m(x, y + 1);
  const int s = (gx ^ gy) < 0 ? -1 : 1;
  return m(x, y) > m(x - s, y - 1) && m(x, y) > m(x + s, y + 1);
}

/// A rectangle of pixels: left <= x < right, top <= y < bottom.
struct Rectangle {
  int left, top, right, bottom;

  bool contains(int x, int y) const { return x >= left && x < right && y >= top && y < bottom; }
};

/// Calls visit(x, y) for those of the 8 neighbours of (x, y) that are inside `area`.
template <class Visit>
void for_each_neighbour(const Rectangle& area, int x, int y, Visit visit) {
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      if ((dx != 0 || dy != 0) && area.contains(x + dx, y + dy)) visit(x + dx, y + dy);
    }
  }
}

struct Pixel {
  std::int16_t x, y;
};

/// Adds to `edges` the candidates in `area` that are 8-connected, through candidates in `area`, to
/// a pixel of `seeds`, all of which are edges already.
void flood(const Bytes& candidate, const Rectangle& area, std::vector<Pixel>& seeds, Bytes& edges) {
  while (!seeds.empty()) {
    const Pixel pixel = seeds.back();
    seeds.pop_back();
    for_each_neighbour(area, pixel.x, pixel.y, [&](int x, int y) {
      if (!candidate.row(y)[x] || edges.row(y)[x]) return;
      edges.row(y)[x] = 1;
      seeds.push_back({std::int16_t(x), std::int16_t(y)});
    });
  }
}

/// The candidates of `tile` from which pass k + 1 starts: those in E(k), and those 8-adjacent to a
/// pixel outside the tile that is in E(k).
std::vector<Pixel> tile_seeds(const Bytes& candidate, const Bytes& e_k, const Rectangle& tile) {
  const Rectangle image{0, 0, candidate.width, candidate.height};
  std::vector<Pixel> seeds;
  for (int y = tile.top; y < tile.bottom; y++) {
    for (int x = tile.left; x < tile.right; x++) {
      if (!candidate.row(y)[x]) continue;
      bool seed = e_k.row(y)[x];
      for_each_neighbour(image, x, y, [&](int column, int row) {
        seed |= !tile.contains(column, row) && e_k.row(row)[column];
      });
      if (seed) seeds.push_back({std::int16_t(x), std::int16_t(y)});
    }
  }
  return seeds;
}

/// E(k + 1) from E(k).
Bytes hysteresis_pass(const Bytes& candidate, const Bytes& e_k) {
  Bytes next = e_k;
  for (int top = 0; top < candidate.height; top += kTile) {
    for (int left = 0; left < candidate.width; left += kTile) {
      const Rectangle tile{left, top, std::min(left + kTile, candidate.width),
                           std::min(top + kTile, candidate.height)};
      std::vector<Pixel> seeds = tile_seeds(candidate, e_k, tile);
      for (const Pixel& seed : seeds) next.row(seed.y)[seed.x] = 1;
      flood(candidate, tile, seeds, next);
    }
  }
  return next;
}

}  // namespace

/// Of the pixel in column x of a row, whose frame is not in planes.
static std::uint8_t luma(canny::PixelFormat format, const std::uint8_t* row, int x) {
  if (const auto bits = color_bits(format)) return luma(color_of_word(*bits, row + 2 * x));
  const Layout at = layout(format);
  const std::uint8_t* pixel = row + x * at.bytes;
  if (format == canny::PixelFormat::kGray10Le)
    return std::uint8_t((pixel[0] + 256 * pixel[1]) >> 2);
  if (at.r == at.g) return pixel[at.g];
  return luma({pixel[at.r], pixel[at.g], pixel[at.b]});
}

Bytes luma(const canny::ConstFrame& frame) {
  Bytes result(frame.width, frame.height);
  for (int y = 0; y < frame.height; y++) {
    const std::uint8_t* row = frame.data + y * frame.stride_bytes;
    const std::uint8_t* green = frame.green.data + y * frame.green.stride_bytes;
    const std::uint8_t* blue = frame.blue.data + y * frame.blue.stride_bytes;
    const bool planes = frame.format == canny::PixelFormat::kRgbPlanes;
    for (int x = 0; x < frame.width; x++)
      result.row(y)[x] = planes ? luma({row[x], green[x], blue[x]}) : luma(frame.format, row, x);
  }
  return result;
}

std::vector<int> taps(double sigma) {
  if (sigma == 0) return {256};
  const int n = round_half_even(6 * sigma + 1) | 1;
  std::vector<double> c(std::size_t(n), 1.0);
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double distance = i - (n - 1) / 2;
    if (distance != 0) c[std::size_t(i)] = std::exp(-distance * distance / (2 * sigma * sigma));
    sum += c[std::size_t(i)];
  }
  std::vector<int> k(std::size_t(n), 0);
  double error = 0;
  int outer = 0;
  for (int i = 0; i < n / 2; i++) {
    const double a = 256 * (c[std::size_t(i)] / sum) + error;
    const int rounded = round_half_even(a);
    error = a - rounded;
    k[std::size_t(i)] = k[std::size_t(n - 1 - i)] = rounded;
    outer += rounded;
  }
  k[std::size_t(n / 2)] = 256 - 2 * outer;
  return k;
}

Bytes blur(const Bytes& image, double sigma) {
  const std::vector<int> k = taps(sigma);
  return blur_columns(blur_rows(image, k), k);
}

Gradient sobel(const Bytes& image) {
  const int width = image.width;
  const int height = image.height;
  Gradient gradient{{width, height}, {width, height}};
  for (int y = 0; y < height; y++) {
    const std::uint8_t* above = image.row(replicate(y - 1, height));
    const std::uint8_t* here = image.row(y);
    const std::uint8_t* below = image.row(replicate(y + 1, height));
    for (int x = 0; x < width; x++) {
      const int l = replicate(x - 1, width);
      const int r = replicate(x + 1, width);
      gradient.gx.row(y)[x] =
          std::int16_t((above[r] + 2 * here[r] + below[r]) - (above[l] + 2 * here[l] + below[l]));
      gradient.gy.row(y)[x] =
          std::int16_t((below[l] + 2 * below[x] + below[r]) - (above[l] + 2 * above[x] + above[r]));
    }
  }
  return gradient;
}

Plane<std::int32_t> magnitude(const Gradient& gradient, canny::Norm norm) {
  Plane<std::int32_t> result(gradient.gx.width, gradient.gx.height);
  for (std::size_t i = 0; i < result.samples.size(); i++) {
    const int gx = gradient.gx.samples[i];
    const int gy = gradient.gy.samples[i];
    result.samples[i] = norm == canny::Norm::kL2 ? gx * gx + gy * gy : std::abs(gx) + std::abs(gy);
  }
  return result;
}

Thresholds thresholds(const canny::Params& params) {
  double low = std::min(params.low_threshold, params.high_threshold);
  double high = std::max(params.low_threshold, params.high_threshold);
  if (params.norm == canny::Norm::kL2) {
    low = std::min(low, 32767.0);
    high = std::min(high, 32767.0);
    if (low > 0) low *= low;
    if (high > 0) high *= high;
  }
  return {int(std::floor(low)), int(std::floor(high))};
}

Candidates suppress(const Gradient& gradient, const Plane<std::int32_t>& magnitude,
                    Thresholds thresholds) {
  const int width = magnitude.width;
  const int height = magnitude.height;
  Candidates result{{width, height}, {width, height}};
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      const int m = magnitude.row(y)[x];
      if (m <= thresholds.low || !is_maximum(gradient, magnitude, x, y)) continue;
      result.candidate.row(y)[x] = 1;
      result.strong.row(y)[x] = m > thresholds.high;
    }
  }
  return result;
}

Bytes hysteresis(const Candidates& candidates) {
  const Rectangle image{0, 0, candidates.candidate.width, candidates.candidate.height};
  Bytes edges(image.right, image.bottom);
  std::vector<Pixel> seeds;
  for (int y = 0; y < image.bottom; y++) {
    for (int x = 0; x < image.right; x++) {
      if (!candidates.strong.row(y)[x] || edges.row(y)[x]) continue;
      edges.row(y)[x] = 1;
      seeds.push_back({std::int16_t(x), std::int16_t(y)});
      flood(candidates.candidate, image, seeds, edges);
    }
  }
  return edges;
}

Bytes hysteresis(const Candidates& candidates, unsigned passes) {
  if (passes == 0) return hysteresis(candidates);
  Bytes edges = candidates.strong;
  for (unsigned k = 0; k < passes; k++) {
    Bytes next = hysteresis_pass(candidates.candidate, edges);
    if (next.samples == edges.samples) break;  // so does every later pass
    edges = std::move(next);
  }
  return edges;
}

std::vector<std::uint8_t> detect(const canny::Params& params, const canny::ConstFrame& frame) {
  Gradient gradient = sobel(blur(luma(frame), params.sigma));
  Plane<std::int32_t> m = magnitude(gradient, params.norm);
  const Candidates candidates = suppress(gradient, m, thresholds(params));
  gradient = {};
  m = {};
  std::vector<std::uint8_t> edges = hysteresis(candidates, params.hysteresis_passes).samples;
  for (std::uint8_t& edge : edges) edge = edge ? 255 : 0;
  return edges;
}

/// All color bits of a word are those of an edge, and an unused highest one is 0.
static void store_word(const ColorBits& at, std::uint8_t edge, std::uint8_t* pixel) {
  const int bits = at.bits[0] + at.bits[1] + at.bits[2];
  const int word = edge ? (1 << bits) - 1 : 0;
  pixel[0] = std::uint8_t(word % 256);
  pixel[1] = std::uint8_t(word / 256);
}

static void store_pixel(canny::PixelFormat format, std::uint8_t edge, std::uint8_t* row, int x) {
  if (const auto bits = color_bits(format)) return store_word(*bits, edge, row + 2 * x);
  const Layout at = layout(format);
  for (int i = 0; i < at.bytes; i++)
    row[x * at.bytes + i] = at.rest[i] < 0 ? edge : std::uint8_t(at.rest[i]);
}

void store(const std::vector<std::uint8_t>& edges, const canny::Frame& frame) {
  for (int y = 0; y < frame.height; y++) {
    for (int x = 0; x < frame.width; x++) {
      const std::uint8_t edge = edges[std::size_t(y) * std::size_t(frame.width) + std::size_t(x)];
      std::uint8_t* row = frame.data + y * frame.stride_bytes;
      if (frame.format == canny::PixelFormat::kRgbPlanes) {
        row[x] = edge;
        frame.green.data[y * frame.green.stride_bytes + x] = edge;
        frame.blue.data[y * frame.blue.stride_bytes + x] = edge;
      } else {
        store_pixel(frame.format, edge, row, x);
      }
    }
  }
}

}  // namespace reference
