// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end that accepts every plan: any operator, thin or thick edges, luma or three colors.
#include "cuda/check.h"
#include "cuda/front.h"
#include "cuda/geometry.h"
#include "cuda/images.h"
#include "cuda/responses.h"
#include "cuda/thresholds.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// Writes the words of both planes for the block's tile. A warp computes a word of each plane at a
// time.
__device__ void suppress_tile(const ResponseTile& tile, bool is_thin, const Thresholds& thresholds,
                              const TilePlane& candidate, const TilePlane& strong) {
  constexpr int kWords = kSuppressWidth / kWordBits;
  const auto low = static_cast<std::uint32_t>(thresholds.low);
  const auto high = static_cast<std::uint32_t>(thresholds.high);
  const int lane = threadIdx.x % kWarp;
  for (int row = threadIdx.x / kWarp; row < kSuppressHeight; row += kSuppressThreads / kWarp) {
    const int y = blockIdx.y * kSuppressHeight + row;
    if (y >= candidate.height) return;  // the whole warp
    for (int word = 0; word < kWords; ++word) {
      const int column = word * kWordBits + lane + 1;
      const std::uint32_t magnitude = tile.magnitude[row + 1][column];
      const bool kept = magnitude > low && (!is_thin || is_maximum(tile, row + 1, column));
      const std::uint32_t candidate_word = __ballot_sync(~0u, kept);
      const std::uint32_t strong_word = __ballot_sync(~0u, kept && magnitude > high);
      const int w = blockIdx.x * kWords + word;
      if (lane == 0 && w < candidate.columns()) {
        candidate.word(w, y) = candidate_word;
        strong.word(w, y) = strong_word;
      }
    }
  }
}

template <class Form>
__global__ void __launch_bounds__(kSuppressThreads)
    front_generic_kernel(__grid_constant__ const ResponseArguments arguments,
                         __grid_constant__ const ThresholdArguments thresholds, TilePlane candidate,
                         TilePlane strong) {
  __shared__ ResponseTile tile;
  wait_for_previous_kernel();
  start_next_kernel();
  compute_responses<Form>(arguments, &tile);
  suppress_tile(tile, arguments.is_thin != 0, thresholds.get(), candidate, strong);
}

}  // namespace

Status front_generic(const FrontArguments& arguments, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const TilePlane& candidate = arguments.candidate;
  Images images;
  CANNY_TRY(images_of(arguments, &images, launcher));
  const auto kernel =
      with_form(plan.weights, [](auto form) { return front_generic_kernel<decltype(form)>; });
  const dim3 grid(blocks(candidate.width, kSuppressWidth),
                  blocks(candidate.height, kSuppressHeight));
  return launcher->launch("suppression kernel", kernel, grid, kSuppressThreads, 0,
                          response_arguments(plan, images, candidate.width, candidate.height),
                          threshold_arguments(plan, arguments.measured), candidate,
                          arguments.strong);
}

}  // namespace canny::cuda
