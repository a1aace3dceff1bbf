// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts magnitudes or luma in a histogram.
#include "cuda/front/front.h"

#include <type_traits>

#include "cuda/check.h"
#include "cuda/front/block_histogram.h"
#include "cuda/front/generic/gradient_tile.h"
#include "cuda/front/images/images.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/region.h"
#include "cuda/tuning.h"
#include "cuda/warp.h"

namespace canny::cuda {
namespace {

// Kernels with kHasRegion count only pixels of a region.

// Counts the 8 highest bits of luma in kCountRows rows, 4 pixels of 8 bits at a time where rows are
// aligned. Warps have histograms of their own: in flat areas their pixels share few bins.
template <class Sample, bool kHasRegion>
__global__ void __launch_bounds__(kLumaThreads)
    count_luma_kernel(const std::uint8_t* luma, std::ptrdiff_t stride, Pictures pictures, int width,
                      int height, bool aligned, Histogram* histogram,
                      __grid_constant__ const RegionPlane region) {
  constexpr int kValues = 256, kLost = 8 * sizeof(Sample) - 8;
  __shared__ BlockHistogram<kLumaThreads / kWarp * kValues> counts;
  counts.clear();
  wait_and_start_next();
  if (kHasRegion && is_outside(region, blockIdx.x * kLumaThreads * kGroup, blockIdx.y * kCountRows,
                               kLumaThreads * kGroup, kCountRows))
    return;
  std::uint32_t* own = &counts.bins[threadIdx.x / kWarp * kValues];
  const int x = (blockIdx.x * kLumaThreads + threadIdx.x) * kGroup,
            columns = min(kGroup, width - x);
  const int first = blockIdx.y * kCountRows, last = min(first + kCountRows, height);
  const std::uint8_t* pixels = luma + pictures.offset() + first * stride + x * sizeof(Sample);
  const auto is_inside = [&](int column, int y) {
    return !kHasRegion || region.bits.bit(column, y);
  };
  if (sizeof(Sample) == 1 && aligned && columns == kGroup) {
#pragma unroll 4
    for (int y = first; y < last; ++y, pixels += stride) {
      const std::uint32_t four = load_group(pixels);
      for (int i = 0; i < kGroup; ++i)
        if (is_inside(x + i, y)) atomicAdd(&own[four >> 8 * i & 255], 1u);
    }
  } else {
    for (int y = first; y < last; ++y, pixels += stride)
      for (int i = 0; i < columns; ++i)
        if (is_inside(x + i, y))
          atomicAdd(&own[reinterpret_cast<const Sample*>(pixels)[i] >> kLost], 1u);
  }
  __syncthreads();
  for (int value = threadIdx.x; value < kValues; value += kLumaThreads) {
    std::uint32_t sum = 0;
    for (int i = value; i < kLumaThreads / kWarp * kValues; i += kValues) sum += counts.bins[i];
    if (sum != 0) atomicAdd(&histogram[blockIdx.z].bins[value], sum);
  }
}

// The part of the plan that says which magnitudes count, and how.
struct CountArguments {
  ThresholdMode mode;
  int are_squared, bin_shift;
};

// Finds the largest length, or counts lengths: all of them, or with kOtsu those above 0 that
// suppression keeps. Without a number of blocks, the compiler spills registers for some devices.
template <class Form, class Sample, bool kHasRegion>
__global__ void __launch_bounds__(kResponseThreads, 2)
    count_magnitudes_kernel(__grid_constant__ const ResponseArguments arguments,
                            CountArguments count, Histogram* histogram,
                            __grid_constant__ const RegionPlane region) {
  using Tile = ResponseTile<Sample, Form>;
  __shared__ Tile tile;
  __shared__ BlockHistogram<kBins> counts;
  using Magnitude = typename Tile::Magnitude;
  wait_and_start_next();
  if (kHasRegion && is_outside(region, blockIdx.x * kResponseWidth, blockIdx.y * Tile::kHeight,
                               kResponseWidth, Tile::kHeight))
    return;
  compute_responses<Form>(arguments, count.mode == ThresholdMode::kOtsu ? 0 : kNoSectors, &tile);
  const auto length = [&](Magnitude magnitude) {
    return length_of(magnitude, count.are_squared != 0);
  };
  const auto is_inside = [&](int row, int column) {
    return !kHasRegion || region.bits.bit(left_of_tile() + column, top_of_responses<Tile>() + row);
  };
  if (count.mode == ThresholdMode::kRelative) {
    Magnitude largest = 0;
    for_each_pixel<Tile>(arguments, [&](int row, int column) {
      const Magnitude magnitude = tile.magnitude[row][column];
      if (is_inside(row, column) && magnitude > largest) largest = magnitude;
    });
    largest = largest_of_warp(largest);
    if (threadIdx.x % kWarp == 0) atomicMax(&histogram[blockIdx.z].largest, length(largest));
    return;
  }
  counts.clear();
  for_each_pixel<Tile>(arguments, [&](int row, int column) {
    const Magnitude magnitude = tile.magnitude[row][column];
    const std::uint32_t own = length(magnitude);
    if (count.mode == ThresholdMode::kOtsu && (own == 0 || !is_maximum(tile, row, column))) return;
    if (!is_inside(row, column)) return;
    atomicAdd(&counts.bins[own >> count.bin_shift], 1u);
  });
  counts.add_to(histogram + blockIdx.z);
}

// ---- separable operators of 3x3 pixels ----

// Calls f(magnitude) for each pixel of a thread that is in the region.
template <Norm kNorm, bool kHasRegion, class F>
__device__ void for_each_magnitude(const ResponseArguments& arguments, const RegionPlane& region,
                                   F f) {
  for_each_group<kNorm, kCountRows>(
      arguments, [&](int x, int y, const std::uint32_t(&magnitude)[kGroup]) {
#pragma unroll
        for (int i = 0; i < kGroup; ++i)
          if (x + i < arguments.width && (!kHasRegion || region.bits.bit(x + i, y)))
            f(magnitude[i]);
      });
}

// Does what count_magnitudes_kernel() does for one image, except kOtsu.
template <Norm kNorm, bool kHasRegion>
__global__ void __launch_bounds__(kCountThreads)
    count_pairs_kernel(__grid_constant__ const ResponseArguments arguments, CountArguments count,
                       Histogram* histogram, __grid_constant__ const RegionPlane region) {
  __shared__ BlockHistogram<kBins> counts;
  const auto length = [](std::uint32_t magnitude) {
    return kNorm == Norm::kL2 ? length_of_square(magnitude) : magnitude;
  };
  const bool has_bins = count.mode == ThresholdMode::kQuantile;
  if (has_bins) counts.clear();
  wait_and_start_next();
  if (kHasRegion && is_outside(region, blockIdx.x * kCountThreads * kGroup, blockIdx.y * kCountRows,
                               kCountThreads * kGroup, kCountRows))
    return;
  if (has_bins) {
    for_each_magnitude<kNorm, kHasRegion>(arguments, region, [&](std::uint32_t magnitude) {
      atomicAdd(&counts.bins[length(magnitude) >> count.bin_shift], 1u);
    });
    counts.add_to(histogram + blockIdx.z);
    return;
  }
  std::uint32_t largest = 0;
  for_each_magnitude<kNorm, kHasRegion>(
      arguments, region, [&](std::uint32_t magnitude) { largest = max(largest, magnitude); });
  largest = largest_of_warp(largest);
  if (threadIdx.x % kWarp == 0) atomicMax(&histogram[blockIdx.z].largest, length(largest));
}

// ---- launch ----

// Calls f with whether the frame has a region, a constant.
template <class F>
auto with_region(const RegionPlane& region, F f) {
  return region.is_set() ? f(std::true_type()) : f(std::false_type());
}

template <class Sample>
Status count_samples(const FrontArguments& arguments, Launcher* launcher) {
  const FrontBuffers& buffers = arguments.buffers;
  ConstFrame gray = arguments.input;
  if (gray.format != PixelFormat::kGray8)
    CANNY_TRY(luma(arguments.input, kLumaWeights, buffers.image<Sample>(0), buffers.pitch, &gray,
                   launcher));
  const dim3 grid(blocks(gray.width, kLumaThreads * kGroup), blocks(gray.height, kCountRows));
  const auto kernel = with_region(arguments.region, [](auto has_region) {
    return count_luma_kernel<Sample, decltype(has_region)::value>;
  });
  return launcher->launch("luma counting kernel", kernel, grid, kLumaThreads, 0, gray.data,
                          gray.stride_bytes, pictures_of(gray), gray.width, gray.height,
                          is_aligned(gray, kGroup), arguments.histogram, arguments.region);
}

}  // namespace

Status count_luma(const FrontArguments& arguments, Launcher* launcher) {
  return arguments.plan.is_deep ? count_samples<std::uint16_t>(arguments, launcher)
                                : count_samples<std::uint8_t>(arguments, launcher);
}

Status count_magnitudes(const FrontArguments& arguments, const Images& images, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const int width = arguments.input.width, height = arguments.input.height;
  const ResponseArguments responses = response_arguments(plan, images, width, height);
  const CountArguments count = {plan.auto_threshold.mode, plan.is_squared() ? 1 : 0,
                                plan.auto_threshold.bin_shift};
  if (arguments.route.counter == FrontCounter::kPairs) {
    const auto kernel = with_region(arguments.region, [&](auto has_region) {
      return plan.norm == Norm::kL2 ? count_pairs_kernel<Norm::kL2, has_region>
                                    : count_pairs_kernel<Norm::kL1, has_region>;
    });
    const dim3 grid(blocks(width, kCountThreads * kGroup), blocks(height, kCountRows));
    return launcher->launch("magnitude counting kernel", kernel, grid, kCountThreads, 0, responses,
                            count, arguments.histogram, arguments.region);
  }
  const auto launch = [&](auto sample) {
    using Sample = decltype(sample);
    return with_form<Sample>(plan.weights, images.count, [&](auto form) {
      using Form = decltype(form);
      const auto kernel = with_region(arguments.region, [](auto has_region) {
        return count_magnitudes_kernel<Form, Sample, decltype(has_region)::value>;
      });
      const dim3 grid(blocks(width, kResponseWidth),
                      blocks(height, ResponseTile<Sample, Form>::kHeight));
      return launcher->launch("magnitude counting kernel", kernel, grid, kResponseThreads, 0,
                              responses, count, arguments.histogram, arguments.region);
    });
  };
  return plan.is_deep ? launch(std::uint16_t()) : launch(std::uint8_t());
}

}  // namespace canny::cuda
