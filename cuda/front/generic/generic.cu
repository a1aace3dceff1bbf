// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end that accepts every plan: any operator, thin or thick edges, luma or three colors.
#include "cuda/front/front.h"
#include "cuda/front/generic/gradient_tile.h"
#include "cuda/front/images/images.h"
#include "cuda/geometry.h"
#include "cuda/region.h"
#include "cuda/thresholds/thresholds.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// Writes the words of both planes for the block's tile. A warp computes a word of each plane at a
// time.
template <class Tile, class Limits>
__device__ void suppress_tile(const Tile& tile, bool is_thin, const Limits& thresholds,
                              const TilePlane& candidate, const TilePlane& strong) {
  using Magnitude = typename Tile::Magnitude;
  constexpr int kWords = kResponseWidth / kWordBits;
  const auto low = static_cast<Magnitude>(thresholds.low);
  const auto high = static_cast<Magnitude>(thresholds.high);
  const int lane = threadIdx.x % kWarp;
  for (int row = threadIdx.x / kWarp; row < Tile::kHeight; row += kResponseThreads / kWarp) {
    const int y = blockIdx.y * Tile::kHeight + row;
    if (y >= candidate.height) return;  // the whole warp
    const Magnitude* magnitudes = &tile.magnitude[1 + row][Tile::kApron + lane];
    Magnitude magnitude[kWords];
#pragma unroll
    for (int word = 0; word < kWords; ++word) magnitude[word] = magnitudes[word * kWordBits];
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      bool kept = magnitude[word] > low;
      if (is_thin && __any_sync(~0u, kept))
        kept = kept && is_maximum(tile, 1 + row, Tile::kApron + word * kWordBits + lane);
      const std::uint32_t candidate_word = __ballot_sync(~0u, kept);
      const std::uint32_t strong_word = __ballot_sync(~0u, kept && magnitude[word] > high);
      const int w = blockIdx.x * kWords + word;
      if (lane == 0 && w < candidate.columns()) {
        candidate.word(w, y) = candidate_word;
        strong.word(w, y) = strong_word;
      }
    }
  }
}

// Turns the block's tile of the images into bits.
template <class Form, class Sample, class ThresholdSource>
__device__ void compute_tile(const ResponseArguments& arguments, const ThresholdSource& thresholds,
                             const TilePlane& candidate, const TilePlane& strong) {
  using Tile = ResponseTile<Sample, Form>;
  __shared__ Tile tile;
  const auto limits = thresholds.get();
  using Magnitude = typename Tile::Magnitude;
  compute_responses<Form>(
      arguments, arguments.is_thin != 0 ? static_cast<Magnitude>(limits.low) : kNoSectors, &tile);
  suppress_tile(tile, arguments.is_thin != 0, limits, candidate, strong);
}

// Blocks that fit on a multiprocessor: its registers hold three, from 12.0 on its shared memory
// two. Windows of three images take more registers: those of 5 rows, and from 10.0 on those of 3
// rows.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
inline constexpr int kMostBlocks = __CUDA_ARCH__ < 1200 ? 3 : 2, kBlocksOfImages = 2;
#else
inline constexpr int kMostBlocks = 3, kBlocksOfImages = 3;
#endif
template <class Form>
constexpr int kBlocks = kMostBlocks;
template <>
constexpr int kBlocks<SeparableForm<1, 3>> = kBlocksOfImages;
template <>
constexpr int kBlocks<SeparableForm<2, 3>> = 2;

template <class Form, class Sample, class ThresholdSource>
__global__ void __launch_bounds__(kResponseThreads, kBlocks<Form>)
    front_generic_kernel(__grid_constant__ const ResponseArguments arguments,
                         __grid_constant__ const ThresholdSource thresholds, TilePlane candidate,
                         TilePlane strong, bool is_busy) {
  wait_and_start_next(is_busy);
  compute_tile<Form, Sample>(arguments, thresholds, candidate, strong);
}

// Likewise in a region, which takes more registers.
template <class Form, class Sample, class ThresholdSource>
__global__ void __launch_bounds__(kResponseThreads, 2)
    front_region_kernel(__grid_constant__ const ResponseArguments arguments,
                        __grid_constant__ const ThresholdSource thresholds, TilePlane candidate,
                        TilePlane strong, bool is_busy,
                        __grid_constant__ const RegionPlane region) {
  wait_and_start_next(is_busy);
  using Tile = ResponseTile<Sample, Form>;
  const int x = blockIdx.x * kResponseWidth, y = blockIdx.y * Tile::kHeight;
  if (is_outside(region, x, y, kResponseWidth, Tile::kHeight))
    return clear_words(candidate, strong, x, y, kResponseWidth, Tile::kHeight);
  compute_tile<Form, Sample>(arguments, thresholds, candidate, strong);
}

template <class Sample, class ThresholdSource>
Status launch_generic(const FrontArguments& arguments, const Images& images, Launcher* launcher) {
  const TilePlane& candidate = arguments.candidate;
  const auto thresholds = ThresholdSource::of(arguments.plan, arguments.measured);
  const ResponseArguments responses =
      response_arguments(arguments.plan, images, candidate.width, candidate.height);
  return with_form<Sample>(responses.weights, images.count, [&](auto form) {
    using Form = decltype(form);
    const dim3 grid(blocks(candidate.width, kResponseWidth),
                    blocks(candidate.height, ResponseTile<Sample, Form>::kHeight));
    if (arguments.region.is_set())
      return launcher->launch("generic kernel", front_region_kernel<Form, Sample, ThresholdSource>,
                              grid, kResponseThreads, 0, responses, thresholds, candidate,
                              arguments.strong, arguments.device.is_busy, arguments.region);
    return launcher->launch("generic kernel", front_generic_kernel<Form, Sample, ThresholdSource>,
                            grid, kResponseThreads, 0, responses, thresholds, candidate,
                            arguments.strong, arguments.device.is_busy);
  });
}

}  // namespace

Status front_generic(const FrontArguments& arguments, const Images& images, Launcher* launcher) {
  return arguments.plan.is_deep
             ? launch_generic<std::uint16_t, DeepThresholdArguments>(arguments, images, launcher)
             : launch_generic<std::uint8_t, ThresholdArguments>(arguments, images, launcher);
}

}  // namespace canny::cuda
