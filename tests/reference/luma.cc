// SPDX-License-Identifier: LGPL-2.1-or-later
/// Luma of every pixel format.
#include "pixel_formats.h"
#include "reference.h"

namespace reference {
namespace {

struct Color {
  int r, g, b;
};

std::uint8_t luma(const Color& color) {
  return std::uint8_t((9798 * color.r + 19235 * color.g + 3735 * color.b + 16384) >> 15);
}

/// Widens a color to 8 bits by repeating its highest bits below it.
int widen(int value, int bits) { return (value << (8 - bits)) + (value >> (2 * bits - 8)); }

Color color_of_word(const ColorBits& at, const std::uint8_t* pixel) {
  const int word = pixel[0] + 256 * pixel[1];
  int colors[3];
  for (int i = 2, lowest = 0; i >= 0; lowest += at.bits[i--])
    colors[i] = widen((word >> lowest) % (1 << at.bits[i]), at.bits[i]);
  return at.is_blue_first ? Color{colors[2], colors[1], colors[0]}
                          : Color{colors[0], colors[1], colors[2]};
}

/// The color of the pixel in column x of a row, for formats without color planes. Luma is a color
/// of three equal samples.
Color color(canny::PixelFormat format, const std::uint8_t* row, int x) {
  if (const auto bits = color_bits(format)) return color_of_word(*bits, row + 2 * x);
  const Layout at = layout(format);
  const std::uint8_t* pixel = row + x * at.bytes;
  if (format == canny::PixelFormat::kGray10Le) {
    const int sample = (pixel[0] + 256 * pixel[1]) >> 2;
    return {sample, sample, sample};
  }
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
    for (int x = 0; x < frame.width; x++)
      f(x, y, planes ? Color{row[x], green[x], blue[x]} : color(frame.format, row, x));
  }
}

bool is_luma(canny::PixelFormat format) {
  if (format == canny::PixelFormat::kRgbPlanes || color_bits(format)) return false;
  return format == canny::PixelFormat::kGray10Le || layout(format).r == layout(format).g;
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
  if (is_luma(frame.format)) return {};
  std::vector<Bytes> result(3, Bytes(frame.width, frame.height));
  for_each_color(frame, [&](int x, int y, const Color& color) {
    result[0].row(y)[x] = std::uint8_t(color.r);
    result[1].row(y)[x] = std::uint8_t(color.g);
    result[2].row(y)[x] = std::uint8_t(color.b);
  });
  return result;
}

}  // namespace reference
