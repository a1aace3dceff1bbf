// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels of deep formats into luma on the GPU, one per thread.
#include "cuda/front/images/deep_luma.h"

#include <algorithm>

#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/images/float_luma.h"
#include "cuda/front/images/tuning.h"
#include "cuda/geometry.h"

namespace canny::cuda {
namespace {

// Where samples are in the number that a pixel is.
struct DeepPixels {
  int bits;     // of a sample
  int r, g, b;  // their lowest bits
  int is_big_endian;
  int in_group[kV210Pixels];  // for kV210: lowest bits of luma in a group of pixels
};

struct DeepColors {
  std::uint32_t r, g, b;  // of 16 bits
};

// Returns the number of kBytes bytes. Aligned numbers are loaded at once.
template <int kBytes>
__device__ std::uint64_t number_at(const std::uint8_t* bytes, bool aligned) {
  if (aligned) {
    if constexpr (kBytes == 8) return *reinterpret_cast<const std::uint64_t*>(bytes);
    if constexpr (kBytes == 4) return *reinterpret_cast<const std::uint32_t*>(bytes);
    if constexpr (kBytes == 2) return *reinterpret_cast<const std::uint16_t*>(bytes);
  }
  std::uint64_t number = 0;
#pragma unroll
  for (int i = 0; i < kBytes; ++i) number |= std::uint64_t{bytes[i]} << 8 * i;
  return number;
}

// The sample whose lowest bit in the number is `lowest`, as a number of 16 bits.
__device__ std::uint32_t sample_at(std::uint64_t number, int lowest, int bits) {
  const std::uint32_t sample = static_cast<std::uint32_t>(number >> lowest) & ((1u << bits) - 1);
  return sample << (16 - bits);
}

// Pixels of kBytes bytes.
template <int kBytes>
struct PixelReader {
  static constexpr int kAlignment = kBytes;

  __device__ static DeepColors read(const std::uint8_t* row, int x, bool aligned,
                                    const DeepPixels& pixels) {
    std::uint64_t number = number_at<kBytes>(row + x * kBytes, aligned);
    if (kBytes == 2 && pixels.is_big_endian != 0)
      number = __byte_perm(static_cast<std::uint32_t>(number), 0, 0x4401);
    return {sample_at(number, pixels.r, pixels.bits), sample_at(number, pixels.g, pixels.bits),
            sample_at(number, pixels.b, pixels.bits)};
  }
};

// Groups of kV210. A pixel's luma lies in one of its words.
struct GroupReader {
  static constexpr int kAlignment = 4;

  __device__ static DeepColors read(const std::uint8_t* row, int x, bool aligned,
                                    const DeepPixels& pixels) {
    const int lowest = pixels.in_group[x % kV210Pixels];
    const std::uint8_t* word = row + x / kV210Pixels * kV210Bytes + lowest / 32 * 4;
    const std::uint32_t luma = sample_at(number_at<4>(word, aligned), lowest % 32, pixels.bits);
    return {luma, luma, luma};
  }
};

// Colors lose all bits that a Sample has no room for. The sum of the weights is 2^15, so a sum of
// products stays below 2^31.
template <class Reader, class Sample>
__global__ void __launch_bounds__(kLumaThreads)
    deep_luma_kernel(const std::uint8_t* data, std::ptrdiff_t stride, Pictures pictures,
                     bool aligned, int width, __grid_constant__ const DeepPixels pixels,
                     ColorWeights weights, Sample* luma, int pitch) {
  constexpr int kLost = 16 - 8 * sizeof(Sample);
  const int x = blockIdx.x * kLumaThreads + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
  const std::uint8_t* row = data + pictures.offset() + blockIdx.y * stride;
  const DeepColors colors = Reader::read(row, x, aligned, pixels);
  const std::uint32_t sum = weights.r * (colors.r >> kLost) + weights.g * (colors.g >> kLost) +
                            weights.b * (colors.b >> kLost);
  const std::size_t y = first_row_of_picture(gridDim.y) + blockIdx.y;
  luma[pitch * y + x] = static_cast<Sample>((sum + kLumaHalf) >> kLumaShift);
}

template <class Reader, class Sample>
Status launch(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
              Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  DeepPixels pixels = {pixel.bits, pixel.r, pixel.g, pixel.b, pixel.is_big_endian ? 1 : 0, {}};
  std::copy_n(kV210Luma, kV210Pixels, pixels.in_group);
  const dim3 grid(blocks(input.width, kLumaThreads), input.height);
  return launcher->launch("luma kernel", deep_luma_kernel<Reader, Sample>, grid, kLumaThreads, 0,
                          input.data, input.stride_bytes, pictures_of(input),
                          is_aligned(input, Reader::kAlignment), input.width, pixels, weights,
                          image, pitch);
}

template <class Sample>
Status launch_format(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
                     Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  if (pixel.has_floats()) return float_luma(input, weights, image, pitch, launcher);
  const auto launch_pixels = pixel.group > 1    ? launch<GroupReader, Sample>
                             : pixel.bytes == 2 ? launch<PixelReader<2>, Sample>
                             : pixel.bytes == 4 ? launch<PixelReader<4>, Sample>
                                                : launch<PixelReader<8>, Sample>;
  return launch_pixels(input, weights, image, pitch, launcher);
}

}  // namespace

DeepWords deep_words(PixelFormat format) {
  const PixelLayout& pixel = layout(format);
  const int shift = 16 - pixel.bits;
  const std::uint32_t mask = 0xffff & 0xffffu << shift;
  return {pixel.is_big_endian ? 0x2301u : 0x3210u, shift, mask | mask << 16};
}

Status deep_luma(const ConstFrame& input, const ColorWeights& weights, std::uint16_t* image,
                 int pitch, Launcher* launcher) {
  return launch_format(input, weights, image, pitch, launcher);
}

Status highest_luma(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                    int pitch, Launcher* launcher) {
  return launch_format(input, weights, image, pitch, launcher);
}

}  // namespace canny::cuda
