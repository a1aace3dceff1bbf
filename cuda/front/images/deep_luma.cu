// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels of deep formats into luma on the GPU: integers, one per thread, and floats.
#include <algorithm>
#include <type_traits>

#include "canny/floats.h"
#include "cuda/front/images/images.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// ---- integers ----

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
  wait_and_start_next();
  if (x >= width) return;
  const std::uint8_t* row = data + pictures.offset() + blockIdx.y * stride;
  const DeepColors colors = Reader::read(row, x, aligned, pixels);
  const std::uint32_t sum = weights.r * (colors.r >> kLost) + weights.g * (colors.g >> kLost) +
                            weights.b * (colors.b >> kLost);
  const std::size_t y = first_row_of_picture(gridDim.y) + blockIdx.y;
  luma[pitch * y + x] = static_cast<Sample>((sum + kLumaHalf) >> kLumaShift);
}

template <class Reader, class Sample>
Status launch_luma(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
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

// ---- floats ----

// A thread takes 4 pixels of a row, and where rows are aligned, 4 floats at a time.
constexpr int kColors = 3;

template <SampleType kType>
using BitsOf = std::conditional_t<kType == SampleType::kFloat32, std::uint32_t, std::uint16_t>;

// The planes of a frame, of which packed colors and gray have one. The least alignment of their
// rows is that of the bytes of `aligned` floats.
struct FloatPlanes {
  BasicPlane<const std::uint8_t> of[kColors];
  int aligned;     // kGroup, 1 or 0
  int unused = 0;  // instead of padding
};

FloatPlanes float_planes(const ConstFrame& input) {
  const PixelLayout& pixel = layout(input.format);
  FloatPlanes planes = {{{input.data, input.stride_bytes}, input.green, input.blue}, kGroup};
  for (int i = 0; i < pixel.planes; ++i)
    while (planes.aligned > 0 &&
           !is_aligned(planes.of[i], pictures_of(input), planes.aligned * pixel.sample_bytes()))
      planes.aligned /= kGroup;
  return planes;
}

// Loads kCount floats, of which the row has `count`.
template <int kCount, class Bits>
__device__ void load_floats(const std::uint8_t* bytes, int count, int aligned,
                            Bits (&floats)[kCount]) {
  if (aligned == kGroup && count >= kCount) {
#pragma unroll
    for (int i = 0; i < kCount; i += kGroup) {
      const SampleGroup<Bits> group = load_group(reinterpret_cast<const Bits*>(bytes) + i);
      memcpy(floats + i, &group, sizeof group);
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    floats[i] = 0;
    if (i >= count) continue;
    if (aligned != 0) {
      floats[i] = reinterpret_cast<const Bits*>(bytes)[i];
      continue;
    }
#pragma unroll
    for (int byte = 0; byte < static_cast<int>(sizeof(Bits)); ++byte)
      floats[i] |= static_cast<Bits>(Bits{bytes[i * sizeof(Bits) + byte]} << 8 * byte);
  }
}

// Planes, of which some may have no weight, or with kIsPacked pixels of three floats. The sum of
// the weights is 2^15, so a sum of products stays below 2^31.
template <SampleType kType, bool kIsPacked, class Sample>
__global__ void __launch_bounds__(kLumaThreads)
    float_luma_kernel(__grid_constant__ const FloatPlanes planes, Pictures pictures, int width,
                      ColorWeights weights, Sample* luma, int pitch) {
  using Bits = BitsOf<kType>;
  constexpr float kLargest = sizeof(Sample) > 1 ? kLargestWord : kLargestByte;
  constexpr int kPlanes = kIsPacked ? 1 : kColors, kFloats = kColors * kGroup / kPlanes;
  const int x = kGroup * static_cast<int>(blockIdx.x * kLumaThreads + threadIdx.x);
  wait_and_start_next();
  if (x >= width) return;
  const int weight[kColors] = {weights.r, weights.g, weights.b};
  const std::ptrdiff_t offset = pictures.offset();
  Bits floats[kPlanes][kFloats] = {};
#pragma unroll
  for (int i = 0; i < kPlanes; ++i) {
    if (!kIsPacked && weight[i] == 0) continue;  // of all threads
    const std::uint8_t* row = planes.of[i].data + offset + blockIdx.y * planes.of[i].stride_bytes;
    load_floats(row + x * (kFloats / kGroup * sizeof(Bits)), (width - x) * (kFloats / kGroup),
                planes.aligned, floats[i]);
  }
  alignas(SampleGroup<Sample>) Sample four[kGroup];
#pragma unroll
  for (int pixel = 0; pixel < kGroup; ++pixel) {
    std::uint32_t sum = kLumaHalf;
#pragma unroll
    for (int color = 0; color < kColors; ++color) {
      const Bits bits = kIsPacked ? floats[0][kColors * pixel + color] : floats[color][pixel];
      sum += weight[color] * number_of_sample<kType>(bits, kLargest);
    }
    four[pixel] = static_cast<Sample>(sum >> kLumaShift);
  }
  const std::size_t y = first_row_of_picture(gridDim.y) + blockIdx.y;
  *reinterpret_cast<SampleGroup<Sample>*>(luma + pitch * y + x) =
      *reinterpret_cast<const SampleGroup<Sample>*>(four);
}

template <SampleType kType, class Sample>
Status launch_floats(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
                     Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  const bool is_packed = has_colors(input.format) && pixel.planes == 1;
  const ColorWeights shares =
      has_colors(input.format) ? weights : ColorWeights{1 << kLumaShift, 0, 0};
  const auto kernel =
      is_packed ? float_luma_kernel<kType, true, Sample> : float_luma_kernel<kType, false, Sample>;
  const dim3 grid(blocks(input.width, kGroup * kLumaThreads), input.height);
  return launcher->launch("luma kernel", kernel, grid, kLumaThreads, 0, float_planes(input),
                          pictures_of(input), input.width, shares, image, pitch);
}

}  // namespace

DeepWords deep_words(PixelFormat format) {
  const PixelLayout& pixel = layout(format);
  const int shift = 16 - pixel.bits;
  const std::uint32_t mask = 0xffff & 0xffffu << shift;
  return {pixel.is_big_endian ? 0x2301u : 0x3210u, shift, mask | mask << 16};
}

template <class Sample>
Status deep_luma(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
                 Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  const auto launch_pixels =
      pixel.type == SampleType::kFloat32    ? launch_floats<SampleType::kFloat32, Sample>
      : pixel.type == SampleType::kFloat16  ? launch_floats<SampleType::kFloat16, Sample>
      : pixel.type == SampleType::kBfloat16 ? launch_floats<SampleType::kBfloat16, Sample>
      : pixel.group > 1                     ? launch_luma<GroupReader, Sample>
      : pixel.bytes == 2                    ? launch_luma<PixelReader<2>, Sample>
      : pixel.bytes == 4                    ? launch_luma<PixelReader<4>, Sample>
                                            : launch_luma<PixelReader<8>, Sample>;
  return launch_pixels(input, weights, image, pitch, launcher);
}
template Status deep_luma(const ConstFrame&, const ColorWeights&, std::uint8_t*, int, Launcher*);
template Status deep_luma(const ConstFrame&, const ColorWeights&, std::uint16_t*, int, Launcher*);

}  // namespace canny::cuda
