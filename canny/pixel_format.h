// SPDX-License-Identifier: LGPL-2.1-or-later
/// \file
/// The pixel formats of frames. canny.h includes this header.
#pragma once

namespace canny {

/// The order of a pixel's bytes in memory. The byte X is ignored on input and 255 on output (an
/// opaque alpha). Chroma is ignored on input and 128 on output. Components of 5 and 6 bits are
/// widened to 8 by repeating their highest bits. The luma plane of a planar or semi-planar YUV
/// format is a gray frame. With View::kOverlay and kMasked, X is the input's, and chroma is blended
/// or shown where any of the pixels that share it is an edge. The formats from kGray16Le on are
/// deep: their samples have more than 8 bits, of which LumaDepth says how many count. Those from
/// kGrayF32 on have floats, little-endian: 0 is black, and so are NaN and numbers below; 1 is
/// white, and so are numbers above.
enum class PixelFormat {
  kGray8,
  kRgb,
  kBgr,
  kRgbx,
  kBgrx,
  kXrgb,
  kXbgr,
  kYuy2,       ///< luma, then a byte of chroma: U in even columns, V in odd ones. For YVYU as
               ///< well, with U and V of Params::edge_color swapped
  kUyvy,       ///< a byte of chroma, then luma; likewise, for VYUY as well
  kAyuv,       ///< X, luma, U, V
  kVuya,       ///< V, U, luma, X
  kRgb16,      ///< 16 bits, little-endian, from the highest bit: 5 red, 6 green, 5 blue
  kBgr16,      ///< likewise: 5 blue, 6 green, 5 red
  kRgb15,      ///< likewise: 1 ignored on input and 0 on output, 5 red, 5 green, 5 blue
  kBgr15,      ///< likewise: 1 as in kRgb15, 5 blue, 5 green, 5 red
  kRgbPlanes,  ///< a byte of each color, in three planes
  kGray16Le,   ///< 16 bits, little-endian. The next 10 formats are for input only:
  kGray16Be,   ///< 16 bits, big-endian
  kGray10Le,   ///< 10 bits in the low bits of 16, little-endian; the others are ignored
  kGray12Le,   ///< likewise, 12 bits
  kY210Le,     ///< 16 bits of luma, 16 bits of chroma, little-endian
  kY410Le,     ///< 32 bits, little-endian, from the lowest bit: 10 chroma, 10 luma, 10 chroma, 2
               ///< ignored
  kV210,       ///< 4 words of 32 bits, little-endian, for 6 pixels: from the lowest bit, each word
               ///< has 3 samples of 10 bits, of chroma and luma in turn, the first one of chroma.
               ///< Rows end with a whole group of words.
  kRgb10a2Le,  ///< 32 bits, little-endian, from the lowest bit: 10 red, 10 green, 10 blue, 2
               ///< ignored
  kBgr10a2Le,  ///< likewise: 10 blue, 10 green, 10 red, 2 ignored
  kRgbx64Le,   ///< 16 bits of each color, little-endian, and 16 ignored ones
  kXrgb64Le,   ///< likewise: 16 ignored ones first
  kGrayF32,    ///< 32 bits, IEEE 754's binary32
  kGrayF16,    ///< 16 bits, IEEE 754's binary16
  kGrayBf16,   ///< 16 bits, bfloat16: the upper half of binary32
  kRgbF32,     ///< a float of each color: red, green, blue
  kRgbF16,
  kRgbBf16,
  kRgbPlanesF32,  ///< likewise, in three planes
  kRgbPlanesF16,
  kRgbPlanesBf16,
};

}  // namespace canny
