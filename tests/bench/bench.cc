// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures in the formats of frames.
#include "bench.h"

#include "frame.h"

namespace bench {
namespace {

/// Gray pixels get the luma, so that the edge map is the same in every format.
void store_row(const std::uint8_t* rgb, const std::uint8_t* luma, int width,
               const canny::PixelLayout& layout, std::uint8_t* pixel) {
  for (int x = 0; x < width; ++x, rgb += 3, pixel += layout.bytes) {
    if (layout.bytes == 1) {
      pixel[0] = luma[x];
      continue;
    }
    pixel[layout.r] = rgb[0];
    pixel[layout.g] = rgb[1];
    pixel[layout.b] = rgb[2];
  }
}

}  // namespace

Picture convert(const std::vector<std::uint8_t>& rgb, int width, int height,
                canny::PixelFormat format, bool window) {
  const canny::PixelLayout& layout = canny::layout(format);
  const int row_bytes = layout.bytes * width;
  const int stride = window ? (row_bytes + 32) | 1 : row_bytes;
  Picture picture;
  picture.offset = window ? 1 : 0;
  picture.bytes.assign(picture.offset + static_cast<std::size_t>(stride) * height, 0xaa);
  picture.shape = {nullptr, stride, width, height, format, canny::Memory::kHost};

  const reference::Bytes luma = reference::luma(
      {rgb.data(), 3 * width, width, height, canny::PixelFormat::kRgb, canny::Memory::kHost});
  for (int y = 0; y < height; ++y)
    store_row(rgb.data() + std::size_t{3} * width * y, luma.row(y), width, layout,
              picture.bytes.data() + picture.offset + static_cast<std::size_t>(stride) * y);
  return picture;
}

}  // namespace bench
