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

/// The luma of the pixel in column x of a row, for formats without color planes.
std::uint8_t luma(canny::PixelFormat format, const std::uint8_t* row, int x) {
  if (const auto bits = color_bits(format)) return luma(color_of_word(*bits, row + 2 * x));
  const Layout at = layout(format);
  const std::uint8_t* pixel = row + x * at.bytes;
  if (format == canny::PixelFormat::kGray10Le)
    return std::uint8_t((pixel[0] + 256 * pixel[1]) >> 2);
  if (at.r == at.g) return pixel[at.g];
  return luma({pixel[at.r], pixel[at.g], pixel[at.b]});
}

}  // namespace

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

}  // namespace reference
