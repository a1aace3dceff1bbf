// SPDX-License-Identifier: LGPL-2.1-or-later
/// A table of the pixel formats.
#include "pixel_formats.h"

#include <cstdlib>

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

}  // namespace reference
