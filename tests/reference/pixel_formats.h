// SPDX-License-Identifier: LGPL-2.1-or-later
/// The places of samples in the pixel formats.
#pragma once

#include <optional>

#include "canny/canny.h"

namespace reference {

/// The places of a pixel's samples among its bytes; all are equal for luma. `rest` holds the bytes
/// of an edge map that are neither color nor luma, and -1 for the others.
struct Layout {
  int bytes, r, g, b;
  int rest[4] = {-1, -1, -1, -1};
};

/// For formats of one plane whose samples are bytes, and for output in kGray16Le, whose samples
/// have two equal bytes.
Layout layout(canny::PixelFormat format);

/// The number of bits of each color in a 16-bit word, from the highest bits down.
struct ColorBits {
  int bits[3];
  bool is_blue_first;
};

/// Empty if the format has no such words.
std::optional<ColorBits> color_bits(canny::PixelFormat format);

/// Widens such a color to 8 bits by repeating its highest bits below it.
inline int widen(int value, int bits) { return (value << (8 - bits)) + (value >> (2 * bits - 8)); }

/// Floats of 1 + exponent_bits + fraction_bits bits, as IEEE 754 has them.
struct Floats {
  int exponent_bits, fraction_bits;
  int colors;   ///< 1, or red, green and blue
  bool planes;  ///< whether each color has a plane

  int bytes() const { return (1 + exponent_bits + fraction_bits) / 8; }
};

/// Empty if the format has no floats.
std::optional<Floats> floats(canny::PixelFormat format);

/// The sample of one color (0, 1 or 2) of a frame of floats.
template <class Byte>
Byte* float_sample(const canny::BasicFrame<Byte>& frame, int x, int y, int color) {
  const Floats at = *floats(frame.format);
  if (!at.planes) return frame.data + y * frame.stride_bytes + (x * at.colors + color) * at.bytes();
  const canny::BasicPlane<Byte> planes[] = {
      {frame.data, frame.stride_bytes}, frame.green, frame.blue};
  return planes[color].data + y * planes[color].stride_bytes + x * at.bytes();
}

/// What a float from 0 to infinity stands for; 0 for NaN and below 0.
double value_of_float(const Floats& at, const std::uint8_t* sample);

/// Writes the float nearest to a value from 0 to 1, halves to even.
void store_float(const Floats& at, double value, std::uint8_t* sample);

}  // namespace reference
