// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels of any format into luma on the GPU.
#include "cuda/front/images/luma.h"

#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/images/deep_luma.h"
#include "cuda/front/images/tuning.h"
#include "cuda/geometry.h"

namespace canny::cuda {
namespace {

// The luma of a pixel with the bytes of `pixel`, the first byte lowest.
__device__ std::uint32_t luma_of(std::uint32_t pixel, const PixelWeights& weights) {
  int sum = weights.rounding;
  for (int i = 0; i < 4; ++i) sum += weights.byte[i] * static_cast<int>(pixel >> 8 * i & 255);
  return static_cast<std::uint32_t>(sum) >> 15;
}

// Word w of a row of row_bytes bytes that begins at a multiple of 4. Bytes past its end are 0 and
// not read.
__device__ std::uint32_t row_word(const std::uint8_t* row, int row_bytes, int w) {
  if (4 * w + 4 <= row_bytes) return reinterpret_cast<const std::uint32_t*>(row)[w];
  std::uint32_t word = 0;
  for (int i = 4 * w; i < row_bytes; ++i) word |= std::uint32_t{row[i]} << 8 * (i - 4 * w);
  return word;
}

// Handles pixels of 3 bytes in aligned rows: the block loads 3 words per thread, with neighboring
// threads side by side, and distributes 4 pixels per thread through shared memory (Luo and
// Duraiswami, figure 2). Words at a stride of 3 fall into different banks.
__global__ void __launch_bounds__(kLumaThreads)
    luma_packed_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int width,
                       PixelWeights weights, std::uint8_t* luma, int pitch) {
  __shared__ std::uint32_t words[3 * kLumaThreads];
  wait_for_previous_kernel();
  start_next_kernel();
  const std::uint8_t* row = data + blockIdx.y * stride;
  const int first_word = blockIdx.x * 3 * kLumaThreads;
  for (int i = threadIdx.x; i < 3 * kLumaThreads; i += kLumaThreads)
    words[i] = row_word(row, 3 * width, first_word + i);
  __syncthreads();

  const int x = 4 * (blockIdx.x * kLumaThreads + threadIdx.x);
  if (x >= width) return;
  const std::uint32_t a = words[3 * threadIdx.x], b = words[3 * threadIdx.x + 1],
                      c = words[3 * threadIdx.x + 2];
  // weights.byte[3] is 0, so the byte after a pixel's three does not count.
  const std::uint32_t four =
      luma_of(a, weights) | luma_of(__funnelshift_r(a, b, 24), weights) << 8 |
      luma_of(__funnelshift_r(b, c, 16), weights) << 16 | luma_of(c >> 8, weights) << 24;
  *reinterpret_cast<std::uint32_t*>(luma + static_cast<std::size_t>(pitch) * blockIdx.y + x) = four;
}

// Handles pixels of 4 bytes in aligned rows: a word is a pixel.
__global__ void __launch_bounds__(kLumaThreads)
    luma_word_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int width,
                     PixelWeights weights, std::uint8_t* luma, int pitch) {
  const int x = blockIdx.x * kLumaThreads + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
  const auto* row = reinterpret_cast<const std::uint32_t*>(data + blockIdx.y * stride);
  luma[static_cast<std::size_t>(pitch) * blockIdx.y + x] =
      static_cast<std::uint8_t>(luma_of(row[x], weights));
}

// Handles pixels at any address, byte by byte.
__global__ void __launch_bounds__(kLumaThreads)
    luma_byte_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int width, int pixel_bytes,
                     PixelWeights weights, std::uint8_t* luma, int pitch) {
  const int x = blockIdx.x * kLumaThreads + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
  const std::uint8_t* pixel = data + blockIdx.y * stride + x * pixel_bytes;
  std::uint32_t word = 0;
  for (int i = 0; i < pixel_bytes; ++i) word |= std::uint32_t{pixel[i]} << 8 * i;
  luma[static_cast<std::size_t>(pitch) * blockIdx.y + x] =
      static_cast<std::uint8_t>(luma_of(word, weights));
}

// The weighted sum of three 8-bit samples.
__device__ std::uint8_t luma_of_colors(const ColorWeights& weights, int r, int g, int b) {
  return static_cast<std::uint8_t>((weights.r * r + weights.g * g + weights.b * b + kLumaHalf) >>
                                   kLumaShift);
}

// The lowest bit of each color in a 16-bit word.
struct ColorBits {
  int r, g, b, green_bits;
};

// Widens a color of `bits` bits from bit `lowest` on to 8 bits by repeating its highest bits.
__device__ int widen(int word, int lowest, int bits) {
  const int value = word >> lowest & ((1 << bits) - 1);
  return value << (8 - bits) | value >> (2 * bits - 8);
}

// Handles 16-bit words of colors at any address.
__global__ void __launch_bounds__(kLumaThreads)
    luma_color_bits_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int width,
                           ColorBits bits, ColorWeights weights, std::uint8_t* luma, int pitch) {
  const int x = blockIdx.x * kLumaThreads + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
  const std::uint8_t* pixel = data + blockIdx.y * stride + 2 * x;
  const int word = pixel[0] | pixel[1] << 8;
  luma[static_cast<std::size_t>(pitch) * blockIdx.y + x] =
      luma_of_colors(weights, widen(word, bits.r, 5), widen(word, bits.g, bits.green_bits),
                     widen(word, bits.b, 5));
}

struct ColorPlanes {
  BasicPlane<const std::uint8_t> r, g, b;
};

// Handles planes of colors at any address.
__global__ void __launch_bounds__(kLumaThreads)
    luma_planes_kernel(ColorPlanes planes, int width, ColorWeights weights, std::uint8_t* luma,
                       int pitch) {
  const int x = blockIdx.x * kLumaThreads + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
  const auto sample = [&](const BasicPlane<const std::uint8_t>& plane) {
    return plane.data[blockIdx.y * plane.stride_bytes + x];
  };
  luma[static_cast<std::size_t>(pitch) * blockIdx.y + x] =
      luma_of_colors(weights, sample(planes.r), sample(planes.g), sample(planes.b));
}

Status launch_planes(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                     int pitch, Launcher* launcher) {
  const dim3 grid(blocks(input.width, kLumaThreads), input.height);
  const ColorPlanes planes = {{input.data, input.stride_bytes}, input.green, input.blue};
  return launcher->launch("luma kernel", luma_planes_kernel, grid, kLumaThreads, 0, planes,
                          input.width, weights, image, pitch);
}

Status launch_color_bits(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                         int pitch, Launcher* launcher) {
  const dim3 grid(blocks(input.width, kLumaThreads), input.height);
  const PixelLayout& pixel = layout(input.format);
  const ColorBits bits = {pixel.r, pixel.g, pixel.b, pixel.green_bits};
  return launcher->launch("luma kernel", luma_color_bits_kernel, grid, kLumaThreads, 0, input.data,
                          input.stride_bytes, input.width, bits, weights, image, pitch);
}

Status launch_bytes(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                    int pitch, Launcher* launcher) {
  const PixelWeights pixel = pixel_weights(layout(input.format), weights);
  const int pixel_bytes = layout(input.format).bytes;
  const dim3 pixel_grid(blocks(input.width, kLumaThreads), input.height);
  if (!is_word_aligned(input) || pixel_bytes <= 2) {
    return launcher->launch("luma kernel", luma_byte_kernel, pixel_grid, kLumaThreads, 0,
                            input.data, input.stride_bytes, input.width, pixel_bytes, pixel, image,
                            pitch);
  }
  if (pixel_bytes == 4) {
    return launcher->launch("luma kernel", luma_word_kernel, pixel_grid, kLumaThreads, 0,
                            input.data, input.stride_bytes, input.width, pixel, image, pitch);
  }
  const dim3 grid(blocks(input.width, 4 * kLumaThreads), input.height);
  return launcher->launch("luma kernel", luma_packed_kernel, grid, kLumaThreads, 0, input.data,
                          input.stride_bytes, input.width, pixel, image, pitch);
}

}  // namespace

PixelWeights pixel_weights(const PixelLayout& pixel, const ColorWeights& weights) {
  if (pixel.bytes == 2) return {{32768 >> pixel.shift, 32768 << (8 - pixel.shift), 0, 0}, 0};
  PixelWeights result = {{}, kLumaHalf};
  result.byte[pixel.r] += weights.r;
  result.byte[pixel.g] += weights.g;
  result.byte[pixel.b] += weights.b;
  return result;
}

Status luma(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image, int pitch,
            ConstFrame* gray, Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  const auto launch = pixel.planes > 1        ? launch_planes
                      : pixel.green_bits > 0  ? launch_color_bits
                      : is_deep(input.format) ? highest_luma
                                              : launch_bytes;
  CANNY_TRY(launch(input, weights, image, pitch, launcher));
  *gray = gray_frame(input, image, pitch);
  return {};
}

}  // namespace canny::cuda
