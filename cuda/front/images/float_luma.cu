// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels of floats into luma on the GPU, one per thread.
#include "cuda/front/images/float_luma.h"

#include <type_traits>

#include "canny/floats.h"
#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/images/tuning.h"
#include "cuda/geometry.h"
#include "cuda/pictures.h"

namespace canny::cuda {
namespace {

// The colors of a frame, the bytes from one pixel to the next, and whether all floats are aligned.
struct FloatColors {
  BasicPlane<const std::uint8_t> r, g, b;
  int step_bytes, are_aligned;
};

FloatColors float_colors(const ConstFrame& input) {
  const PixelLayout& pixel = layout(input.format);
  const auto color = [&](int lowest) {
    return BasicPlane<const std::uint8_t>{input.data + lowest / 8, input.stride_bytes};
  };
  FloatColors colors = {color(pixel.r), color(pixel.g), color(pixel.b), pixel.bytes, 1};
  if (pixel.planes > 1) colors.g = input.green, colors.b = input.blue;
  for (const auto& plane : {colors.r, colors.g, colors.b})
    if (!is_aligned(plane, input.batch, pixel.sample_bytes())) colors.are_aligned = 0;
  return colors;
}

// Returns the bits of a float. Aligned ones are loaded at once.
template <class Bits>
__device__ std::uint32_t float_bits(const std::uint8_t* bytes, bool aligned) {
  if (aligned) return *reinterpret_cast<const Bits*>(bytes);
  std::uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(Bits)); ++i) bits |= std::uint32_t{bytes[i]} << 8 * i;
  return bits;
}

// The sum of the weights is 2^15, so a sum of products stays below 2^31.
template <SampleType kType, class Sample>
__global__ void __launch_bounds__(kLumaThreads)
    float_luma_kernel(__grid_constant__ const FloatColors colors, Pictures pictures, int width,
                      ColorWeights weights, Sample* luma, int pitch) {
  using Bits = std::conditional_t<kType == SampleType::kFloat32, std::uint32_t, std::uint16_t>;
  constexpr float kLargest = sizeof(Sample) > 1 ? kLargestWord : kLargestByte;
  const int x = blockIdx.x * kLumaThreads + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
  const std::ptrdiff_t offset = pictures.offset();
  const auto product = [&](int weight, const BasicPlane<const std::uint8_t>& plane) {
    if (weight == 0) return 0u;  // of all threads
    const std::uint8_t* row = plane.data + offset + blockIdx.y * plane.stride_bytes;
    const std::uint32_t bits =
        float_bits<Bits>(row + x * colors.step_bytes, colors.are_aligned != 0);
    return weight * number_of_sample<kType>(bits, kLargest);
  };
  const std::uint32_t sum =
      product(weights.r, colors.r) + product(weights.g, colors.g) + product(weights.b, colors.b);
  const std::size_t y = first_row_of_picture(gridDim.y) + blockIdx.y;
  luma[pitch * y + x] = static_cast<Sample>((sum + kLumaHalf) >> kLumaShift);
}

template <class Sample>
Status launch(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
              Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  const ColorWeights shares =
      has_colors(input.format) ? weights : ColorWeights{1 << kLumaShift, 0, 0};
  const auto kernel =
      pixel.type == SampleType::kFloat32   ? float_luma_kernel<SampleType::kFloat32, Sample>
      : pixel.type == SampleType::kFloat16 ? float_luma_kernel<SampleType::kFloat16, Sample>
                                           : float_luma_kernel<SampleType::kBfloat16, Sample>;
  const dim3 grid(blocks(input.width, kLumaThreads), input.height);
  return launcher->launch("luma kernel", kernel, grid, kLumaThreads, 0, float_colors(input),
                          pictures_of(input), input.width, shares, image, pitch);
}

}  // namespace

Status float_luma(const ConstFrame& input, const ColorWeights& weights, std::uint16_t* image,
                  int pitch, Launcher* launcher) {
  return launch(input, weights, image, pitch, launcher);
}

Status float_luma(const ConstFrame& input, const ColorWeights& weights, std::uint8_t* image,
                  int pitch, Launcher* launcher) {
  return launch(input, weights, image, pitch, launcher);
}

}  // namespace canny::cuda
