// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels of floats into luma on the GPU. A thread takes 4 pixels of a row, and where rows are
// aligned, 4 floats at a time.
#include "cuda/front/images/float_luma.h"

#include <type_traits>

#include "canny/floats.h"
#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/images/tuning.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/pictures.h"

namespace canny::cuda {
namespace {

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
           !is_aligned(planes.of[i], input.batch, planes.aligned * pixel.sample_bytes()))
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
  wait_for_previous_kernel();
  start_next_kernel();
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
Status launch_type(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
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

template <class Sample>
Status launch(const ConstFrame& input, const ColorWeights& weights, Sample* image, int pitch,
              Launcher* launcher) {
  const SampleType type = layout(input.format).type;
  const auto launch_samples =
      type == SampleType::kFloat32   ? launch_type<SampleType::kFloat32, Sample>
      : type == SampleType::kFloat16 ? launch_type<SampleType::kFloat16, Sample>
                                     : launch_type<SampleType::kBfloat16, Sample>;
  return launch_samples(input, weights, image, pitch, launcher);
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
