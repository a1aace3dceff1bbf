// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns bits into lanes of bytes. Highway compiles this file for each instruction set.
#include "cpu/output/output.h"

#include <algorithm>
#include <cstring>

#include "canny/frame.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/output/output.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kBlock = Plane::kBits;  // pixels; at least as many as a vector has bytes
constexpr int kMaxPixelBytes = 4;

const hn::CappedTag<std::uint8_t, kBlock> d8;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(d8));
using V8 = hn::Vec<decltype(d8)>;

// The bytes of edge pixels and of other pixels.
template <int kBytes>
struct Values {
  explicit Values(const PixelLayout& pixel) {
    for (int i = 0; i < kBytes; ++i) {
      other[i] = hn::Set(d8, static_cast<std::uint8_t>(pixel.other >> 8 * i));
      differing[i] = hn::Set(d8, static_cast<std::uint8_t>((pixel.other ^ pixel.edge) >> 8 * i));
    }
  }
  HWY_INLINE V8 byte(int i, V8 is_edge) const {
    return hn::Xor(other[i], hn::And(is_edge, differing[i]));
  }
  V8 other[kBytes], differing[kBytes];
};

// Writes kBlock pixels.
template <int kBytes>
HWY_INLINE void write_block(std::uint64_t edges, const Values<kBytes>& values, std::uint8_t* out) {
  for (int x = 0; x < kBlock; x += kLanes) {
    const std::uint64_t bits = edges >> x;
    std::uint8_t bytes[sizeof bits];
    std::memcpy(bytes, &bits, sizeof bits);
    const auto v = hn::VecFromMask(d8, hn::LoadMaskBits(d8, bytes));
    if constexpr (kBytes == 1)
      hn::StoreU(v, d8, out + x);
    else if constexpr (kBytes == 2)
      hn::StoreInterleaved2(values.byte(0, v), values.byte(1, v), d8, out + 2 * x);
    else if constexpr (kBytes == 3)
      hn::StoreInterleaved3(v, v, v, d8, out + 3 * x);
    else
      hn::StoreInterleaved4(values.byte(0, v), values.byte(1, v), values.byte(2, v),
                            values.byte(3, v), d8, out + 4 * x);
  }
}

// Writes a row and returns the number of edges.
template <int kBytes>
std::uint32_t write_pixels(const Plane::Word* edges, int width, const PixelLayout& pixel,
                           std::uint8_t* out) {
  const Values<kBytes> values(pixel);
  std::uint32_t count = 0;
  for (int x = 0; x < width; x += kBlock) {
    const int left = width - x;
    const Plane::Word block = edges[x / kBlock];
    count += static_cast<std::uint32_t>(hwy::PopCount(block));
    if (left >= kBlock) {
      write_block<kBytes>(block, values, out + static_cast<std::size_t>(x) * kBytes);
      continue;
    }
    std::uint8_t last[kBlock * kMaxPixelBytes];
    write_block<kBytes>(block, values, last);
    std::memcpy(out + static_cast<std::size_t>(x) * kBytes, last,
                static_cast<std::size_t>(left) * kBytes);
  }
  return count;
}

// Three bits for each pixel, whose colors are pixels then.
void copy_thrice(const Plane::Word* edges, int width, Plane::Word* bits) {
  std::fill_n(bits, (3 * width + kBlock - 1) / kBlock, 0);
  for (int i = 0; i * kBlock < width; ++i) {
    for (Plane::Word left = edges[i]; left != 0; left &= left - 1) {
      const auto x = i * kBlock + static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(left));
      for (int bit = 3 * x; bit < 3 * x + 3; ++bit)
        bits[bit / kBlock] |= Plane::Word{1} << bit % kBlock;
    }
  }
}

// Floats of three colors in a pixel.
std::uint32_t write_colors(const Plane::Word* edges, int width, const PixelLayout& pixel,
                           std::uint8_t* out) {
  Plane::Word bits[3 * kMaxSide / kBlock];
  copy_thrice(edges, width, bits);
  const auto write = pixel.sample_bytes() == 2 ? write_pixels<2> : write_pixels<4>;
  return write(bits, 3 * width, pixel, out) / 3;
}

std::uint32_t write_row(const Plane& edges, const Frame& output, int y) {
  const PixelLayout& pixel = layout(output.format);
  const auto write = pixel.bytes == 1   ? write_pixels<1>
                     : pixel.bytes == 2 ? write_pixels<2>
                     : pixel.bytes == 3 ? write_pixels<3>
                     : pixel.bytes == 4 ? write_pixels<4>
                                        : write_colors;
  std::uint32_t count = 0;
  for (int i = 0; i < pixel.planes; ++i) {
    const Frame plane = canny::plane(output, i);
    count = write(edges.row(y), edges.width, pixel, plane.data + y * plane.stride_bytes);
  }
  return count;
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace canny::cpu {

HWY_EXPORT(write_row);

std::uint32_t output_row(const Plane& edges, const Frame& output, int y) {
  return HWY_DYNAMIC_DISPATCH(write_row)(edges, output, y);
}

void copy_bits(const Plane& plane, int first_row, int last_row, EdgeBits* bits) {
  static_assert(EdgeBits::kBits == Plane::kBits);
  for (int y = first_row; y < last_row; ++y)
    std::copy_n(plane.row(y), plane.words_per_row(), bits->row(y));
}

void keep_edges(const Plane& edges, const Picture& picture) {
  if (picture.bits != nullptr) copy_bits(edges, 0, edges.height, picture.bits);
  if (picture.components != nullptr) copy_bits(edges, 0, edges.height, &picture.components->edges);
}

}  // namespace canny::cpu
#endif  // HWY_ONCE
