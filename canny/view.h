// SPDX-License-Identifier: LGPL-2.1-or-later
// The views: which stages they need, and the colors that they show. docs/reference/edge-map.md has
// the definition.
#pragma once

#include <cstdint>

#include "canny/bits.h"
#include "canny/canny.h"

namespace canny {

/// Whether the view shows nothing but luma.
inline bool shows_luma(View view) { return view == View::kLuma || view == View::kBlurred; }

/// What pixels of a view show, each as one of the values 0..255. Of kPasses this is the number of
/// the pass; of all other views it is the pixel of a gray output.
inline constexpr int kValues = 256;
inline constexpr std::uint8_t kStrongValue = 255, kCandidateValue = 128;
inline constexpr std::uint8_t kHorizontalValue = 64, kFallingValue = 128, kVerticalValue = 192,
                              kRisingValue = 255;

/// The pixels that show values.
struct Palette {
  std::uint32_t pixel[kValues] = {};  ///< the bytes of a pixel, the first one lowest; of planes and
                                      ///< floats, a byte for each sample
  std::uint32_t sample[kValues] = {};  ///< of floats: the bits for each of these bytes
};

/// The palette of a view that shows values, in an output of this format.
Palette make_palette(View view, PixelFormat format);

inline constexpr int kNotPainted = -1;

/// A color that is blended with the input's pixels: a component c over a sample p becomes
/// (alpha c + (255 - alpha) p + 127) / 255, rounded down. An alpha of 0 gives p, one of 255 c.
/// Kernels of all devices take it as it is.
struct Paint {
  std::int32_t component[3] = {};                ///< red, green, blue, or Y, U, V
  std::int32_t edge_alpha = 0, other_alpha = 0;  ///< of edges, and of other pixels
  std::int32_t planes = 0, bytes = 0;            ///< bytes of a pixel in each plane
  std::int32_t place[3] = {}, green_bits = 0;    ///< of words of colors: the lowest bits
  /// Which component each byte of a pixel is; of words of colors none.
  std::int32_t of_byte[4] = {kNotPainted, kNotPainted, kNotPainted, kNotPainted};
  std::int32_t shared_chroma = kNotPainted;  ///< the byte that is U in even and V in odd columns
  std::int32_t step_bytes = 0, shift_x = 0, shift_y = 0;  ///< of chroma in planes of its own
};

/// The paint of a view that shows the input.
Paint make_paint(View view, std::uint32_t edge_color, const Frame& output);

/// A component over a sample.
CANNY_HOST_DEVICE inline std::uint8_t blend(int component, int sample, int alpha) {
  return static_cast<std::uint8_t>((alpha * component + (255 - alpha) * sample + 127) / 255);
}

/// A color of a word of colors with a component over it: widened, blended and narrowed again.
CANNY_HOST_DEVICE inline std::uint32_t blend_bits(int component, std::uint32_t word, int lowest,
                                                  int bits, int alpha) {
  const std::uint32_t v = word >> lowest & ((1u << bits) - 1);
  const std::uint32_t widened = v << (8 - bits) | v >> (2 * bits - 8);
  const std::uint32_t blended = blend(component, static_cast<int>(widened), alpha);
  return blended >> (8 - bits) << lowest;
}

}  // namespace canny
