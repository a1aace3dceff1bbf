// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end of the CPU backend, a row at a time. Each row asks for those it needs from the
// stage before it, which computes them once.
#include "cpu/front.h"

#include <algorithm>
#include <cstdlib>

#include "frame.h"

namespace canny::cpu {
namespace {

// tan(22.5 degrees) with 15 fractional bits: the border between the horizontal sector and a
// diagonal one. tan(67.5 degrees) is this plus 2.
constexpr std::int32_t kTan22 = 13573;

// ITU-R BT.601 weights with 15 fractional bits: their sum is 32768, so luma stays below 256.
constexpr int kLumaR = 9798, kLumaG = 19235, kLumaB = 3735, kLumaHalf = 16384, kLumaBits = 15;

template <int kBytes>
void luma_row(const std::uint8_t* pixels, const PixelLayout& at, int width, std::uint8_t* out) {
  for (int x = 0; x < width; ++x) {
    const std::uint8_t* p = pixels + x * kBytes;
    out[x] = static_cast<std::uint8_t>(
        (kLumaR * p[at.r] + kLumaG * p[at.g] + kLumaB * p[at.b] + kLumaHalf) >> kLumaBits);
  }
}

void luma_row(const ConstFrame& input, int y, std::uint8_t* out) {
  const std::uint8_t* pixels = input.data + y * input.stride_bytes;
  const PixelLayout& at = layout(input.format);
  if (is_gray(input.format))
    std::copy_n(pixels, input.width, out);
  else if (at.bytes == 3)
    luma_row<3>(pixels, at, input.width, out);
  else
    luma_row<4>(pixels, at, input.width, out);
}

// Mirrors i into 0 .. size - 1 without repeating the border pixel, as often as it takes.
int reflect(int i, int size) {
  if (size == 1) return 0;
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

}  // namespace

void Front::set_size(int width, int height) {
  width_ = width;
  height_ = height;
  luma_.assign(width + 2 * kMaxRadius, 0);
  sum_.assign(width, 0);
  row_blurred_.resize(width, std::min(kMaxTaps, height));
  blurred_.resize(width, 3);
  gradient_.resize(width, 3);
  magnitude_.resize(width + 2, 3);
  outside_.assign(width + 2, 0);
}

// Sums along the row. 256 * 255 fits 16 bits, so every partial sum does.
const std::uint16_t* Front::row_blurred(int y) {
  if (row_blurred_.holds(y)) return row_blurred_.row(y);
  const Taps& taps = settings_->taps;
  const int radius = taps.radius();
  std::uint8_t* row = luma_.data() + kMaxRadius;
  luma_row(*input_, y, row);
  for (int i = 1; i <= radius; ++i) {
    row[-i] = row[reflect(-i, width_)];
    row[width_ - 1 + i] = row[reflect(width_ - 1 + i, width_)];
  }
  std::uint16_t* sum = row_blurred_.take(y);
  for (int x = 0; x < width_; ++x) sum[x] = taps.weight[radius] * row[x];
  for (int i = 1; i <= radius; ++i) {
    const std::uint16_t weight = taps.weight[radius + i];
    for (int x = 0; x < width_; ++x)
      sum[x] = static_cast<std::uint16_t>(sum[x] + weight * (row[x - i] + row[x + i]));
  }
  return sum;
}

// Sums across rows, and the one rounding of the blur. 256 * 256 * 255 fits 32 bits.
const std::uint8_t* Front::blurred(int y) {
  if (blurred_.holds(y)) return blurred_.row(y);
  const Taps& taps = settings_->taps;
  std::fill(sum_.begin(), sum_.end(), 1u << 15);
  for (int i = 0; i < taps.count; ++i) {
    const std::uint16_t* row = row_blurred(reflect(y + i - taps.radius(), height_));
    const std::uint32_t weight = taps.weight[i];
    for (int x = 0; x < width_; ++x) sum_[x] += weight * row[x];
  }
  std::uint8_t* out = blurred_.take(y);
  for (int x = 0; x < width_; ++x) out[x] = static_cast<std::uint8_t>(sum_[x] >> 16);
  return out;
}

// Sobel gradient of row y, and its magnitude.
const std::int32_t* Front::magnitude(int y) {
  if (y < 0 || y >= height_) return outside_.data() + 1;
  if (magnitude_.holds(y)) return magnitude_.row(y) + 1;
  const std::uint8_t* above = blurred(std::max(y - 1, 0));
  const std::uint8_t* here = blurred(y);
  const std::uint8_t* below = blurred(std::min(y + 1, height_ - 1));
  Gradient* gradient = gradient_.take(y);
  const auto sobel = [&](int left, int x, int right) {
    const int gx = above[right] + 2 * here[right] + below[right] -
                   (above[left] + 2 * here[left] + below[left]);
    const int gy =
        below[left] + 2 * below[x] + below[right] - (above[left] + 2 * above[x] + above[right]);
    gradient[x] = {static_cast<std::int16_t>(gx), static_cast<std::int16_t>(gy)};
  };
  for (int x = 1; x < width_ - 1; ++x) sobel(x - 1, x, x + 1);
  sobel(0, 0, std::min(1, width_ - 1));
  sobel(std::max(0, width_ - 2), width_ - 1, width_ - 1);

  std::int32_t* out = magnitude_.take(y) + 1;
  for (int x = 0; x < width_; ++x) {
    const int gx = gradient[x].x, gy = gradient[x].y;
    out[x] = settings_->norm == Norm::kL2 ? gx * gx + gy * gy : std::abs(gx) + std::abs(gy);
  }
  return out;
}

// Non-maximum suppression and double threshold of row y. |gy| << 15 stays below 2^25 and
// |gx| << 16 below 2^26.
void Front::suppress(int y, std::uint32_t* candidate, std::uint32_t* strong) {
  // In this order: each asks for rows that the next one still needs.
  const std::int32_t* above = magnitude(y - 1);
  const std::int32_t* here = magnitude(y);
  const std::int32_t* below = magnitude(y + 1);
  const Gradient* gradient = gradient_.row(y);
  const auto is_maximum = [&](int x) {
    const std::int32_t m = here[x];
    const std::int32_t gx = gradient[x].x, gy = gradient[x].y;
    const std::int32_t steepness = std::abs(gy) << 15;
    const std::int32_t flat = kTan22 * std::abs(gx);
    if (steepness < flat) return m > here[x - 1] && m >= here[x + 1];
    if (steepness > flat + (std::abs(gx) << 16)) return m > above[x] && m >= below[x];
    const int side = (gx ^ gy) < 0 ? -1 : 1;
    return m > above[x - side] && m > below[x + side];
  };
  for (int first = 0; first < width_; first += kWordBits) {
    std::uint32_t candidate_word = 0, strong_word = 0;
    const int pixels = std::min(kWordBits, width_ - first);
    for (int i = 0; i < pixels; ++i) {
      const std::int32_t m = here[first + i];
      if (m <= settings_->low || !is_maximum(first + i)) continue;
      candidate_word |= 1u << i;
      strong_word |= static_cast<std::uint32_t>(m > settings_->high) << i;
    }
    candidate[first / kWordBits] = candidate_word;
    strong[first / kWordBits] = strong_word;
  }
}

void Front::run(const ConstFrame& input, const Settings& settings, int first_row, int last_row,
                const BitPlane& candidate, const BitPlane& strong) {
  input_ = &input;
  settings_ = &settings;
  row_blurred_.clear(std::min(settings.taps.count, height_));
  blurred_.clear(3);
  gradient_.clear(3);
  magnitude_.clear(3);
  for (int y = first_row; y < last_row; ++y) suppress(y, candidate.row(y), strong.row(y));
}

}  // namespace canny::cpu
