// SPDX-License-Identifier: LGPL-2.1-or-later
/// A table of the pixel formats.
#include "pixel_formats.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace reference {

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
    case canny::PixelFormat::kGray16Le:
      return {2, 0, 0, 0};
    default:
      break;
  }
  std::abort();
}

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

std::optional<Floats> floats(canny::PixelFormat format) {
  switch (format) {
    case canny::PixelFormat::kGrayF32:
      return Floats{8, 23, 1, false};
    case canny::PixelFormat::kGrayF16:
      return Floats{5, 10, 1, false};
    case canny::PixelFormat::kGrayBf16:
      return Floats{8, 7, 1, false};
    case canny::PixelFormat::kRgbF32:
      return Floats{8, 23, 3, false};
    case canny::PixelFormat::kRgbF16:
      return Floats{5, 10, 3, false};
    case canny::PixelFormat::kRgbBf16:
      return Floats{8, 7, 3, false};
    case canny::PixelFormat::kRgbPlanesF32:
      return Floats{8, 23, 3, true};
    case canny::PixelFormat::kRgbPlanesF16:
      return Floats{5, 10, 3, true};
    case canny::PixelFormat::kRgbPlanesBf16:
      return Floats{8, 7, 3, true};
    default:
      return {};
  }
}

double value_of_float(const Floats& at, const std::uint8_t* sample) {
  std::uint32_t bits = 0;
  for (int i = at.bytes() - 1; i >= 0; i--) bits = 256 * bits + sample[i];
  const std::uint32_t one = std::uint32_t{1} << at.fraction_bits;
  const std::uint32_t fraction = bits % one;
  const int largest = (1 << at.exponent_bits) - 1;
  const int exponent = int(bits / one);  // with the sign as its highest bit
  if (exponent > largest || (exponent == largest && fraction > 0)) return 0;
  if (exponent == largest) return std::numeric_limits<double>::infinity();
  const int place = 1 - largest / 2 - at.fraction_bits;  // of the lowest bit of subnormals
  return exponent == 0 ? std::ldexp(fraction, place)
                       : std::ldexp(fraction + one, place + exponent - 1);
}

void store_float(const Floats& at, double value, std::uint8_t* sample) {
  int exponent = 0;  // value is 1/2 to 1 times 2^exponent
  std::frexp(value, &exponent);
  const int bias = (1 << at.exponent_bits) / 2 - 1;
  exponent = std::max(exponent, 2 - bias);  // of subnormals
  const double scaled = std::ldexp(value, at.fraction_bits + 1 - exponent);
  const auto fraction = std::uint32_t(std::nearbyint(scaled));
  std::uint32_t bits = 0;
  // The highest bit of the fraction adds 1 to the exponent; rounding may carry into it once more.
  if (value > 0) bits = fraction + (std::uint32_t(exponent - 2 + bias) << at.fraction_bits);
  for (int i = 0; i < at.bytes(); i++, bits /= 256) sample[i] = std::uint8_t(bits % 256);
}

}  // namespace reference
