// SPDX-License-Identifier: LGPL-2.1-or-later
// Converts pictures to the formats of frames, and describes outputs.
#include "bench.h"

#include "canny/frame.h"
#include "canny/view.h"
#include "reference/pixel_formats.h"

namespace bench {
namespace {

/// Writes the highest bits of a 16-bit sample to a row, where its lowest bit is `lowest`.
void store_sample(int sample, int bits, int lowest, bool is_big_endian, std::uint8_t* row) {
  sample >>= 16 - bits;
  for (int bit = lowest; bit < lowest + bits; ++bit, sample >>= 1) {
    const int byte = is_big_endian ? bit / 8 ^ 1 : bit / 8;
    row[byte] = static_cast<std::uint8_t>((row[byte] & ~(1 << bit % 8)) | (sample & 1) << bit % 8);
  }
}

/// Pixels of luma formats get the luma of RGB, so that the edge map is the same. Deep luma has the
/// bits that RGB gives it, up to 16.
void store_row(const std::uint8_t* rgb, const std::uint8_t* luma, int width,
               const canny::PixelLayout& layout, std::uint8_t* row) {
  const bool is_word = layout.green_bits > 0;
  const int unit = is_word || layout.bits > 8 ? 1 : 8;  // bits
  for (int x = 0; x < width; ++x, rgb += 3) {
    const int first = x / layout.group * layout.bytes * 8;
    const auto store = [&](int sample, int bits, int place) {
      store_sample(sample, bits, first + unit * place, layout.is_big_endian, row);
    };
    if (layout.r != layout.g) {
      store(256 * rgb[0], is_word ? 5 : layout.bits, layout.r);
      store(256 * rgb[1], is_word ? layout.green_bits : layout.bits, layout.g);
      store(256 * rgb[2], is_word ? 5 : layout.bits, layout.b);
      continue;
    }
    const int deep =
        (canny::kLumaRed * rgb[0] + canny::kLumaGreen * rgb[1] + canny::kLumaBlue * rgb[2]) >>
        (canny::kLumaShift - 8);
    store(layout.bits > 8 ? deep : 256 * luma[x], layout.bits,
          layout.group > 1 ? canny::kV210Luma[x % layout.group] : layout.r);
  }
}

/// Luma or colors over 255.
void store_floats(const std::uint8_t* rgb, const std::uint8_t* luma, int y,
                  const canny::Frame& frame) {
  const reference::Floats at = *reference::floats(frame.format);
  for (int x = 0; x < frame.width; ++x) {
    for (int color = 0; color < at.colors; ++color) {
      const int sample = at.colors == 1 ? luma[x] : rgb[3 * x + color];
      reference::store_float(at, sample / 255.0, reference::float_sample(frame, x, y, color));
    }
  }
}

/// Stores color number `color` of a row of RGB.
void store_plane_row(const std::uint8_t* rgb, int color, int width, std::uint8_t* samples) {
  for (int x = 0; x < width; ++x) samples[x] = rgb[3 * x + color];
}

}  // namespace

canny::PixelFormat output_format(const canny::Params& params, canny::PixelFormat input) {
  return canny::shows_input(params.view) ? input : canny::PixelFormat::kGray8;
}

std::size_t tight_bytes(int width, int height, canny::PixelFormat format) {
  return std::size_t{1} * width * height * bytes_per_pixel(format) * planes(format);
}

canny::Frame tight_frame(std::uint8_t* memory, int width, int height, canny::PixelFormat format,
                         canny::Memory kind, unsigned pictures) {
  const int stride = width * bytes_per_pixel(format);
  canny::Frame frame = {memory, stride, width, height, format, kind};
  if (planes(format) > 1) {
    const std::ptrdiff_t plane_bytes = std::ptrdiff_t{1} * stride * height;
    frame.green = {memory + plane_bytes, stride};
    frame.blue = {memory + 2 * plane_bytes, stride};
  }
  frame.batch.count = pictures;
  frame.batch.stride_bytes = static_cast<std::ptrdiff_t>(tight_bytes(width, height, format));
  return frame;
}

void repeat(unsigned pictures, Picture* picture) {
  const Output one = picture->bytes;
  for (unsigned i = 1; i < pictures; ++i)
    picture->bytes.insert(picture->bytes.end(), one.begin(), one.end());
  picture->shape.batch = {pictures, static_cast<std::ptrdiff_t>(one.size()), nullptr};
}

Picture convert(const std::vector<std::uint8_t>& rgb, int width, int height,
                canny::PixelFormat format, bool window) {
  const canny::PixelLayout& layout = canny::layout(format);
  const int row_bytes = canny::row_bytes(format, width);
  const int stride = window ? (row_bytes + 32) | 1 : row_bytes;
  Picture picture;
  picture.offset = window ? 1 : 0;
  const std::size_t plane_bytes = static_cast<std::size_t>(stride) * height;
  picture.bytes.assign(picture.offset + layout.planes * plane_bytes, 0xaa);
  picture.shape = {nullptr, stride, width, height, format, canny::Memory::kHost};

  const reference::Bytes luma = reference::luma(
      {rgb.data(), 3 * width, width, height, canny::PixelFormat::kRgb, canny::Memory::kHost});
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* from = rgb.data() + std::size_t{3} * width * y;
    std::uint8_t* to = picture.bytes.data() + picture.offset + static_cast<std::size_t>(stride) * y;
    if (layout.has_floats()) {
      canny::Frame frame = {picture.bytes.data() + picture.offset, stride, width, height, format};
      frame.green = {frame.data + plane_bytes, stride};
      frame.blue = {frame.data + 2 * plane_bytes, stride};
      store_floats(from, luma.row(y), y, frame);
    } else if (layout.planes == 1) {
      store_row(from, luma.row(y), width, layout, to);
    } else {
      for (int i = 0; i < layout.planes; ++i) store_plane_row(from, i, width, to + i * plane_bytes);
    }
  }
  return picture;
}

}  // namespace bench
