// SPDX-License-Identifier: LGPL-2.1-or-later
// Bits to lanes of bytes; one text, which Highway compiles for each instruction set.
#include "cpu/store.h"

#include <cstring>

#include "frame.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/store.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kBlock = Plane::kBits;  // pixels, at least a vector of bytes
constexpr int kMaxPixelBytes = 4;

const hn::CappedTag<std::uint8_t, kBlock> d8;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(d8));

// Writes kBlock pixels.
template <int kBytes>
HWY_INLINE void store_block(std::uint64_t edges, const PixelLayout& at, std::uint8_t* out) {
  for (int x = 0; x < kBlock; x += kLanes) {
    const std::uint64_t bits = edges >> x;
    std::uint8_t bytes[sizeof bits];
    std::memcpy(bytes, &bits, sizeof bits);
    const auto v = hn::VecFromMask(d8, hn::LoadMaskBits(d8, bytes));
    const auto fill = hn::Set(d8, at.fill);
    if (kBytes == 1)
      hn::StoreU(v, d8, out + x);
    else if (kBytes == 2 && at.x == 0)
      hn::StoreInterleaved2(fill, v, d8, out + 2 * x);
    else if (kBytes == 2)
      hn::StoreInterleaved2(v, fill, d8, out + 2 * x);
    else if (kBytes == 3)
      hn::StoreInterleaved3(v, v, v, d8, out + 3 * x);
    else if (at.x == 0)
      hn::StoreInterleaved4(fill, v, v, v, d8, out + 4 * x);
    else
      hn::StoreInterleaved4(v, v, v, fill, d8, out + 4 * x);
  }
}

// Returns the number of edges.
template <int kBytes>
std::uint32_t store_pixels(const Plane::Word* edges, int width, const PixelLayout& at,
                           std::uint8_t* out) {
  std::uint32_t count = 0;
  for (int x = 0; x < width; x += kBlock) {
    const int left = width - x;
    const Plane::Word block = edges[x / kBlock];
    count += static_cast<std::uint32_t>(hwy::PopCount(block));
    if (left >= kBlock) {
      store_block<kBytes>(block, at, out + static_cast<std::size_t>(x) * kBytes);
      continue;
    }
    std::uint8_t last[kBlock * kMaxPixelBytes];
    store_block<kBytes>(block, at, last);
    std::memcpy(out + static_cast<std::size_t>(x) * kBytes, last,
                static_cast<std::size_t>(left) * kBytes);
  }
  return count;
}

std::uint32_t store(const Plane& edges, const Frame& output, int y) {
  const PixelLayout& at = layout(output.format);
  const auto store = at.bytes == 1   ? store_pixels<1>
                     : at.bytes == 2 ? store_pixels<2>
                     : at.bytes == 3 ? store_pixels<3>
                                     : store_pixels<4>;
  return store(edges.row(y), edges.width, at, output.data + y * output.stride_bytes);
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace canny::cpu {

HWY_EXPORT(store);

std::uint32_t store_row(const Plane& edges, const Frame& output, int y) {
  return HWY_DYNAMIC_DISPATCH(store)(edges, output, y);
}

}  // namespace canny::cpu
#endif  // HWY_ONCE
