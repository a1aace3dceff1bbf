// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels of any format into luma on the GPU. A thread takes 4 pixels of a row, and their
// bytes as words (Luo and Duraiswami, "Canny edge detection on NVIDIA CUDA", figure 2).
#include "cuda/front/images/luma.h"

#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/images/deep_luma.h"
#include "cuda/front/images/tuning.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"

namespace canny::cuda {
namespace {

// The first of the thread's columns.
__device__ int first_column() {
  return kGroup * static_cast<int>(blockIdx.x * kLumaThreads + threadIdx.x);
}

// Writes the luma of 4 pixels. Rows of images have room for whole groups. A grid has a row of
// blocks per row of the picture.
__device__ void store(std::uint32_t four, int x, std::uint8_t* luma, int pitch) {
  const std::size_t y = first_row_of_picture(gridDim.y) + blockIdx.y;
  *reinterpret_cast<std::uint32_t*>(luma + pitch * y + x) = four;
}

// Loads the words of 4 pixels from column x of a row on. Pixels past its end have any bytes. Only
// at the ends of a row are there words with bytes of other rows, which may not be read.
template <int kBytes>
__device__ void load_pixels(const std::uint8_t* row, int x, int width,
                            std::uint32_t (&words)[kBytes]) {
  if (x >= kGroup && x + 2 * kGroup <= width) return load_words(row + x * kBytes, words);
  const int first = x * kBytes, last = width * kBytes - 1;
#pragma unroll
  for (int i = 0; i < kBytes; ++i) {
    words[i] = 0;
#pragma unroll
    for (int byte = 0; byte < 4; ++byte)
      words[i] |= std::uint32_t{row[min(first + 4 * i + byte, last)]} << 8 * byte;
  }
}

template <int kBytes>
__global__ void __launch_bounds__(kLumaThreads)
    luma_kernel(const std::uint8_t* data, std::ptrdiff_t stride, Pictures pictures, int width,
                LumaWords weights, std::uint8_t* luma, int pitch) {
  const int x = first_column();
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
  std::uint32_t words[kBytes];
  load_pixels(data + pictures.offset() + blockIdx.y * stride, x, width, words);
  store(luma_of<kBytes>(words, weights), x, luma, pitch);
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
    luma_planes_kernel(ColorPlanes planes, Pictures pictures, int width, LumaWords weights,
                       std::uint8_t* luma, int pitch) {
  const int x = first_column();
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
  const std::ptrdiff_t offset = pictures.offset();
  const auto load = [&](const BasicPlane<const std::uint8_t>& plane) {
    std::uint32_t words[1];
    load_pixels(plane.data + offset + blockIdx.y * plane.stride_bytes, x, width, words);
    return words[0];
  };
  store(luma_of_colors(load(planes.r), load(planes.g), load(planes.b), weights), x, luma, pitch);
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
    luma_color_bits_kernel(const std::uint8_t* data, std::ptrdiff_t stride, Pictures pictures,
                           int width, ColorBits bits, LumaWords weights, std::uint8_t* luma,
                           int pitch) {
  const int x = first_column();
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
  std::uint32_t words[2];
  load_pixels(data + pictures.offset() + blockIdx.y * stride, x, width, words);
  store(luma_of_colors(widen(words, bits.r, 5), widen(words, bits.g, bits.green_bits),
                       widen(words, bits.b, 5), weights),
        x, luma, pitch);
}

// The weights of pixels whose first bytes are red, green and blue.
LumaWords color_weights(const ColorWeights& weights) {
  return luma_words(layout(PixelFormat::kRgbx), weights);
}

dim3 grid_of(const ConstFrame& input) {
  return dim3(blocks(input.width, kGroup * kLumaThreads), input.height);
}

Status launch_planes(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                     int pitch, Launcher* launcher) {
  const ColorPlanes planes = {{input.data, input.stride_bytes}, input.green, input.blue};
  return launcher->launch("luma kernel", luma_planes_kernel, grid_of(input), kLumaThreads, 0,
                          planes, pictures_of(input), input.width, color_weights(weights), image,
                          pitch);
}

Status launch_color_bits(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                         int pitch, Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  const ColorBits bits = {pixel.r, pixel.g, pixel.b, pixel.green_bits};
  return launcher->launch("luma kernel", luma_color_bits_kernel, grid_of(input), kLumaThreads, 0,
                          input.data, input.stride_bytes, pictures_of(input), input.width, bits,
                          color_weights(weights), image, pitch);
}

Status launch_bytes(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                    int pitch, Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  const auto kernel = pixel.bytes == 1   ? luma_kernel<1>
                      : pixel.bytes == 2 ? luma_kernel<2>
                      : pixel.bytes == 3 ? luma_kernel<3>
                                         : luma_kernel<4>;
  return launcher->launch("luma kernel", kernel, grid_of(input), kLumaThreads, 0, input.data,
                          input.stride_bytes, pictures_of(input), input.width,
                          luma_words(pixel, weights), image, pitch);
}

}  // namespace

Status luma(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image, int pitch,
            ConstFrame* gray, Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  const auto launch = is_deep(input.format)  ? highest_luma
                      : pixel.planes > 1     ? launch_planes
                      : pixel.green_bits > 0 ? launch_color_bits
                                             : launch_bytes;
  CANNY_TRY(launch(input, weights, image, pitch, launcher));
  *gray = gray_frame(input, image, pitch);
  return {};
}

}  // namespace canny::cuda
