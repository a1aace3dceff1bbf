// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts magnitudes or luma in a histogram and derives thresholds from it. The host waits for
// neither.
#include "cuda/measure.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "cuda/block_histogram.h"
#include "cuda/check.h"
#include "cuda/deep_luma.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/luma.h"
#include "cuda/region_tiles.h"
#include "cuda/responses.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

constexpr int kThreads = 1024;  // of a block that handles a whole histogram
static_assert(kBins == 2 * kThreads);

__global__ void __launch_bounds__(kThreads) clear_kernel(Histogram* histogram) {
  wait_for_previous_kernel();
  start_next_kernel();
  histogram->bins[threadIdx.x] = histogram->bins[threadIdx.x + kThreads] = 0;
  if (threadIdx.x == 0) histogram->largest = 0;
}

// ---- counting ----

// Kernels with kHasRegion count only pixels of a region.

// The luma's 8 highest bits.
__device__ int highest_bits(std::uint8_t luma) { return luma; }
__device__ int highest_bits(std::uint16_t luma) { return luma >> 8; }

// Counts luma in kCountRows rows, 4 pixels of 8 bits at a time where rows are aligned. Warps have
// histograms of their own: in flat areas their pixels share few bins.
template <class Sample, bool kHasRegion>
__global__ void __launch_bounds__(kLumaThreads)
    count_luma_kernel(const std::uint8_t* luma, std::ptrdiff_t stride, int width, int height,
                      bool aligned, Histogram* histogram,
                      __grid_constant__ const RegionPlane region) {
  constexpr int kValues = 256;
  __shared__ BlockHistogram<kLumaThreads / kWarp * kValues> counts;
  counts.clear();
  wait_for_previous_kernel();
  start_next_kernel();
  if (kHasRegion && misses(region, blockIdx.x * kLumaThreads * kGroup, blockIdx.y * kCountRows,
                           kLumaThreads * kGroup, kCountRows))
    return;
  std::uint32_t* own = &counts.bins[threadIdx.x / kWarp * kValues];
  const int x = (blockIdx.x * kLumaThreads + threadIdx.x) * kGroup,
            columns = min(kGroup, width - x);
  const int first = blockIdx.y * kCountRows, last = min(first + kCountRows, height);
  const std::uint8_t* pixels = luma + first * stride + x * sizeof(Sample);
  const auto is_inside = [&](int column, int y) {
    return !kHasRegion || region.contains(column, y);
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
          atomicAdd(&own[highest_bits(reinterpret_cast<const Sample*>(pixels)[i])], 1u);
  }
  __syncthreads();
  for (int value = threadIdx.x; value < kValues; value += kLumaThreads) {
    std::uint32_t sum = 0;
    for (int i = value; i < kLumaThreads / kWarp * kValues; i += kValues) sum += counts.bins[i];
    if (sum != 0) atomicAdd(&histogram->bins[value], sum);
  }
}

// The part of the plan that says which magnitudes count, and how.
struct CountArguments {
  ThresholdMode mode;
  int are_squared, bin_shift;
};

// Finds the largest length, or counts lengths: all of them, or with kOtsu those above 0 that
// suppression keeps. Without a number of blocks, the compiler spills registers for some devices.
template <class Form, class Tile, bool kHasRegion>
__global__ void __launch_bounds__(kResponseThreads, 2)
    count_magnitudes_kernel(__grid_constant__ const ResponseArguments arguments,
                            CountArguments count, Histogram* histogram,
                            __grid_constant__ const RegionPlane region) {
  __shared__ Tile tile;
  __shared__ BlockHistogram<kBins> counts;
  using Magnitude = typename Tile::Magnitude;
  wait_for_previous_kernel();
  start_next_kernel();
  if (kHasRegion && misses(region, blockIdx.x * kResponseWidth, blockIdx.y * Tile::kHeight,
                           kResponseWidth, Tile::kHeight))
    return;
  compute_responses<Form>(arguments, count.mode == ThresholdMode::kOtsu ? 0 : kNoSectors, &tile);
  const auto length = [&](Magnitude magnitude) {
    return length_of(magnitude, count.are_squared != 0);
  };
  const auto is_inside = [&](int row, int column) {
    return !kHasRegion || region.contains(left_of_tile() + column, top_of_responses<Tile>() + row);
  };
  if (count.mode == ThresholdMode::kRelative) {
    Magnitude largest = 0;
    for_each_pixel<Tile>(arguments, [&](int row, int column) {
      const Magnitude magnitude = tile.magnitude[row][column];
      if (is_inside(row, column) && magnitude > largest) largest = magnitude;
    });
    for (int step = kWarp / 2; step > 0; step /= 2) {
      const Magnitude other = __shfl_xor_sync(~0u, largest, step);
      if (other > largest) largest = other;
    }
    if (threadIdx.x % kWarp == 0) atomicMax(&histogram->largest, length(largest));
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
  counts.add_to(histogram);
}

// ---- counting, separable operators of 3x3 pixels ----

// Calls f(magnitude) for each pixel of a thread that is in the region.
template <Norm kNorm, bool kHasRegion, class F>
__device__ void for_each_magnitude(const ResponseArguments& arguments, const RegionPlane& region,
                                   F f) {
  for_each_group<kNorm, kCountRows>(
      arguments, [&](int x, int y, const std::uint32_t(&magnitude)[kGroup]) {
#pragma unroll
        for (int i = 0; i < kGroup; ++i)
          if (x + i < arguments.width && (!kHasRegion || region.contains(x + i, y)))
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
  wait_for_previous_kernel();
  start_next_kernel();
  if (kHasRegion && misses(region, blockIdx.x * kCountThreads * kGroup, blockIdx.y * kCountRows,
                           kCountThreads * kGroup, kCountRows))
    return;
  if (has_bins) {
    for_each_magnitude<kNorm, kHasRegion>(arguments, region, [&](std::uint32_t magnitude) {
      atomicAdd(&counts.bins[length(magnitude) >> count.bin_shift], 1u);
    });
    counts.add_to(histogram);
    return;
  }
  std::uint32_t largest = 0;
  for_each_magnitude<kNorm, kHasRegion>(
      arguments, region, [&](std::uint32_t magnitude) { largest = max(largest, magnitude); });
  for (int step = kWarp / 2; step > 0; step /= 2)
    largest = max(largest, __shfl_xor_sync(~0u, largest, step));
  if (threadIdx.x % kWarp == 0) atomicMax(&histogram->largest, length(largest));
}

// ---- launch ----

// Calls f with whether the frame has a region, a constant.
template <class F>
auto with_region(const RegionPlane& region, F f) {
  return region.is_set() ? f(std::true_type()) : f(std::false_type());
}

template <class Sample>
Status count_gray(const ConstFrame& gray, const FrontArguments& arguments, Launcher* launcher) {
  const dim3 grid(blocks(gray.width, kLumaThreads * kGroup), blocks(gray.height, kCountRows));
  const auto kernel = with_region(arguments.region, [](auto has_region) {
    return count_luma_kernel<Sample, decltype(has_region)::value>;
  });
  return launcher->launch("luma counting kernel", kernel, grid, kLumaThreads, 0, gray.data,
                          gray.stride_bytes, gray.width, gray.height, is_word_aligned(gray),
                          arguments.histogram, arguments.region);
}

Status count_luma(const FrontArguments& arguments, Launcher* launcher) {
  const ConstFrame& input = arguments.input;
  const FrontBuffers& buffers = arguments.buffers;
  ConstFrame gray = input;
  if (input.format != PixelFormat::kGray8)
    CANNY_TRY(luma(input, kLumaWeights, buffers.image, buffers.pitch, &gray, launcher));
  return count_gray<std::uint8_t>(gray, arguments, launcher);
}

// Likewise for deep samples. The luma stays in buffers.deep_images[0].
Status count_deep_luma(const FrontArguments& arguments, Launcher* launcher) {
  const ConstFrame& input = arguments.input;
  const FrontBuffers& buffers = arguments.buffers;
  CANNY_TRY(deep_luma(input, kLumaWeights, buffers.deep_images[0], buffers.pitch, launcher));
  return count_gray<std::uint16_t>(deep_frame(input, buffers.deep_images[0], buffers.pitch),
                                   arguments, launcher);
}

Status count_magnitudes(const FrontArguments& arguments, const Images& images, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const int width = arguments.input.width, height = arguments.input.height;
  const ResponseArguments responses = response_arguments(plan, images, width, height);
  const CountArguments count = {plan.measure.mode, plan.is_squared() ? 1 : 0,
                                plan.measure.bin_shift};
  if (arguments.route.counter == FrontCounter::kPairs) {
    const auto kernel = with_region(arguments.region, [&](auto has_region) {
      return plan.norm == Norm::kL2 ? count_pairs_kernel<Norm::kL2, has_region>
                                    : count_pairs_kernel<Norm::kL1, has_region>;
    });
    const dim3 grid(blocks(width, kCountThreads * kGroup), blocks(height, kCountRows));
    return launcher->launch("magnitude counting kernel", kernel, grid, kCountThreads, 0, responses,
                            count, arguments.histogram, arguments.region);
  }
  const auto launch = [&](auto tile) {
    using Tile = decltype(tile);
    const auto kernel = with_region(arguments.region, [&](auto has_region) {
      return with_form<Tile>(plan.weights, images.count, [](auto form) {
        return count_magnitudes_kernel<decltype(form), Tile, decltype(has_region)::value>;
      });
    });
    const dim3 grid(blocks(width, kResponseWidth), blocks(height, Tile::kHeight));
    return launcher->launch("magnitude counting kernel", kernel, grid, kResponseThreads, 0,
                            responses, count, arguments.histogram, arguments.region);
  };
  return plan.is_deep ? launch(DeepResponseTile()) : launch(ResponseTile());
}

// ---- thresholds ----

// The part of the plan that says how thresholds follow from a histogram.
struct MeasureArguments {
  ThresholdMode mode;
  int bin_shift, are_squared;
  int unused;  // instead of padding
};

// A bin and its value for Otsu's method; the first of the best bins wins.
struct Split {
  double variance;
  int bin;  // kBins: none
};

struct Better {
  __device__ Split operator()(const Split& a, const Split& b) const {
    if (a.bin == kBins || b.bin == kBins) return a.bin == kBins ? b : a;
    if (a.variance != b.variance) return a.variance > b.variance ? a : b;
    return a.bin < b.bin ? a : b;
  }
};

// Pixels and the sum of their bins.
struct Class {
  std::uint64_t count, sum;
};

struct Sum {
  __device__ Class operator()(const Class& a, const Class& b) const {
    return {a.count + b.count, a.sum + b.sum};
  }
};

using Scan = cub::BlockScan<Class, kThreads, cub::BLOCK_SCAN_WARP_SCANS>;
using Best = cub::BlockReduce<Split, kThreads>;
using First = cub::BlockReduce<int, kThreads>;
union Scratch {
  Scan::TempStorage scan;
  Best::TempStorage best;
  First::TempStorage first;
};

// Returns the first bin that is enough, in thread 0, or kBins. `up_to` are the pixels up to each of
// a thread's bins.
template <class Enough>
__device__ int first_bin(const Class (&up_to)[2], Enough enough, Scratch* scratch) {
  const int bin = 2 * threadIdx.x;
  const int own = enough(up_to[0].count) ? bin : enough(up_to[1].count) ? bin + 1 : kBins;
  return First(scratch->first).Reduce(own, [](int a, int b) { return min(a, b); });
}

// Returns the last bin of the lower class, in thread 0, or kBins if there are no two classes.
__device__ int split_bin(const Class (&up_to)[2], const Class& all, Scratch* scratch) {
  Split best = {0, kBins};
  for (int i = 0; i < 2; ++i) {
    const Class &lower = up_to[i], upper = {all.count - lower.count, all.sum - lower.sum};
    if (lower.count == 0 || upper.count == 0) continue;
    const double variance =
        variance_between(static_cast<double>(lower.count), static_cast<double>(lower.sum),
                         static_cast<double>(upper.count), static_cast<double>(upper.sum));
    best = Better()(best, {variance, static_cast<int>(2 * threadIdx.x + i)});
  }
  return Best(scratch->best).Reduce(best, Better()).bin;
}

// One block. A thread takes two neighboring bins. With kQuantile and kMedian, all pixels that may
// be edges are in the histogram.
__global__ void __launch_bounds__(kThreads)
    thresholds_kernel(MeasureArguments arguments, double high_ratio, double low_ratio,
                      const Histogram* histogram, Measured* measured) {
  __shared__ Scratch scratch;
  wait_for_previous_kernel();
  start_next_kernel();
  Class up_to[2], all;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t bin = 2 * threadIdx.x + i, count = histogram->bins[bin];
    up_to[i] = {count, bin * count};
  }
  Scan(scratch.scan).InclusiveScan(up_to, up_to, Sum(), all);
  __syncthreads();
  double high = 0;  // in thread 0
  if (arguments.mode == ThresholdMode::kRelative) {
    high = high_ratio * histogram->largest;
  } else if (arguments.mode == ThresholdMode::kQuantile) {
    const double most = high_ratio * static_cast<double>(all.count);
    const int bin = first_bin(
        up_to, [=](std::uint64_t count) { return static_cast<double>(count) > most; }, &scratch);
    high = min(bin, kBins - 1) << arguments.bin_shift;
  } else if (arguments.mode == ThresholdMode::kOtsu) {
    const int bin = split_bin(up_to, all, &scratch);
    high = bin == kBins ? kNoOtsuThreshold : high_ratio * (bin << arguments.bin_shift);
  } else {
    high = high_ratio *
           first_bin(
               up_to, [&](std::uint64_t count) { return 2 * count >= all.count; }, &scratch);
  }
  if (threadIdx.x != 0) return;
  const Measure measure = {arguments.mode, high_ratio, low_ratio, arguments.bin_shift};
  *measured = measured_thresholds(measure, high, arguments.are_squared != 0);
}

}  // namespace

Status clear_histogram(Histogram* histogram, Launcher* launcher) {
  return launcher->launch("clearing kernel", clear_kernel, 1, kThreads, 0, histogram);
}

Status derive_thresholds(const FrontArguments& arguments, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const MeasureArguments measure = {plan.measure.mode, plan.measure.bin_shift,
                                    plan.is_squared() ? 1 : 0, 0};
  return launcher->launch("threshold kernel", thresholds_kernel, 1, kThreads, 0, measure,
                          plan.measure.high_ratio, plan.measure.low_ratio, arguments.histogram,
                          arguments.measured);
}

Status measure_luma(const FrontArguments& arguments, Launcher* launcher) {
  CANNY_TRY((arguments.plan.is_deep ? count_deep_luma : count_luma)(arguments, launcher));
  return derive_thresholds(arguments, launcher);
}

Status measure_magnitudes(const FrontArguments& arguments, const Images& images,
                          Launcher* launcher) {
  CANNY_TRY(count_magnitudes(arguments, images, launcher));
  return derive_thresholds(arguments, launcher);
}

}  // namespace canny::cuda
