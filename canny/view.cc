// SPDX-License-Identifier: LGPL-2.1-or-later
// The colors of views.
#include "canny/view.h"

#include <algorithm>
#include <iterator>

#include "canny/floats.h"
#include "canny/frame.h"

namespace canny {
namespace {

struct Rgb {
  std::uint8_t r, g, b;
};

Rgb gray(int value) {
  const auto v = static_cast<std::uint8_t>(value);
  return {v, v, v};
}

// The colors of directions in the order of their values, and of passes from the first one. Later
// passes have the last color.
constexpr Rgb kColors[] = {
    {255, 0, 0},   {0, 255, 0},   {0, 0, 255},   {255, 255, 0},   {255, 0, 255}, {0, 255, 255},
    {255, 128, 0}, {128, 0, 255}, {0, 128, 255}, {128, 255, 0},   {255, 0, 128}, {0, 255, 128},
    {128, 0, 0},   {0, 128, 0},   {0, 0, 128},   {128, 128, 128},
};

Rgb color(View view, int value, bool in_color) {
  if (view == View::kPasses && value > 0 && value < kStrongValue)
    return in_color ? kColors[std::min<std::size_t>(value, std::size(kColors)) - 1]
                    : gray(std::max(255 - 16 * value, 32));
  if (view == View::kDirection && in_color && value >= kHorizontalValue)
    return kColors[(value + 1) / kHorizontalValue - 1];  // 64, 128, 192 and 255
  return gray(value);
}

// The bytes of a pixel of this color. Luma takes it from all components, which are equal.
std::uint32_t pixel(const PixelLayout& target, const Rgb& color) {
  const std::uint32_t r = color.r, g = color.g, b = color.b;
  if (target.green_bits > 0)
    return (r >> 3) << target.r | (g >> (8 - target.green_bits)) << target.g | (b >> 3) << target.b;
  if (target.planes == 3 || target.has_floats()) return r | g << 8 | b << 16;
  if (target.bits == 16) return g * 257;
  return target.other | r << 8 * target.r | g << 8 * target.g | b << 8 * target.b;
}

}  // namespace

Palette make_palette(View view, PixelFormat format) {
  Palette palette;
  const PixelLayout& target = layout(format);
  for (int value = 0; value < kValues; ++value) {
    palette.pixel[value] = pixel(target, color(view, value, has_colors(format)));
    if (target.has_floats()) palette.sample[value] = bits_of_value(value, target.type);
  }
  return palette;
}

Paint make_paint(View view, std::uint32_t edge_color, const Frame& output) {
  constexpr std::int32_t kBlackLuma = 16;
  const PixelLayout& target = layout(output.format);
  const auto byte = [&](int shift) { return static_cast<std::int32_t>(edge_color >> shift & 255); };
  const bool is_yuv = has_chroma(output) || target.u >= 0;
  Paint paint;
  if (view == View::kOverlay)
    paint = {{byte(16), byte(8), byte(0)}, byte(24), 0};
  else
    paint = is_yuv ? Paint{{kBlackLuma, kNeutral, kNeutral}, 0, 255} : Paint{{0, 0, 0}, 0, 255};
  paint.planes = target.planes;
  paint.bytes = target.bytes;
  if (has_chroma(output)) {
    paint.step_bytes = output.chroma.step_bytes;
    paint.shift_x = output.chroma.shift_x;
    paint.shift_y = output.chroma.shift_y;
  }
  if (target.green_bits > 0) {  // the offsets are those of bits
    paint.green_bits = target.green_bits;
    paint.place[0] = target.r, paint.place[1] = target.g, paint.place[2] = target.b;
    return paint;
  }
  paint.of_byte[target.r] = 0;
  if (target.r != target.g) paint.of_byte[target.g] = 1, paint.of_byte[target.b] = 2;
  if (target.r != target.g || target.u < 0) return paint;
  if (target.u == target.v)
    paint.shared_chroma = target.u;
  else
    paint.of_byte[target.u] = 1, paint.of_byte[target.v] = 2;
  return paint;
}

}  // namespace canny
