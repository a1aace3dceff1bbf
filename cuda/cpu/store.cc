// SPDX-License-Identifier: LGPL-2.1-or-later
// One pixel at a time, of a size that the compiler knows.
#include "cpu/store.h"

#include <algorithm>

#include "frame.h"

namespace canny::cpu {
namespace {

template <int kBytes>
void store_row(const std::uint32_t* edges, int width, int opaque, std::uint8_t* out) {
  for (int x = 0; x < width; ++x, out += kBytes) {
    const bool edge = edges[x / kWordBits] >> (x % kWordBits) & 1;
    std::fill_n(out, kBytes, edge ? 255 : 0);
    if (kBytes == 4) out[opaque] = 255;
  }
}

}  // namespace

std::uint64_t store(const BitPlane& edges, const Frame& output, int first_row, int last_row) {
  const PixelLayout& at = layout(output.format);
  const auto store_pixels = at.bytes == 1   ? store_row<1>
                            : at.bytes == 3 ? store_row<3>
                                            : store_row<4>;
  std::uint64_t count = 0;
  for (int y = first_row; y < last_row; ++y) {
    store_pixels(edges.row(y), edges.width, at.x, output.data + y * output.stride_bytes);
    for (int w = 0; w < edges.words_per_row(); ++w) count += __builtin_popcount(edges.row(y)[w]);
  }
  return count;
}

}  // namespace canny::cpu
