// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns a row of pixels of any format into rows of samples: of luma, or of the three colors.

// Included once for each instruction set.
#if defined(CANNY_CPU_SAMPLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_SAMPLES_INL_H_
#undef CANNY_CPU_SAMPLES_INL_H_
#else
#define CANNY_CPU_SAMPLES_INL_H_
#endif

#include <algorithm>

#include "canny/frame.h"
#include "cpu/front/deep-inl.h"
#include "cpu/front/front.h"
#include "cpu/front/luma-inl.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

HWY_INLINE void store_colors(V8 first, V8 second, V8 third, const FrontRows& rows, int x) {
  store_samples(first, rows.channels[0].samples + x);
  store_samples(second, rows.channels[1].samples + x);
  store_samples(third, rows.channels[2].samples + x);
}

// The colors of pixels of whole bytes.
template <int kBytes>
struct ByteColors {
  static constexpr int kPixelBytes = kBytes, kReadBytes = kBytes * kLanes8;
  static LumaRule rule(const PixelLayout& pixel) { return {in_order_of_channels(pixel), {}}; }
  static HWY_INLINE void convert(const LumaRule& rule, const std::uint8_t* pixels,
                                 const FrontRows& rows, int x) {
    V8 bytes[] = {hn::Zero(d8), hn::Zero(d8), hn::Zero(d8), hn::Zero(d8)};
    if (kBytes == 3)
      hn::LoadInterleaved3(d8, pixels, bytes[0], bytes[1], bytes[2]);
    else
      hn::LoadInterleaved4(d8, pixels, bytes[0], bytes[1], bytes[2], bytes[3]);
    store_colors(bytes[rule.pixel.r], bytes[rule.pixel.g], bytes[rule.pixel.b], rows, x);
  }
};

// The colors of pixels that are 16-bit words.
struct WordColors {
  static constexpr int kPixelBytes = 2, kReadBytes = 2 * kLanes8;
  static LumaRule rule(const PixelLayout& pixel) { return {pixel, {}}; }
  static HWY_INLINE void convert(const LumaRule& rule, const std::uint8_t* pixels,
                                 const FrontRows& rows, int x) {
    for (int i = 0; i < 2; ++i, x += kLanes16) {
      const auto words = hn::BitCast(du16, hn::LoadU(d8, pixels + i * kLanes8));
      const auto store = [&](int channel, int lowest, int bits) HWY_ATTR {
        const auto color = hn::BitCast(du16, widen(words, lowest, bits));
        hn::Store(color, du16, rows.channels[channel].samples + x);
      };
      store(0, rule.pixel.r, 5);
      store(1, rule.pixel.g, rule.pixel.green_bits);
      store(2, rule.pixel.b, 5);
    }
  }
};

struct PlanesToColors {
  static HWY_INLINE void convert(const SplitWeights&, V8 r, V8 g, V8 b, const FrontRows& rows,
                                 int x) {
    store_colors(r, g, b, rows, x);
  }
};

Conversion<FrontRows> color_conversion(const PixelLayout& pixel) {
  return pixel.planes > 1       ? convert_row_of_planes<PlanesToColors, FrontRows>
         : pixel.green_bits > 0 ? convert_row<WordColors, FrontRows>
         : pixel.bytes == 3     ? convert_row<ByteColors<3>, FrontRows>
                                : convert_row<ByteColors<4>, FrontRows>;
}

// Mirrors i into 0 .. size - 1 without repeating the border pixel, as often as needed.
int reflect(int i, int size) {
  if (size == 1) return 0;
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

// Converts row y to samples, of one channel or three.
void convert_samples(const FrontRows& rows, const ConstFrame& input, int channels, int y) {
  const PixelLayout& pixel = layout(input.format);
  const bool is_deep = channels > 1 ? pixel.bits > 8 : has_no_byte(pixel);
  if (is_deep) return convert_deep_row(rows, input, channels, y, false);
  const auto convert = channels > 1 ? color_conversion(pixel) : luma_conversion<FrontRows>(pixel);
  convert(rows, input, y);
}

// Converts row y to bytes of luma, less 128.
void convert_luma(const FrontRows& rows, const ConstFrame& input, int y, std::int8_t* out) {
  const PixelLayout& pixel = layout(input.format);
  const ByteRow row = {out, rows.pixels};
  if (!has_no_byte(pixel)) return luma_conversion<ByteRow>(pixel)(row, input, y);
  convert_deep_row(rows, input, 1, y, false);
  for (int x = 0; x < input.width; x += kLanes8) {
    const auto* samples = reinterpret_cast<const std::int16_t*>(rows.channels[0].samples + x);
    const hn::Half<decltype(d8)> half;
    const auto load = [&](int i)
                          HWY_ATTR { return hn::DemoteTo(half, hn::Load(d16, samples + i)); };
    store_luma(hn::Combine(d8, load(kLanes16), load(0)), row, x);
  }
}
void convert_samples(const DeepRows& rows, const ConstFrame& input, int channels, int y) {
  convert_deep_row(rows, input, channels, y, true);
  for (int channel = 0; channel < channels; ++channel)
    subtract_half(rows.channels[channel].samples, input.width);
}

// Mirrors `radius` samples on both sides of a row.
template <class Sample>
void mirror_borders(Sample* row, int width, int radius) {
  Sample* last = row + width - 1;
  const int once = std::min(radius, width - 1);
  for (int i = 1; i <= once; ++i) row[-i] = row[i], last[i] = last[-i];
  for (int i = once + 1; i <= radius; ++i) {
    row[-i] = row[reflect(-i, width)];
    last[i] = row[reflect(width - 1 + i, width)];
  }
}

// Converts row y, for one channel or three, and mirrors `radius` samples on both sides of it.
template <class Rows>
void sample_row(const Rows& rows, const ConstFrame& input, int channels, int y, int radius) {
  convert_samples(rows, input, channels, y);
  for (int channel = 0; channel < channels; ++channel)
    mirror_borders(rows.channels[channel].samples, input.width, radius);
}

// Converts rows of samples of 0 to 255 to bytes and back.
template <class Sample>
void store_row(int blocks, const Sample* row, std::uint8_t* out) {
  const hn::Half<decltype(d8)> half;
  for (int x = 0; x < blocks * kBlock; x += kLanes16) {
    const auto samples = hn::LoadU(d16, reinterpret_cast<const std::int16_t*>(row + x));
    hn::Store(hn::DemoteTo(half, samples), half, out + x);
  }
}

void load_row(int blocks, const std::uint8_t* row, std::int16_t* out) {
  const hn::Half<decltype(d8)> half;
  for (int x = 0; x < blocks * kBlock; x += kLanes16)
    hn::Store(hn::PromoteTo(d16, hn::Load(half, row + x)), d16, out + x);
}

// Likewise of deep samples, to words and back.
void store_row(int blocks, const std::int32_t* row, std::uint8_t* out) {
  auto* words = reinterpret_cast<std::uint16_t*>(out);
  for (int x = 0; x < blocks * kBlock; ++x) words[x] = static_cast<std::uint16_t>(row[x]);
}

void load_row(int blocks, const std::uint8_t* row, std::int32_t* out) {
  const auto* words = reinterpret_cast<const std::uint16_t*>(row);
  for (int x = 0; x < blocks * kBlock; ++x) out[x] = words[x];
}

// Sets bytes to samples of 8 bits, or to the highest 8 bits of deep ones.
void store_highest(const FrontRows& rows, std::uint8_t* out) {
  store_row(rows.blocks, rows.channels[0].samples, out);
}
void store_highest(const DeepRows& rows, std::uint8_t* out) {
  const std::uint16_t* row = rows.channels[0].samples;
  for (int x = 0; x < rows.blocks * kBlock; ++x)
    out[x] = static_cast<std::uint8_t>((row[x] ^ kHalfSample) >> 8);
}
void store_highest(int blocks, const std::int16_t* blurred, std::uint8_t* out) {
  store_row(blocks, blurred, out);
}
void store_highest(int blocks, const std::int32_t* blurred, std::uint8_t* out) {
  for (int x = 0; x < blocks * kBlock; ++x) out[x] = static_cast<std::uint8_t>(blurred[x] >> 8);
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
