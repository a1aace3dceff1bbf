// SPDX-License-Identifier: LGPL-2.1-or-later
/// Luma of every pixel format.
#include <algorithm>
#include <cmath>

#include "pixel_formats.h"
#include "reference.h"

namespace reference {
namespace {

struct Color {
  int r, g, b;
};

/// At most the largest sample.
int luma(const Color& color) {
  return int((std::int64_t{9798} * color.r + 19235 * std::int64_t{color.g} +
              3735 * std::int64_t{color.b} + 16384) >>
             15);
}

Color color_of_word(const ColorBits& at, const std::uint8_t* pixel) {
  const int word = pixel[0] + 256 * pixel[1];
  int colors[3];
  for (int i = 2, lowest = 0; i >= 0; lowest += at.bits[i--])
    colors[i] = widen((word >> lowest) % (1 << at.bits[i]), at.bits[i]);
  return at.is_blue_first ? Color{colors[2], colors[1], colors[0]}
                          : Color{colors[0], colors[1], colors[2]};
}

int word16(const std::uint8_t* bytes) { return bytes[0] + 256 * bytes[1]; }

std::uint32_t word32(const std::uint8_t* bytes) {
  return std::uint32_t(word16(bytes)) + 65536 * std::uint32_t(word16(bytes + 2));
}

/// Sample `i` of a word of three samples of 10 bits, as the highest bits of 16.
int sample_of_word(std::uint32_t word, int i) { return int((word >> 10 * i) % 1024) * 64; }

Color gray(int sample) { return {sample, sample, sample}; }

/// The color of a pixel of floats. The product of a float and a number of 16 bits is exact in
/// double precision, and so is rounded once to a float.
Color float_color(const canny::ConstFrame& frame, int x, int y, int largest) {
  const Floats at = *floats(frame.format);
  const auto number = [&](int color) {
    const double value = value_of_float(at, float_sample(frame, x, y, color));
    return int(std::nearbyint(float(std::min(value, 2.0) * largest)));
  };
  const auto sample = [&](int color) { return std::min(number(color), largest); };
  return at.colors == 1 ? gray(sample(0)) : Color{sample(0), sample(1), sample(2)};
}

/// The color of the pixel in column x of a row of integers of more than 8 bits, as 16 bits.
Color deep_color(canny::PixelFormat format, const std::uint8_t* row, int x) {
  using canny::PixelFormat;
  const std::uint8_t* words = row + 8 * x;
  switch (format) {
    case PixelFormat::kGray16Be:
      return gray(row[2 * x + 1] + 256 * row[2 * x]);
    case PixelFormat::kGray10Le:
      return gray(word16(row + 2 * x) % 1024 * 64);
    case PixelFormat::kGray12Le:
      return gray(word16(row + 2 * x) % 4096 * 16);
    case PixelFormat::kY210Le:
      return gray(word16(row + 4 * x));
    case PixelFormat::kY410Le:
      return gray(sample_of_word(word32(row + 4 * x), 1));
    case PixelFormat::kV210: {
      // Chroma and luma take turns, from chroma on.
      const int sample = 2 * x + 1;
      return gray(sample_of_word(word32(row + sample / 3 * 4), sample % 3));
    }
    case PixelFormat::kRgb10a2Le:
    case PixelFormat::kBgr10a2Le: {
      const std::uint32_t word = word32(row + 4 * x);
      const int first = sample_of_word(word, 0);
      const int last = sample_of_word(word, 2);
      const bool is_rgb = format == PixelFormat::kRgb10a2Le;
      return {is_rgb ? first : last, sample_of_word(word, 1), is_rgb ? last : first};
    }
    case PixelFormat::kRgbx64Le:
      return {word16(words), word16(words + 2), word16(words + 4)};
    case PixelFormat::kXrgb64Le:
      return {word16(words + 2), word16(words + 4), word16(words + 6)};
    default:
      return gray(word16(row + 2 * x));
  }
}

Color deep_color(const canny::ConstFrame& frame, int x, int y) {
  if (floats(frame.format)) return float_color(frame, x, y, 65535);
  return deep_color(frame.format, frame.data + y * frame.stride_bytes, x);
}

/// The color of the pixel in column x of a row, for formats of integers without color planes. Luma
/// is a color of three equal samples.
Color color(canny::PixelFormat format, const std::uint8_t* row, int x) {
  if (is_deep(format)) {
    const Color full = deep_color(format, row, x);
    return {full.r / 256, full.g / 256, full.b / 256};
  }
  if (const auto bits = color_bits(format)) return color_of_word(*bits, row + 2 * x);
  const Layout at = layout(format);
  const std::uint8_t* pixel = row + x * at.bytes;
  return {pixel[at.r], pixel[at.g], pixel[at.b]};
}

/// Calls f(x, y, color) for each pixel.
template <class F>
void for_each_color(const canny::ConstFrame& frame, F f) {
  for (int y = 0; y < frame.height; y++) {
    const std::uint8_t* row = frame.data + y * frame.stride_bytes;
    const std::uint8_t* green = frame.green.data + y * frame.green.stride_bytes;
    const std::uint8_t* blue = frame.blue.data + y * frame.blue.stride_bytes;
    const bool planes = frame.format == canny::PixelFormat::kRgbPlanes;
    const bool has_floats = floats(frame.format).has_value();
    for (int x = 0; x < frame.width; x++) {
      f(x, y,
        has_floats ? float_color(frame, x, y, 255)
        : planes   ? Color{row[x], green[x], blue[x]}
                   : color(frame.format, row, x));
    }
  }
}

bool is_luma(canny::PixelFormat format) {
  using canny::PixelFormat;
  if (format == PixelFormat::kRgbPlanes || color_bits(format)) return false;
  if (const auto at = floats(format)) return at->colors == 1;
  if (is_deep(format)) {
    return format != PixelFormat::kRgb10a2Le && format != PixelFormat::kBgr10a2Le &&
           format != PixelFormat::kRgbx64Le && format != PixelFormat::kXrgb64Le;
  }
  return layout(format).r == layout(format).g;
}

}  // namespace

Bytes luma(const canny::ConstFrame& frame) {
  Bytes result(frame.width, frame.height);
  const bool is_one_sample = is_luma(frame.format);
  for_each_color(frame, [&](int x, int y, const Color& color) {
    result.row(y)[x] = is_one_sample ? std::uint8_t(color.g) : luma(color);
  });
  return result;
}

std::vector<Bytes> colors(const canny::ConstFrame& frame) {
  using canny::PixelFormat;
  if (is_luma(frame.format)) return {};
  const bool is_blue_first = frame.format == PixelFormat::kBgr ||
                             frame.format == PixelFormat::kBgrx ||
                             frame.format == PixelFormat::kXbgr;
  std::vector<Bytes> result(3, Bytes(frame.width, frame.height));
  for_each_color(frame, [&](int x, int y, const Color& color) {
    result[is_blue_first ? 2 : 0].row(y)[x] = std::uint8_t(color.r);
    result[1].row(y)[x] = std::uint8_t(color.g);
    result[is_blue_first ? 0 : 2].row(y)[x] = std::uint8_t(color.b);
  });
  return result;
}

bool is_deep(canny::PixelFormat format) { return format >= canny::PixelFormat::kGray16Le; }

bool is_deep(const canny::Params& params, const canny::ConstFrame& frame) {
  return params.luma_depth == canny::LumaDepth::kFull && is_deep(frame.format);
}

Words deep_luma(const canny::ConstFrame& frame) {
  Words result(frame.width, frame.height);
  const bool is_one_sample = is_luma(frame.format);
  for (int y = 0; y < frame.height; y++) {
    for (int x = 0; x < frame.width; x++) {
      const Color color = deep_color(frame, x, y);
      result.row(y)[x] = std::uint16_t(is_one_sample ? color.g : luma(color));
    }
  }
  return result;
}

std::vector<Words> deep_colors(const canny::ConstFrame& frame) {
  std::vector<Words> result(3, Words(frame.width, frame.height));
  for (int y = 0; y < frame.height; y++) {
    for (int x = 0; x < frame.width; x++) {
      const Color color = deep_color(frame, x, y);
      result[0].row(y)[x] = std::uint16_t(color.r);
      result[1].row(y)[x] = std::uint16_t(color.g);
      result[2].row(y)[x] = std::uint16_t(color.b);
    }
  }
  return result;
}

Bytes highest(const Words& image) {
  Bytes result(image.width, image.height);
  for (std::size_t i = 0; i < result.samples.size(); i++)
    result.samples[i] = std::uint8_t(image.samples[i] / 256);
  return result;
}

}  // namespace reference
