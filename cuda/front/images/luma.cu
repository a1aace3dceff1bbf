// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels of any format into luma on the GPU. A thread takes 4 pixels of each of kLumaRows
// rows, and their bytes as words (Luo and Duraiswami, "Canny edge detection on NVIDIA CUDA", figure
// 2).
#include <algorithm>

#include "cuda/check.h"
#include "cuda/front/images/images.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// The first of the thread's columns.
__device__ int first_column() {
  return kGroup * static_cast<int>(blockIdx.x * kLumaThreads + threadIdx.x);
}

// The thread's row i. Below the picture, its last row is computed again.
__device__ int row_of_thread(int i, int height) {
  return min(static_cast<int>(blockIdx.y) * kLumaRows + i, height - 1);
}

// The words of 4 pixels in each of a thread's rows.
template <int kBytes>
using RowWords = std::uint32_t[kLumaRows][kBytes];

// Loads them from column x on. Pixels past the end of a row have any bytes. Only at the ends of a
// row are there words with bytes of other rows, which may not be read.
template <int kBytes>
__device__ void load_pixels(const BasicPlane<const std::uint8_t>& plane, std::ptrdiff_t offset,
                            int x, int width, int height, RowWords<kBytes>& words) {
  const auto row = [&](int i) {
    return plane.data + offset + row_of_thread(i, height) * plane.stride_bytes;
  };
  if (x >= kGroup && x + 2 * kGroup <= width) {
#pragma unroll
    for (int i = 0; i < kLumaRows; ++i) load_words(row(i) + x * kBytes, words[i]);
    return;
  }
  const int first = x * kBytes, last = width * kBytes - 1;
#pragma unroll
  for (int i = 0; i < kLumaRows; ++i) {
#pragma unroll
    for (int word = 0; word < kBytes; ++word) {
      words[i][word] = 0;
#pragma unroll
      for (int byte = 0; byte < 4; ++byte)
        words[i][word] |= std::uint32_t{row(i)[min(first + 4 * word + byte, last)]} << 8 * byte;
    }
  }
}

// Writes the luma of 4 pixels in each of the thread's rows, which luma_of_row(i) returns. Rows of
// images have room for whole groups.
template <class LumaOfRow>
__device__ void store(int x, int height, std::uint8_t* luma, int pitch, LumaOfRow luma_of_row) {
  const std::size_t first_y = first_row_of_picture(height);
#pragma unroll
  for (int i = 0; i < kLumaRows; ++i)
    *reinterpret_cast<std::uint32_t*>(luma + pitch * (first_y + row_of_thread(i, height)) + x) =
        luma_of_row(i);
}

template <int kBytes>
__global__ void __launch_bounds__(kLumaThreads)
    luma_kernel(BasicPlane<const std::uint8_t> pixels, Pictures pictures, int width, int height,
                LumaWords weights, std::uint8_t* luma, int pitch) {
  const int x = first_column();
  wait_and_start_next();
  if (x >= width) return;
  RowWords<kBytes> words;
  load_pixels(pixels, pictures.offset(), x, width, height, words);
  store(x, height, luma, pitch, [&](int i) { return luma_of<kBytes>(words[i], weights); });
}

// The pixels of 4 bytes that consist of byte i of three words.
__device__ std::uint32_t pixel_of(std::uint32_t r, std::uint32_t g, std::uint32_t b, int i) {
  return __byte_perm(__byte_perm(r, g, i | (4 + i) << 4), b, 0x0010 | (4 + i) << 8 | (4 + i) << 12);
}

__device__ std::uint32_t luma_of_colors(std::uint32_t r, std::uint32_t g, std::uint32_t b,
                                        const LumaWords& weights) {
  std::uint32_t pixels[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) pixels[i] = pixel_of(r, g, b, i);
  return luma_of<4>(pixels, weights);
}

struct ColorPlanes {
  BasicPlane<const std::uint8_t> r, g, b;
};

__global__ void __launch_bounds__(kLumaThreads)
    luma_planes_kernel(ColorPlanes planes, Pictures pictures, int width, int height,
                       LumaWords weights, std::uint8_t* luma, int pitch) {
  const int x = first_column();
  wait_and_start_next();
  if (x >= width) return;
  const std::ptrdiff_t offset = pictures.offset();
  RowWords<1> r, g, b;
  load_pixels(planes.r, offset, x, width, height, r);
  load_pixels(planes.g, offset, x, width, height, g);
  load_pixels(planes.b, offset, x, width, height, b);
  store(x, height, luma, pitch,
        [&](int i) { return luma_of_colors(r[i][0], g[i][0], b[i][0], weights); });
}

// The lowest bit of each color in a 16-bit word.
struct ColorBits {
  int r, g, b, green_bits;
};

// Widens colors of `bits` bits, from bit `lowest` of the words of 4 pixels on, to 8 bits by
// repeating their highest bits.
__device__ std::uint32_t widen(const std::uint32_t (&words)[2], int lowest, int bits) {
  const std::uint32_t mask = 0x00010001u * ((1u << bits) - 1);
  const auto widen_two = [&](std::uint32_t two) {
    const std::uint32_t values = two >> lowest & mask;
    return values << (8 - bits) | (values >> (2 * bits - 8) & 0x00ff00ffu);
  };
  return __byte_perm(widen_two(words[0]), widen_two(words[1]), 0x6420);
}

__global__ void __launch_bounds__(kLumaThreads)
    luma_color_bits_kernel(BasicPlane<const std::uint8_t> pixels, Pictures pictures, int width,
                           int height, ColorBits bits, LumaWords weights, std::uint8_t* luma,
                           int pitch) {
  const int x = first_column();
  wait_and_start_next();
  if (x >= width) return;
  RowWords<2> words;
  load_pixels(pixels, pictures.offset(), x, width, height, words);
  store(x, height, luma, pitch, [&](int i) {
    return luma_of_colors(widen(words[i], bits.r, 5), widen(words[i], bits.g, bits.green_bits),
                          widen(words[i], bits.b, 5), weights);
  });
}

// Launches a kernel whose parameters begin with the pixels; `weights` come between these and the
// image.
template <class Kernel, class Pixels, class... Weights>
Status launch(Kernel kernel, const ConstFrame& input, const Pixels& pixels, std::uint8_t* image,
              int pitch, Launcher* launcher, const Weights&... weights) {
  const dim3 grid(blocks(input.width, kGroup * kLumaThreads), blocks(input.height, kLumaRows));
  return launcher->launch("luma kernel", kernel, grid, kLumaThreads, 0, pixels, pictures_of(input),
                          input.width, input.height, weights..., image, pitch);
}

Status byte_luma(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                 int pitch, Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  const BasicPlane<const std::uint8_t> first = {input.data, input.stride_bytes};
  // Of pixels whose first bytes are red, green and blue.
  const LumaWords of_colors = luma_words(layout(PixelFormat::kRgbx), weights);
  if (pixel.planes > 1)
    return launch(luma_planes_kernel, input, ColorPlanes{first, input.green, input.blue}, image,
                  pitch, launcher, of_colors);
  if (pixel.green_bits > 0)
    return launch(luma_color_bits_kernel, input, first, image, pitch, launcher,
                  ColorBits{pixel.r, pixel.g, pixel.b, pixel.green_bits}, of_colors);
  const auto kernel = pixel.bytes == 1   ? luma_kernel<1>
                      : pixel.bytes == 2 ? luma_kernel<2>
                      : pixel.bytes == 3 ? luma_kernel<3>
                                         : luma_kernel<4>;
  return launch(kernel, input, first, image, pitch, launcher, luma_words(pixel, weights));
}

}  // namespace

LumaWords luma_words(const PixelLayout& pixel, const ColorWeights& weights) {
  LumaWords result = {};
  result.shift = pixel.shift;
  if (pixel.bytes <= 2 || pixel.bits > 8) return result;  // not colors in bytes
  std::uint32_t byte[4] = {};
  constexpr int kMoreBits = 16 - kLumaShift;
  byte[pixel.r] += weights.r << kMoreBits;
  byte[pixel.g] += weights.g << kMoreBits;
  byte[pixel.b] += weights.b << kMoreBits;
  // A byte that counts alone has a weight of 65536, which takes 17 bits. 65535 gives the same
  // result: the product loses at most 255, less than the 2^15 added for rounding.
  for (std::uint32_t& weight : byte) weight = std::min(weight, 65535u);
  result.of01 = byte[0] | byte[1] << 16;
  result.of23 = byte[2] | byte[3] << 16;
  result.of_0 = byte[0] << 16;
  result.of12 = byte[1] | byte[2] << 16;
  return result;
}

template <class Sample>
Status luma(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
            ConstFrame* gray, Launcher* launcher) {
  auto queue = deep_luma<Sample>;
  if constexpr (sizeof(Sample) == 1)
    if (!is_deep(input.format)) queue = byte_luma;
  CANNY_TRY(queue(input, weights, image, pitch, launcher));
  *gray = image_frame(input, image, pitch);
  return {};
}
template Status luma(const ConstFrame&, const ColorWeights&, std::uint8_t*, int, ConstFrame*,
                     Launcher*);
template Status luma(const ConstFrame&, const ColorWeights&, std::uint16_t*, int, ConstFrame*,
                     Launcher*);

}  // namespace canny::cuda
