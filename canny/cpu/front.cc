// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end of the CPU backend: one text, which Highway compiles for each instruction set.
#include "canny/cpu/front.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "canny/frame.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "canny/cpu/front.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<std::uint8_t> d8;
const hn::ScalableTag<std::uint16_t> du16;
const hn::ScalableTag<std::int16_t> d16;
const hn::ScalableTag<std::int32_t> d32;
constexpr int kLanes8 = static_cast<int>(hn::MaxLanes(hn::ScalableTag<std::uint8_t>()));
constexpr int kLanes16 = kLanes8 / 2;
constexpr int kLanes32 = kLanes8 / 4;

using V16 = hn::Vec<decltype(d16)>;
using V32 = hn::Vec<decltype(d32)>;

// The weights of the bytes of a pixel of 3 or 4, w = 256 * high + low each, so that everything fits
// 16 bits:
//   (256 high + low + 16384) >> 15 = (high + (low >> 8) + 64) >> 7,
// where high <= 128 * 255 and |low| <= 128 * 255.
struct SplitWeights {
  std::int16_t high[4] = {}, low[4] = {};
};

SplitWeights split_weights(const PixelLayout& at) {
  const LumaWeights weights = luma_weights(at);
  SplitWeights split;
  for (int i = 0; i < 4; ++i) {
    split.high[i] = static_cast<std::int16_t>((weights.byte[i] + 128) >> 8);
    split.low[i] = static_cast<std::int16_t>(weights.byte[i] - 256 * split.high[i]);
  }
  return split;
}

// Luma of samples that lie in 16-bit lanes.
template <int kBytes>
HWY_INLINE V16 luma(const SplitWeights& weights, V16 a, V16 b, V16 c, V16 d) {
  auto high = a * hn::Set(d16, weights.high[0]) + b * hn::Set(d16, weights.high[1]) +
              c * hn::Set(d16, weights.high[2]);
  auto low = a * hn::Set(d16, weights.low[0]) + b * hn::Set(d16, weights.low[1]) +
             c * hn::Set(d16, weights.low[2]);
  if (kBytes == 4) {
    high = high + d * hn::Set(d16, weights.high[3]);
    low = low + d * hn::Set(d16, weights.low[3]);
  }
  return hn::ShiftRight<7>(high + hn::ShiftRight<8>(low) + hn::Set(d16, 64));
}

template <class V8>
HWY_INLINE V16 even(V8 v) {
  return hn::And(hn::BitCast(d16, v), hn::Set(d16, 255));
}

template <class V8>
HWY_INLINE V16 odd(V8 v) {
  return hn::BitCast(d16, hn::ShiftRight<8>(hn::BitCast(du16, v)));
}

using V8 = hn::Vec<decltype(d8)>;
using VU16 = hn::Vec<decltype(du16)>;

// Luma of kLanes8 pixels from vectors of their samples.
template <int kBytes>
HWY_INLINE V8 luma_bytes(const SplitWeights& weights, V8 b0, V8 b1, V8 b2, V8 b3) {
  const auto evens = luma<kBytes>(weights, even(b0), even(b1), even(b2), even(b3));
  const auto odds = luma<kBytes>(weights, odd(b0), odd(b1), odd(b2), odd(b3));
  return hn::BitCast(d8, hn::Or(evens, hn::ShiftLeft<8>(odds)));
}

HWY_INLINE void store_luma(V8 v, std::uint16_t* out) {
  const hn::Half<decltype(d8)> half;
  hn::Store(hn::PromoteTo(du16, hn::LowerHalf(half, v)), du16, out);
  hn::Store(hn::PromoteTo(du16, hn::UpperHalf(half, v)), du16, out + kLanes16);
}

// What the luma of a row's pixels takes.
struct LumaRule {
  const PixelLayout& at;
  SplitWeights weights;
};

// kLanes8 pixels of bytes.
template <int kBytes>
struct BytePixels {
  static constexpr int kPixelBytes = kBytes;
  static LumaRule rule(const PixelLayout& at) {
    return {at, kBytes > 2 ? split_weights(at) : SplitWeights()};
  }
  static HWY_INLINE void luma_vector(const LumaRule& rule, const std::uint8_t* pixels,
                                     std::uint16_t* out) {
    if (kBytes == 2) {
      for (int i = 0; i < 2; ++i) {
        const auto samples = hn::BitCast(du16, hn::LoadU(d8, pixels + i * kLanes8));
        hn::Store(hn::And(hn::ShiftRightSame(samples, rule.at.shift), hn::Set(du16, 255)), du16,
                  out + i * kLanes16);
      }
      return;
    }
    auto v = hn::Zero(d8);
    if (kBytes == 1) {
      v = hn::LoadU(d8, pixels);
    } else {
      auto b0 = v, b1 = v, b2 = v, b3 = v;
      if (kBytes == 3)
        hn::LoadInterleaved3(d8, pixels, b0, b1, b2);
      else
        hn::LoadInterleaved4(d8, pixels, b0, b1, b2, b3);
      v = luma_bytes<kBytes>(rule.weights, b0, b1, b2, b3);
    }
    store_luma(v, out);
  }
};

// A color of `bits` bits from `lowest` on, as one of 8: its highest bits are repeated.
HWY_INLINE V16 widen(VU16 words, int lowest, int bits) {
  const auto v = hn::And(hn::ShiftRightSame(words, lowest),
                         hn::Set(du16, static_cast<std::uint16_t>((1 << bits) - 1)));
  return hn::BitCast(d16,
                     hn::Or(hn::ShiftLeftSame(v, 8 - bits), hn::ShiftRightSame(v, 2 * bits - 8)));
}

// kLanes8 words of colors.
struct WordPixels {
  static constexpr int kPixelBytes = 2;
  static LumaRule rule(const PixelLayout& at) { return {at, split_weights({3, 0, 1, 2, 0})}; }
  static HWY_INLINE void luma_vector(const LumaRule& rule, const std::uint8_t* pixels,
                                     std::uint16_t* out) {
    for (int i = 0; i < 2; ++i) {
      const auto words = hn::BitCast(du16, hn::LoadU(d8, pixels + i * kLanes8));
      const auto r = widen(words, rule.at.r, 5), b = widen(words, rule.at.b, 5);
      const auto g = widen(words, rule.at.g, rule.at.green_bits);
      hn::Store(hn::BitCast(du16, luma<3>(rule.weights, r, g, b, b)), du16, out + i * kLanes16);
    }
  }
};

// Pixels are asked for this many rows ahead, which takes 1/6 off the time of a frame of 3840x2160
// that is not in a cache. That may be outside the frame, where it does nothing.
constexpr int kRowsAhead = 2;
constexpr int kCacheLine = 64;

HWY_INLINE void prefetch(const std::uint8_t* pixels, std::ptrdiff_t offset, int bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pixels) + offset;
  for (int i = 0; i < bytes; i += kCacheLine)
    hwy::Prefetch(reinterpret_cast<const std::uint8_t*>(address + i));
}

template <class Pixels>
void luma_row(const FrontRows& rows, const ConstFrame& input, int y) {
  constexpr int kBytes = Pixels::kPixelBytes;
  const LumaRule rule = Pixels::rule(layout(input.format));
  const std::uint8_t* pixels = input.data + y * input.stride_bytes;
  const int width = input.width;
  int x = 0;
  for (; x + kLanes8 <= width; x += kLanes8) {
    prefetch(pixels + x * kBytes, kRowsAhead * input.stride_bytes, kLanes8 * kBytes);
    Pixels::luma_vector(rule, pixels + x * kBytes, rows.luma + x);
  }
  if (x == width) return;
  // Nothing may be read beyond the row.
  std::memcpy(rows.pixels, pixels + x * kBytes, static_cast<std::size_t>(width - x) * kBytes);
  Pixels::luma_vector(rule, rows.pixels, rows.luma + x);
}

// kLanes8 pixels in planes.
HWY_INLINE void luma_vector(const SplitWeights& weights, const std::uint8_t* r,
                            const std::uint8_t* g, const std::uint8_t* b, std::uint16_t* out) {
  const auto blue = hn::LoadU(d8, b);
  store_luma(luma_bytes<3>(weights, hn::LoadU(d8, r), hn::LoadU(d8, g), blue, blue), out);
}

void luma_row_of_planes(const FrontRows& rows, const ConstFrame& input, int y) {
  const SplitWeights weights = split_weights({3, 0, 1, 2, 0});
  const std::uint8_t* r = input.data + y * input.stride_bytes;
  const std::uint8_t* g = input.green.data + y * input.green.stride_bytes;
  const std::uint8_t* b = input.blue.data + y * input.blue.stride_bytes;
  const int width = input.width;
  int x = 0;
  for (; x + kLanes8 <= width; x += kLanes8) {
    prefetch(r + x, kRowsAhead * input.stride_bytes, kLanes8);
    prefetch(g + x, kRowsAhead * input.green.stride_bytes, kLanes8);
    prefetch(b + x, kRowsAhead * input.blue.stride_bytes, kLanes8);
    luma_vector(weights, r + x, g + x, b + x, rows.luma + x);
  }
  if (x == width) return;
  const auto rest = static_cast<std::size_t>(width - x);
  std::uint8_t* last = rows.pixels;
  std::memcpy(last, r + x, rest);
  std::memcpy(last + kBlock, g + x, rest);
  std::memcpy(last + 2 * kBlock, b + x, rest);
  luma_vector(weights, last, last + kBlock, last + 2 * kBlock, rows.luma + x);
}

// Mirrors i into 0 .. size - 1 without repeating the border pixel, as often as it takes.
int reflect(int i, int size) {
  if (size == 1) return 0;
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

void luma_row(const FrontRows& rows, const ConstFrame& input, int y, int radius) {
  const PixelLayout& at = layout(input.format);
  const int width = input.width;
  const auto convert = at.planes > 1       ? luma_row_of_planes
                       : at.green_bits > 0 ? luma_row<WordPixels>
                       : at.bytes == 1     ? luma_row<BytePixels<1>>
                       : at.bytes == 2     ? luma_row<BytePixels<2>>
                       : at.bytes == 3     ? luma_row<BytePixels<3>>
                                           : luma_row<BytePixels<4>>;
  convert(rows, input, y);
  std::uint16_t* row = rows.luma;
  for (int i = 1; i <= radius; ++i) {
    row[-i] = row[reflect(-i, width)];
    row[width - 1 + i] = row[reflect(width - 1 + i, width)];
  }
}

// Horizontal sums of the luma row, less 32768. 256 * 255 fits 16 bits without a sign. The upper row
// of a pair waits; the lower one is interleaved with it within the 128-bit blocks of vectors, which
// is how vertical() multiplies the two.
template <bool kUpper>
void horizontal(const FrontRows& rows, const Taps& taps, std::int16_t* pair) {
  const int radius = taps.radius(), width = rows.blocks * kBlock;
  const std::uint16_t *weight = taps.weight + radius, *row = rows.luma;
  std::int16_t* upper_sums = rows.upper_sums;
  const auto put = [&](int x, decltype(hn::Zero(du16)) sum) HWY_ATTR {
    const auto v = hn::BitCast(d16, hn::Xor(sum, hn::Set(du16, 0x8000)));
    if (kUpper) {
      hn::Store(v, d16, upper_sums + x);
      return;
    }
    const auto upper = hn::Load(d16, upper_sums + x);
    hn::Store(hn::InterleaveLower(d16, upper, v), d16, pair + 2 * x);
    hn::Store(hn::InterleaveUpper(d16, upper, v), d16, pair + 2 * x + kLanes16);
  };
  for (int x = 0; x < width; x += 2 * kLanes16, row += 2 * kLanes16) {
    auto w = hn::Set(du16, weight[0]);
    auto sum0 = w * hn::Load(du16, row), sum1 = w * hn::Load(du16, row + kLanes16);
    for (int i = 1; i <= radius; ++i) {
      w = hn::Set(du16, weight[i]);
      sum0 = sum0 + w * (hn::LoadU(du16, row - i) + hn::LoadU(du16, row + i));
      sum1 = sum1 + w * (hn::LoadU(du16, row + kLanes16 - i) + hn::LoadU(du16, row + kLanes16 + i));
    }
    put(x, sum0);
    put(x + kLanes16, sum1);
  }
}

// What vertical() multiplies: the pairs of a window of rows from the top, and the weights of each,
// that of the upper row in the low half. The window of the upper of two blurred rows begins with
// the first row of the first pair, that of the lower one with the second.
struct Window {
  int count = 0;
  const std::int16_t* pairs[kMaxRadius + 1];
  std::int32_t upper[kMaxRadius + 1], lower[kMaxRadius + 1];
};

void set_weights(const Taps& taps, Window* window) {
  const auto weight = [&](int i) { return i < 0 || i >= taps.count ? 0 : taps.weight[i]; };
  window->count = taps.radius() + 1;
  for (int i = 0; i < window->count; ++i) {
    window->upper[i] = weight(2 * i) | weight(2 * i + 1) << 16;
    window->lower[i] = weight(2 * i - 1) | weight(2 * i) << 16;
  }
}

// Sums of both rows of pairs in the lower and the upper halves of blocks, spread over two vectors
// in a way that depends on the instruction set.
struct ColumnSums {
  V32 low, low2, high, high2;
};

HWY_INLINE ColumnSums no_sums() {
  return {hn::Zero(d32), hn::Zero(d32), hn::Zero(d32), hn::Zero(d32)};
}

HWY_INLINE void add_pair(V16 low, V16 high, V16 weights, ColumnSums& sums) {
  sums.low = hn::ReorderWidenMulAccumulate(d32, low, weights, sums.low, sums.low2);
  sums.high = hn::ReorderWidenMulAccumulate(d32, high, weights, sums.high, sums.high2);
}

HWY_INLINE void store_sums(const ColumnSums& sums, std::int16_t* out) {
  // What horizontal() subtracted sums up to 256 * 32768.
  const auto rest = hn::Set(d32, 256 * 32768 + 32768);
  const auto low = hn::RearrangeToOddPlusEven(sums.low, sums.low2) + rest;
  const auto high = hn::RearrangeToOddPlusEven(sums.high, sums.high2) + rest;
  hn::Store(hn::ReorderDemote2To(d16, hn::ShiftRight<16>(low), hn::ShiftRight<16>(high)), d16, out);
}

// Vertical sums and the one rounding of the blur, for two rows. 256 * 256 * 255 fits 32 bits.
void vertical(int blocks, const Window& window, std::int16_t* upper, std::int16_t* lower) {
  const auto weights = [](const std::int32_t* pair)
                           HWY_ATTR { return hn::BitCast(d16, hn::Set(d32, *pair)); };
  for (int x = 0; x < blocks * kBlock; x += 2 * kLanes16) {
    auto upper0 = no_sums(), upper1 = no_sums(), lower0 = no_sums(), lower1 = no_sums();
    for (int i = 0; i < window.count; ++i) {
      const std::int16_t* sums = window.pairs[i] + 2 * x;
      const auto upper_weights = weights(&window.upper[i]);
      const auto lower_weights = weights(&window.lower[i]);
      const auto a = hn::Load(d16, sums), b = hn::Load(d16, sums + kLanes16);
      add_pair(a, b, upper_weights, upper0);
      add_pair(a, b, lower_weights, lower0);
      const auto c = hn::Load(d16, sums + 2 * kLanes16), d = hn::Load(d16, sums + 3 * kLanes16);
      add_pair(c, d, upper_weights, upper1);
      add_pair(c, d, lower_weights, lower1);
    }
    store_sums(upper0, upper + x);
    store_sums(upper1, upper + x + kLanes16);
    store_sums(lower0, lower + x);
    store_sums(lower1, lower + x + kLanes16);
  }
}

// The lanes of v such that InterleaveLower and InterleaveUpper of two of them are in order.
HWY_INLINE V16 spread_halves(V16 v) {
  if (kLanes32 == 4) return v;
  alignas(64) static constexpr std::int32_t k256[8] = {0, 1, 4, 5, 2, 3, 6, 7};
  alignas(64) static constexpr std::int32_t k512[16] = {0, 1, 8,  9,  2, 3, 10, 11,
                                                        4, 5, 12, 13, 6, 7, 14, 15};
  const auto indices = hn::SetTableIndices(d32, kLanes32 == 8 ? k256 : k512);
  return hn::BitCast(d16, hn::TableLookupLanes(hn::BitCast(d32, v), indices));
}

// Bits of kLanes16 compares of 16-bit lanes, or of two masks of 32-bit lanes. They stay in
// registers: words are put together there, since what was stored in parts is slow to load as a
// whole.
using Bits16 = std::conditional_t<kLanes16 == 8, std::uint8_t,
                                  std::conditional_t<kLanes16 == 16, std::uint16_t, std::uint32_t>>;

template <class Mask>
HWY_INLINE std::uint64_t bits16(Mask mask) {
  std::uint8_t bytes[8];
  hn::StoreMaskBits(d16, mask, bytes);
  Bits16 bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

template <class Mask>
HWY_INLINE std::uint64_t bits32(Mask mask0, Mask mask1) {
#if HWY_MAX_BYTES == 16
  return bits16(hn::MaskFromVec(
      hn::ReorderDemote2To(d16, hn::VecFromMask(d32, mask0), hn::VecFromMask(d32, mask1))));
#else
  using Bits = std::conditional_t<kLanes32 == 8, std::uint8_t, std::uint16_t>;
  const auto bits = [](Mask mask) HWY_ATTR {
    std::uint8_t bytes[8];
    hn::StoreMaskBits(d32, mask, bytes);
    Bits bits;
    std::memcpy(&bits, bytes, sizeof bits);
    return std::uint64_t{bits};
  };
  return bits(mask0) | bits(mask1) << kLanes32;
#endif
}

// Gradients of kLanes16 pixels from here on, |gx|, |gy| <= 1020.
HWY_INLINE void sobel(const std::int16_t* above, const std::int16_t* here,
                      const std::int16_t* below, V16& gx, V16& gy) {
  const auto at = [](const std::int16_t* p) HWY_ATTR { return hn::LoadU(d16, p); };
  const auto above_left = at(above - 1), above_right = at(above + 1);
  const auto below_left = at(below - 1), below_right = at(below + 1);
  const auto slope = at(here + 1) - at(here - 1);
  const auto falling = below_right - above_left, rising = above_right - below_left;
  const auto middle = hn::Load(d16, below) - hn::Load(d16, above);
  gx = falling + rising + (slope + slope);
  gy = falling - rising + (middle + middle);
}

template <Norm kNorm>
HWY_INLINE void magnitude(V16 gx, V16 gy, V32& low, V32& high) {
  if (kNorm == Norm::kL1) {
    const hn::Half<decltype(d16)> half;
    const auto sum = hn::Abs(gx) + hn::Abs(gy);
    low = hn::PromoteTo(d32, hn::LowerHalf(half, sum));
    high = hn::PromoteTo(d32, hn::UpperHalf(half, sum));
    return;
  }
  const auto x = spread_halves(gx), y = spread_halves(gy);
  const auto square_sum = [](V16 v) HWY_ATTR {
    auto second = hn::Zero(d32);
    const auto first = hn::ReorderWidenMulAccumulate(d32, v, v, hn::Zero(d32), second);
    return hn::RearrangeToOddPlusEven(first, second);
  };
  low = square_sum(hn::InterleaveLower(d16, x, y));
  high = square_sum(hn::InterleaveUpper(d16, x, y));
}

// Sectors: with t = tan(22.5 degrees) |gx| the gradient is horizontal if |gy| < t and vertical if
// |gy| > t + 2 |gx|. t is no integer unless gx = 0, so |gy| < t is |gy| <= floor(t) except at gx =
// gy = 0, where there is no candidate.
HWY_INLINE void find_sectors(V16 gx, V16 gy, int x, BlockBits* bits) {
  const auto ax = hn::Abs(gx), ay = hn::Abs(gy);
  const auto t = hn::MulHigh(ax, hn::Set(d16, kTangent << (16 - kTangentShift)));
  bits->steep |= bits16(ay > t) << x;
  bits->vertical |= bits16(ay > t + ax + ax) << x;
  bits->falling |= bits16(hn::Xor(gx, gy) < hn::Zero(d16)) << x;
}

// Gradients and magnitudes of a row, and sectors where a magnitude exceeds the low threshold.
template <Norm kNorm>
void gradient_row(int blocks, const std::int16_t* above, const std::int16_t* here,
                  const std::int16_t* below, std::int32_t low, std::int32_t* magnitudes,
                  BlockBits* bits) {
  const auto low_threshold = hn::Set(d32, low);
  for (int block = 0; block < blocks; ++block) {
    BlockBits found = {};
    for (int x = 0; x < kBlock; x += kLanes16) {
      V16 gx, gy;
      V32 m0, m1;
      sobel(above + x, here + x, below + x, gx, gy);
      magnitude<kNorm>(gx, gy, m0, m1);
      hn::Store(m0, d32, magnitudes + x);
      hn::Store(m1, d32, magnitudes + x + kLanes32);
      const Plane::Word above_low = bits32(m0 > low_threshold, m1 > low_threshold);
      found.above_low |= above_low << x;
      find_sectors(gx, gy, x, &found);
    }
    bits[block] = found;
    above += kBlock, here += kBlock, below += kBlock, magnitudes += kBlock;
  }
}

// Which pixels of a block are candidates, and which of these are strong.
struct Maxima {
  Plane::Word kept, strong;
};

HWY_INLINE hn::Mask<decltype(d32)> mask_at(std::uint64_t bits, int x) {
  bits >>= x;
  std::uint8_t bytes[sizeof bits];
  std::memcpy(bytes, &bits, sizeof bits);
  return hn::LoadMaskBits(d32, bytes);
}

// Whether pixels exceed their neighbors along the gradient, and the high threshold. Along rows and
// columns, a pixel exceeds the first neighbor and is not below the second one: it exceeds the
// second one less 1.
HWY_INLINE Maxima compare(const std::int32_t* above, const std::int32_t* here,
                          const std::int32_t* below, const BlockBits& bits, std::int32_t high) {
  const Plane::Word diagonal = bits.steep & ~bits.vertical;
  const Plane::Word vertical = bits.vertical, falling = diagonal & bits.falling;
  const Plane::Word rising = diagonal & ~bits.falling;
  Maxima maxima = {};
  const auto high_threshold = hn::Set(d32, high), one = hn::Set(d32, 1);
  const auto at = [](const std::int32_t* p) HWY_ATTR { return hn::LoadU(d32, p); };
  const auto largest = [&](int x) HWY_ATTR {
    auto neighbor = hn::Max(at(here + x - 1), at(here + x + 1) - one);
    neighbor =
        hn::IfThenElse(mask_at(vertical, x), hn::Max(at(above + x), at(below + x) - one), neighbor);
    neighbor = hn::IfThenElse(mask_at(falling, x), hn::Max(at(above + x + 1), at(below + x - 1)),
                              neighbor);
    return hn::IfThenElse(mask_at(rising, x), hn::Max(at(above + x - 1), at(below + x + 1)),
                          neighbor);
  };
  for (int x = 0; x < kBlock; x += kLanes16) {
    const auto m0 = hn::Load(d32, here + x), m1 = hn::Load(d32, here + x + kLanes32);
    maxima.kept |= bits32(m0 > largest(x), m1 > largest(x + kLanes32)) << x;
    maxima.strong |= bits32(m0 > high_threshold, m1 > high_threshold) << x;
  }
  maxima.kept &= bits.above_low;
  maxima.strong &= maxima.kept;
  return maxima;
}

// Non-maximum suppression and double threshold of row y.
void suppress(const FrontRows& rows, const FrontStrip& strip, int y) {
  const int slot = y % FrontRows::kDepth;
  const auto magnitude = [&](int row) {
    const bool inside = row >= 0 && row < strip.candidate.height;
    return inside ? rows.magnitude[row % FrontRows::kDepth] : rows.outside;
  };
  const std::int32_t *above = magnitude(y - 1), *here = magnitude(y), *below = magnitude(y + 1);
  const BlockBits* bits = rows.bits[slot];
  Plane::Word *candidate = strip.candidate.row(y), *strong = strip.strong.row(y);
  const std::int32_t high = strip.plan.thresholds.high;
  const int blocks = rows.blocks;
  for (int block = 0; block < blocks; ++block) {
    Maxima maxima = {};
    if (bits[block].above_low != 0) maxima = compare(above, here, below, bits[block], high);
    candidate[block] = maxima.kept;
    strong[block] = maxima.strong;
    above += kBlock, here += kBlock, below += kBlock;
  }
}

// A strip, from the top down. Stages behind the blur run as soon as a row has what they need.
class Strip {
 public:
  Strip(const FrontRows& rows, const FrontStrip& strip, FrontProgress& progress)
      : rows_(rows),
        strip_(strip),
        progress_(progress),
        width_(strip.input.width),
        height_(strip.input.height),
        radius_(strip.plan.blur.radius()),
        first_gradient_(std::max(strip.first_row - 1, 0)),
        last_blurred_(std::min(strip.last_row + 1, height_ - 1)) {}

  void run() {
    Window window;
    set_weights(strip_.plan.blur, &window);
    if (progress_.row != strip_.first_row) begin();
    for (; progress_.blurred <= last_blurred_; ++progress_.blurred) {
      const int y = progress_.blurred;
      if ((y - progress_.first_blurred) % 2 == 0) blur_two(y, &window);
      blurred(y);
    }
    progress_.row = strip_.last_row;
  }

 private:
  static int slot(int y) { return y % FrontRows::kDepth; }

  std::int16_t* pair(int i) const {
    return rows_.pairs + static_cast<std::size_t>(i % (radius_ + 1)) * 2 * kBlock * rows_.blocks;
  }

  void begin() {
    progress_.first_blurred = progress_.blurred = std::max(first_gradient_ - 1, 0);
    for (int pair = 0; pair < radius_; ++pair) sum(pair);
  }

  // Pairs are counted from the first row that the first blurred row needs.
  void sum(int i) {
    const int y = progress_.first_blurred - radius_ + 2 * i;
    luma_row(rows_, strip_.input, reflect(y, height_), radius_);
    horizontal<true>(rows_, strip_.plan.blur, nullptr);
    luma_row(rows_, strip_.input, reflect(y + 1, height_), radius_);
    horizontal<false>(rows_, strip_.plan.blur, pair(i));
  }

  // Rows y and y + 1.
  void blur_two(int y, Window* window) {
    const int first_pair = (y - progress_.first_blurred) / 2;
    sum(first_pair + radius_);
    for (int i = 0; i < window->count; ++i) window->pairs[i] = pair(first_pair + i);
    vertical(rows_.blocks, *window, rows_.blurred[slot(y)], rows_.blurred[slot(y + 1)]);
  }

  void blurred(int y) {
    std::int16_t* row = rows_.blurred[slot(y)];
    row[-1] = row[0];
    row[width_] = row[width_ - 1];
    if (y > first_gradient_) gradient(y - 1);
    if (y == height_ - 1) gradient(y);
  }

  void gradient(int y) {
    const auto run =
        strip_.plan.norm == Norm::kL2 ? gradient_row<Norm::kL2> : gradient_row<Norm::kL1>;
    run(rows_.blocks, rows_.blurred[slot(std::max(y - 1, 0))], rows_.blurred[slot(y)],
        rows_.blurred[slot(std::min(y + 1, height_ - 1))], strip_.plan.thresholds.low,
        rows_.magnitude[slot(y)], rows_.bits[slot(y)]);
    // Outside the image.
    rows_.magnitude[slot(y)][width_] = 0;
    if (width_ % kBlock != 0)
      rows_.bits[slot(y)][rows_.blocks - 1].above_low &= (Plane::Word{1} << width_ % kBlock) - 1;
    if (y > strip_.first_row) suppress(rows_, strip_, y - 1);
    if (y == height_ - 1 && y < strip_.last_row) suppress(rows_, strip_, y);
  }

  const FrontRows& rows_;
  const FrontStrip& strip_;
  FrontProgress& progress_;
  const int width_, height_, radius_;
  const int first_gradient_, last_blurred_;
};

void run_strip(const FrontRows& rows, const FrontStrip& strip, FrontProgress& progress) {
  Strip(rows, strip, progress).run();
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace canny::cpu {

HWY_EXPORT(run_strip);

namespace {

/// Hands out rows that begin at a cache line; without memory it only counts.
class RowAllocator {
 public:
  explicit RowAllocator(std::uint8_t* memory) : memory_(memory) {}

  template <class T>
  void take(T*& row, std::size_t count, int margin = 0) {
    row = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_) + margin;
    bytes_ += ((count + 2 * margin) * sizeof(T) + 63) / 64 * 64;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::uint8_t* memory_;
  std::size_t bytes_ = 0;
};

std::size_t lay_out(FrontRows& rows, std::uint8_t* memory) {
  RowAllocator allocator(memory);
  constexpr int kMargin = FrontRows::kMargin;
  const std::size_t row = static_cast<std::size_t>(rows.blocks) * kBlock;
  allocator.take(rows.pixels, kBlock * FrontRows::kPixelBytes);
  allocator.take(rows.luma, row, kMargin);
  allocator.take(rows.upper_sums, row);
  allocator.take(rows.pairs, (kMaxRadius + 1) * 2 * row);
  for (int i = 0; i < FrontRows::kDepth; ++i) {
    allocator.take(rows.blurred[i], row, kMargin);
    allocator.take(rows.magnitude[i], row, kMargin);
    allocator.take(rows.bits[i], rows.blocks);
  }
  allocator.take(rows.outside, row, kMargin);
  return allocator.bytes();
}

}  // namespace

void Front::set_size(int width, int) {
  rows_.blocks = (width + kBlock - 1) / kBlock;
  const std::size_t bytes = lay_out(rows_, nullptr);
  memory_ = hwy::AllocateAligned<std::uint8_t>(bytes);
  if (memory_ == nullptr) throw std::bad_alloc();
  std::fill_n(memory_.get(), bytes, std::uint8_t{0});
  lay_out(rows_, memory_.get());
}

void Front::start_frame() { progress_ = {}; }

void Front::run(const ConstFrame& input, const Plan& plan, int first_row, int last_row,
                const Plane& candidate, const Plane& strong) {
  HWY_DYNAMIC_DISPATCH(run_strip)
  (rows_, FrontStrip{input, plan, first_row, last_row, candidate, strong}, progress_);
}

}  // namespace canny::cpu
#endif  // HWY_ONCE
