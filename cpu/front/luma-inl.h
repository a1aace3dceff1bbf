// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns a row of pixels of any format into a row of luma.

// Included once for each instruction set.
#if defined(CANNY_CPU_LUMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_LUMA_INL_H_
#undef CANNY_CPU_LUMA_INL_H_
#else
#define CANNY_CPU_LUMA_INL_H_
#endif

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstring>

#include "canny/frame.h"
#include "cpu/front/deep-inl.h"
#include "cpu/front/front.h"
#include "cpu/front/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// The weights of the bytes of a 3- or 4-byte pixel, split as w = 256 * high + low so that
// everything fits 16 bits:
//   (256 high + low + 16384) >> 15 = (high + (low >> 8) + 64) >> 7,
// where high <= 128 * 255 and |low| <= 128 * 255.
struct SplitWeights {
  std::int16_t high[4] = {}, low[4] = {};
};

HWY_INLINE SplitWeights split_weights(const PixelLayout& pixel) {
  const auto weights = luma_weights(pixel);
  SplitWeights split;
  for (int i = 0; i < 4; ++i) {
    split.high[i] = static_cast<std::int16_t>((weights[i] + 128) >> 8);
    split.low[i] = static_cast<std::int16_t>(weights[i] - 256 * split.high[i]);
  }
  return split;
}

HWY_INLINE V16 join_split(V16 high, V16 low) {
  return hn::ShiftRight<7>(high + hn::ShiftRight<8>(low) + hn::Set(d16, 64));
}

// Luma of samples in 16-bit lanes.
HWY_INLINE V16 luma(const SplitWeights& weights, V16 a, V16 b, V16 c) {
  const auto sum = [&](const std::int16_t(&w)[4]) HWY_ATTR {
    return a * hn::Set(d16, w[0]) + b * hn::Set(d16, w[1]) + c * hn::Set(d16, w[2]);
  };
  return join_split(sum(weights.high), sum(weights.low));
}

// Where luma goes: samples of the first channel, or bytes less 128. Rows of either kind hold the
// incomplete block at the end of a row of pixels.
struct ByteRow {
  std::int8_t* luma;
  std::uint8_t* pixels;
};

HWY_INLINE void store_luma(V8 v, const ByteRow& row, int x) {
  hn::Store(hn::Xor(v, hn::Set(d8, 128)), d8, reinterpret_cast<std::uint8_t*>(row.luma + x));
}

// Widens samples.
HWY_INLINE void store_samples(V8 v, std::uint16_t* out) {
  const hn::Half<decltype(d8)> half;
  hn::Store(hn::PromoteTo(du16, hn::LowerHalf(half, v)), du16, out);
  hn::Store(hn::PromoteTo(du16, hn::UpperHalf(half, v)), du16, out + kLanes16);
}

HWY_INLINE void store_luma(V8 v, const FrontRows& rows, int x) {
  store_samples(v, rows.channels[0].samples + x);
}

// The constants for the luma of a row's pixels.
struct LumaRule {
  PixelLayout pixel;
  SplitWeights weights;
};

// Converts kLanes8 pixels of which one byte is luma, or one of two bytes from bit `shift` on.
template <int kBytes>
struct LumaOf {
  static constexpr int kPixelBytes = kBytes, kReadBytes = kBytes * kLanes8;
  static LumaRule rule(const PixelLayout& pixel) { return {pixel, {}}; }
  template <class Rows>
  static HWY_INLINE void convert(const LumaRule& rule, const std::uint8_t* pixels, const Rows& rows,
                                 int x) {
    if (kBytes == 1) return store_luma(hn::LoadU(d8, pixels), rows, x);
    V8 bytes[] = {hn::Zero(d8), hn::Zero(d8), hn::Zero(d8), hn::Zero(d8)};
    if (kBytes == 4) {
      hn::LoadInterleaved4(d8, pixels, bytes[0], bytes[1], bytes[2], bytes[3]);
      store_luma(bytes[rule.pixel.r], rows, x);
      return;
    }
    const hn::Half<decltype(d8)> half;
    const auto load = [&](const std::uint8_t* p) HWY_ATTR {
      const auto words = hn::ShiftRightSame(hn::BitCast(du16, hn::LoadU(d8, p)), rule.pixel.shift);
      return hn::DemoteTo(half, hn::BitCast(d16, hn::And(words, hn::Set(du16, 255))));
    };
    store_luma(hn::Combine(d8, load(pixels + kLanes8), load(pixels)), rows, x);
  }
};

// Likewise pixels whose bytes are colors. Those of 3 bytes are spread to 4 first.
template <int kBytes>
class ColorBytes {
  static_assert(kBytes == 3 || kBytes == 4);
  static constexpr int kBlocks = kLanes8 / 16;  // of 128 bits

 public:
  // The last of four loads reads a whole vector, of which kBytes bytes of each 4 are used.
  static constexpr int kPixelBytes = kBytes, kReadBytes = 3 * kBytes * kLanes32 + kLanes8;

  static LumaRule rule(const PixelLayout& pixel) { return {pixel, split_weights(pixel)}; }

  template <class Rows>
  static HWY_INLINE void convert(const LumaRule& rule, const std::uint8_t* pixels, const Rows& rows,
                                 int x) {
    const auto load = [&](int i) HWY_ATTR { return spread(pixels + i * kBytes * kLanes32); };
    const V16 evens = luma_of_two(rule.weights, load(0), load(1));
    const V16 odds = luma_of_two(rule.weights, load(2), load(3));
    store_luma(in_order(join_bytes(evens, odds)), rows, x);
  }

 private:
  // kLanes32 pixels of 4 bytes.
  static HWY_INLINE V16 spread(const std::uint8_t* pixels) {
    const auto bytes = hn::LoadU(d8, pixels);
    if (kBytes == 4) return hn::BitCast(d16, bytes);
    // Each block takes the 12 bytes of its pixels.
    alignas(64) static constexpr std::int32_t kFirst[16] = {0, 1, 2, 3, 3, 4,  5,  6,
                                                            6, 7, 8, 9, 9, 10, 11, 12};
    alignas(16) static constexpr std::uint8_t kSpread[16] = {0, 1, 2, 0, 3, 4,  5,  0,
                                                             6, 7, 8, 0, 9, 10, 11, 0};
    const auto words = permute(hn::BitCast(d32, bytes), kFirst);
    return hn::BitCast(d16,
                       hn::TableLookupBytes(hn::BitCast(d8, words), hn::LoadDup128(d8, kSpread)));
  }

  static HWY_INLINE V32 permute(V32 words, const std::int32_t* from) {
    if (kBlocks == 1) return words;  // the tables leave the words of one block as they are
    return hn::TableLookupLanes(words, hn::SetTableIndices(d32, from));
  }

  // Luma of the pixels of two vectors in turn.
  static HWY_INLINE V16 luma_of_two(const SplitWeights& weights, V16 a, V16 b) {
    const auto left = [](V16 v) HWY_ATTR {
      return hn::BitCast(d16, hn::ShiftLeft<16>(hn::BitCast(d32, v)));
    };
    const auto right = [](V16 v) HWY_ATTR {
      return hn::BitCast(d16, hn::ShiftRight<16>(hn::BitCast(d32, v)));
    };
    const auto first = hn::BitCast(d8, hn::OddEven(left(b), a));
    const auto second = hn::BitCast(d8, hn::OddEven(b, right(a)));
    const auto sum = [&](const std::int16_t(&w)[4]) HWY_ATTR {
      const auto pair = [&](int i) HWY_ATTR {
        return hn::BitCast(di8, hn::Set(du16, byte_pair(w[i], w[i + 1])));
      };
      return multiply_pairs(first, pair(0)) + multiply_pairs(second, pair(2));
    };
    return join_split(sum(weights.high), sum(weights.low));
  }

  // Pixels of each block are those of the first and the third vector, of the second and the
  // fourth one, and so on.
  static HWY_INLINE V8 in_order(V8 v) {
    alignas(16) static constexpr std::uint8_t kVectors[16] = {0, 4, 8, 12, 2, 6, 10, 14,
                                                              1, 5, 9, 13, 3, 7, 11, 15};
    alignas(64) static constexpr std::int32_t kBlocksOf2[16] = {0, 4, 1, 5, 2, 6, 3, 7};
    alignas(64) static constexpr std::int32_t kBlocksOf4[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                                2, 6, 10, 14, 3, 7, 11, 15};
    const auto vectors = hn::TableLookupBytes(v, hn::LoadDup128(d8, kVectors));
    return hn::BitCast(d8,
                       permute(hn::BitCast(d32, vectors), kBlocks == 2 ? kBlocksOf2 : kBlocksOf4));
  }
};

// Widens a color of `bits` bits from bit `lowest` on to 8 bits by repeating its highest bits.
HWY_INLINE V16 widen(VU16 words, int lowest, int bits) {
  const auto v = hn::And(hn::ShiftRightSame(words, lowest),
                         hn::Set(du16, static_cast<std::uint16_t>((1 << bits) - 1)));
  return hn::BitCast(d16,
                     hn::Or(hn::ShiftLeftSame(v, 8 - bits), hn::ShiftRightSame(v, 2 * bits - 8)));
}

// Converts kLanes8 pixels that are 16-bit words of colors.
struct ColorWords {
  static constexpr int kPixelBytes = 2, kReadBytes = 2 * kLanes8;
  static LumaRule rule(const PixelLayout& pixel) { return {pixel, split_weights({3, 0, 1, 2, 0})}; }
  template <class Rows>
  static HWY_INLINE void convert(const LumaRule& rule, const std::uint8_t* pixels, const Rows& rows,
                                 int x) {
    const hn::Half<decltype(d8)> half;
    const auto convert_half = [&](const std::uint8_t* p) HWY_ATTR {
      const auto words = hn::BitCast(du16, hn::LoadU(d8, p));
      const auto r = widen(words, rule.pixel.r, 5), b = widen(words, rule.pixel.b, 5);
      const auto g = widen(words, rule.pixel.g, rule.pixel.green_bits);
      return hn::DemoteTo(half, luma(rule.weights, r, g, b));
    };
    store_luma(hn::Combine(d8, convert_half(pixels + kLanes8), convert_half(pixels)), rows, x);
  }
};

// Pixels are prefetched this many rows ahead, which saves 1/6 of the time of a 3840x2160 frame that
// is not in a cache. Beyond the frame a prefetch does nothing.
constexpr int kRowsAhead = 2;
constexpr int kCacheLine = 64;

HWY_INLINE void prefetch(const std::uint8_t* pixels, std::ptrdiff_t offset, int bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pixels) + offset;
  for (int i = 0; i < bytes; i += kCacheLine)
    hwy::Prefetch(reinterpret_cast<const std::uint8_t*>(address + i));
}

// Converts row y of a frame in one plane.
template <class Pixels, class Rows>
void convert_row(const Rows& rows, const ConstFrame& input, int y) {
  constexpr int kBytes = Pixels::kPixelBytes, kStep = kLanes8 * kBytes;
  const LumaRule rule = Pixels::rule(layout(input.format));
  const std::uint8_t* pixels = input.data + y * input.stride_bytes;
  const int width = input.width, bytes = width * kBytes;
  int x = 0, at = 0;
  for (; at + Pixels::kReadBytes <= bytes; at += kStep, x += kLanes8) {
    prefetch(pixels + at, kRowsAhead * input.stride_bytes, kStep);
    Pixels::convert(rule, pixels + at, rows, x);
  }
  if (x >= width) return;
  // No byte beyond the row may be read.
  std::memcpy(rows.pixels, pixels + at, static_cast<std::size_t>(bytes - at));
  for (const std::uint8_t* last = rows.pixels; x < width; last += kStep, x += kLanes8)
    Pixels::convert(rule, last, rows, x);
}

// Converts kLanes8 pixels in planes to luma.
struct PlanesToLuma {
  template <class Rows>
  static HWY_INLINE void convert(const SplitWeights& weights, V8 r, V8 g, V8 b, const Rows& rows,
                                 int x) {
    const auto evens = luma(weights, even(r), even(g), even(b));
    const auto odds = luma(weights, odd(r), odd(g), odd(b));
    store_luma(join_bytes(evens, odds), rows, x);
  }
};

// Converts row y of a frame in three planes.
template <class Planes, class Rows>
void convert_row_of_planes(const Rows& rows, const ConstFrame& input, int y) {
  const SplitWeights weights = split_weights({3, 0, 1, 2, 0});
  const std::uint8_t* r = input.data + y * input.stride_bytes;
  const std::uint8_t* g = input.green.data + y * input.green.stride_bytes;
  const std::uint8_t* b = input.blue.data + y * input.blue.stride_bytes;
  const auto load = [](const std::uint8_t* p) HWY_ATTR { return hn::LoadU(d8, p); };
  const int width = input.width;
  int x = 0;
  for (; x + kLanes8 <= width; x += kLanes8) {
    prefetch(r + x, kRowsAhead * input.stride_bytes, kLanes8);
    prefetch(g + x, kRowsAhead * input.green.stride_bytes, kLanes8);
    prefetch(b + x, kRowsAhead * input.blue.stride_bytes, kLanes8);
    Planes::convert(weights, load(r + x), load(g + x), load(b + x), rows, x);
  }
  if (x == width) return;
  const auto rest = static_cast<std::size_t>(width - x);
  std::uint8_t* last = rows.pixels;
  std::memcpy(last, r + x, rest);
  std::memcpy(last + kBlock, g + x, rest);
  std::memcpy(last + 2 * kBlock, b + x, rest);
  Planes::convert(weights, load(last), load(last + kBlock), load(last + 2 * kBlock), rows, x);
}

template <class Rows>
using Conversion = void (*)(const Rows& rows, const ConstFrame& input, int y);

// Whether the words of a deep format have no conversion of their own, which reads only 8 bits.
bool has_no_byte(const PixelLayout& pixel) {
  return pixel.bits > 8 && (pixel.bytes != 2 || pixel.has_floats());
}

template <class Rows>
Conversion<Rows> luma_conversion(const PixelLayout& pixel) {
  const bool has_colors = pixel.r != pixel.g;
  return pixel.planes > 1       ? convert_row_of_planes<PlanesToLuma, Rows>
         : pixel.green_bits > 0 ? convert_row<ColorWords, Rows>
         : pixel.bytes == 1     ? convert_row<LumaOf<1>, Rows>
         : pixel.bytes == 2     ? convert_row<LumaOf<2>, Rows>
         : pixel.bytes == 3     ? convert_row<ColorBytes<3>, Rows>
         : has_colors           ? convert_row<ColorBytes<4>, Rows>
                                : convert_row<LumaOf<4>, Rows>;
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
