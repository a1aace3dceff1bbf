// SPDX-License-Identifier: LGPL-2.1-or-later
/// Writes an edge map as pixels of every format.
#include "pixel_formats.h"
#include "reference.h"

namespace reference {
namespace {

/// A word of an edge pixel has all color bits set, and an unused highest bit is 0.
void output_word(const ColorBits& at, std::uint8_t edge, std::uint8_t* pixel) {
  const int bits = at.bits[0] + at.bits[1] + at.bits[2];
  const int word = edge ? (1 << bits) - 1 : 0;
  pixel[0] = std::uint8_t(word % 256);
  pixel[1] = std::uint8_t(word / 256);
}

void output_pixel(canny::PixelFormat format, std::uint8_t edge, std::uint8_t* row, int x) {
  if (const auto bits = color_bits(format)) return output_word(*bits, edge, row + 2 * x);
  const Layout at = layout(format);
  for (int i = 0; i < at.bytes; i++)
    row[x * at.bytes + i] = at.rest[i] < 0 ? edge : std::uint8_t(at.rest[i]);
}

}  // namespace

void output(const std::vector<std::uint8_t>& edges, const canny::Frame& frame) {
  for (int y = 0; y < frame.height; y++) {
    for (int x = 0; x < frame.width; x++) {
      const std::uint8_t edge = edges[std::size_t(y) * std::size_t(frame.width) + std::size_t(x)];
      std::uint8_t* row = frame.data + y * frame.stride_bytes;
      if (const auto at = floats(frame.format)) {
        for (int color = 0; color < at->colors; color++)
          store_float(*at, edge ? 1 : 0, float_sample(frame, x, y, color));
      } else if (frame.format == canny::PixelFormat::kRgbPlanes) {
        row[x] = edge;
        frame.green.data[y * frame.green.stride_bytes + x] = edge;
        frame.blue.data[y * frame.blue.stride_bytes + x] = edge;
      } else {
        output_pixel(frame.format, edge, row, x);
      }
    }
  }
}

}  // namespace reference
