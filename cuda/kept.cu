// SPDX-License-Identifier: LGPL-2.1-or-later
// Computes the magnitudes of kept pixels again, which is faster than to store and load them.
#include "cuda/kept.h"

#include "cuda/block_histogram.h"
#include "cuda/check.h"
#include "cuda/geometry.h"
#include "cuda/responses.h"
#include "cuda/thresholds.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// The bits of a group of pixels from (x, y) on, the first one lowest.
__device__ std::uint32_t bits_of_group(const TilePlane& plane, int x, int y) {
  constexpr std::uint32_t kAll = (1u << kGroup) - 1;
  return x < plane.width ? plane.word(x / kTile, y) >> x % kTile & kAll : 0;
}

template <Norm kNorm>
__global__ void __launch_bounds__(kCountThreads)
    count_kept_kernel(__grid_constant__ const ResponseArguments arguments, int bin_shift,
                      TilePlane kept, Histogram* histogram) {
  __shared__ BlockHistogram<kBins> counts;
  counts.clear();
  wait_for_previous_kernel();
  start_next_kernel();
  for_each_group<kNorm, kCountKeptRows>(
      arguments, [&](int x, int y, const std::uint32_t(&magnitude)[kGroup]) {
        const std::uint32_t bits = bits_of_group(kept, x, y);
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
          if ((bits >> i & 1) == 0) continue;
          const std::uint32_t length =
              kNorm == Norm::kL2 ? length_of_square(magnitude[i]) : magnitude[i];
          atomicAdd(&counts.bins[length >> bin_shift], 1u);
        }
      });
  counts.add_to(histogram);
}

// Returns the word of which 8 neighboring lanes have a group each.
__device__ std::uint32_t word_of_groups(std::uint32_t group) {
  constexpr int kGroups = kWordBits / kGroup;
  std::uint32_t word = group << threadIdx.x % kGroups * kGroup;
#pragma unroll
  for (int step = 1; step < kGroups; step *= 2) word |= __shfl_xor_sync(~0u, word, step);
  return word;
}

template <Norm kNorm>
__global__ void __launch_bounds__(kCountThreads)
    split_kept_kernel(__grid_constant__ const ResponseArguments arguments,
                      __grid_constant__ const ThresholdArguments thresholds, TilePlane candidate,
                      TilePlane strong) {
  wait_for_previous_kernel();
  start_next_kernel();
  const Thresholds limits = thresholds.get();
  const auto low = static_cast<std::uint32_t>(limits.low);
  const auto high = static_cast<std::uint32_t>(limits.high);
  for_each_group<kNorm, kSplitKeptRows>(
      arguments, [&](int x, int y, const std::uint32_t(&magnitude)[kGroup]) {
        const std::uint32_t kept = bits_of_group(candidate, x, y);
        std::uint32_t above_low = 0, above_high = 0;
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
          if (magnitude[i] > low) above_low |= 1u << i;
          if (magnitude[i] > high) above_high |= 1u << i;
        }
        const std::uint32_t candidates = word_of_groups(kept & above_low);
        const std::uint32_t strong_ones = word_of_groups(kept & above_high);
        if (x % kTile != 0 || x >= candidate.width) return;
        candidate.word(x / kTile, y) = candidates;
        strong.word(x / kTile, y) = strong_ones;
      });
}

dim3 grid_of(const TilePlane& plane, int rows) {
  return dim3(blocks(plane.width, kCountThreads * kGroup), blocks(plane.height, rows));
}

ResponseArguments responses_of(const FrontArguments& arguments, const Images& images) {
  const TilePlane& kept = arguments.candidate;
  return response_arguments(arguments.plan, images, kept.width, kept.height);
}

}  // namespace

Status count_kept(const FrontArguments& arguments, const Images& images, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const auto kernel =
      plan.norm == Norm::kL2 ? count_kept_kernel<Norm::kL2> : count_kept_kernel<Norm::kL1>;
  return launcher->launch("kept pixels counting kernel", kernel,
                          grid_of(arguments.candidate, kCountKeptRows), kCountThreads, 0,
                          responses_of(arguments, images), plan.measure.bin_shift,
                          arguments.candidate, arguments.histogram);
}

Status split_kept(const FrontArguments& arguments, const Images& images, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const auto kernel =
      plan.norm == Norm::kL2 ? split_kept_kernel<Norm::kL2> : split_kept_kernel<Norm::kL1>;
  return launcher->launch(
      "kept pixels kernel", kernel, grid_of(arguments.candidate, kSplitKeptRows), kCountThreads, 0,
      responses_of(arguments, images), threshold_arguments(plan, arguments.measured),
      arguments.candidate, arguments.strong);
}

}  // namespace canny::cuda
