// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end for any number of taps, with images in device memory between its kernels. The last
// one computes the gradient, non-maximum suppression and double threshold. After Luo and
// Duraiswami, "Canny edge detection on NVIDIA CUDA" (CVPRW 2008).
#include "cuda/check.h"
#include "cuda/front/front.h"
#include "cuda/front/gradient.h"
#include "cuda/front/images/images.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/region.h"
#include "cuda/thresholds/thresholds.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// The tile's images: gradients with an apron of 1, and the blurred pixels that they are computed
// from. These have an apron of at least 4 columns, which keeps words aligned.
constexpr int kGradientWidth = kSuppressWidth + 2;
constexpr int kGradientHeight = kSuppressHeight + 2;
static_assert(kSuppressWidth % kWordBits == 0 && kGradientWidth <= kSuppressThreads);
template <class Op>
struct SuppressTile {
  static constexpr int kBlurredY = 1 + Op::kReach;
  static constexpr int kBlurredX = (kBlurredY + kGroup - 1) / kGroup * kGroup;
  static constexpr int kBlurredGroups = (kSuppressWidth + 2 * kBlurredX) / kGroup;
  static constexpr int kBlurredHeight = kSuppressHeight + 2 * kBlurredY;

  std::uint32_t blurred[kBlurredHeight][kBlurredGroups];  // 4 pixels a word
  std::uint32_t gradient[kGradientHeight][kGradientWidth];
};

// A warp loads a row at a time. Border pixels are repeated for the operator.
template <class Op>
__device__ void load_blurred(const std::uint8_t* blurred, int pitch, int width, int height,
                             SuppressTile<Op>* tile) {
  using Tile = SuppressTile<Op>;
  const int left = blockIdx.x * kSuppressWidth - Tile::kBlurredX;
  const int top = blockIdx.y * kSuppressHeight - Tile::kBlurredY;
  const auto inside = [&](int x) { return min(max(x, 0), width - 1); };
  for (int row = threadIdx.x / kWarp; row < Tile::kBlurredHeight; row += kSuppressThreads / kWarp) {
    const int y = min(max(top + row, 0), height - 1);
    const std::uint8_t* source =
        blurred + static_cast<std::size_t>(pitch) * (first_row_of_picture(height) + y);
    for (int i = threadIdx.x % kWarp; i < Tile::kBlurredGroups; i += kWarp) {
      const int x = left + i * kGroup;
      tile->blurred[row][i] =
          x >= 0 && x + kGroup <= width ? load_group(source + x) : gather_group(source, x, inside);
    }
  }
}

template <class Op, Norm kNorm>
__device__ void gradients(int width, int height, SuppressTile<Op>* tile) {
  using Tile = SuppressTile<Op>;
  const int column = threadIdx.x;
  if (column >= kGradientWidth) return;
  const int x = blockIdx.x * kSuppressWidth + column - 1, y = blockIdx.y * kSuppressHeight - 1;
  const auto* pixels = reinterpret_cast<const std::uint8_t*>(tile->blurred);
  gradient_column<Op, kNorm, Tile::kBlurredGroups * kGroup, kGradientHeight, kGradientWidth>(
      pixels + column + Tile::kBlurredX - Tile::kBlurredY, x >= 0 && x < width, y, height,
      &tile->gradient[0][column]);
}

template <class Op, Norm kNorm>
__global__ void __launch_bounds__(kSuppressThreads)
    suppress_kernel(const std::uint8_t* blurred, int pitch,
                    __grid_constant__ const ThresholdArguments thresholds, TilePlane candidate,
                    TilePlane strong, __grid_constant__ const RegionPlane region) {
  __shared__ SuppressTile<Op> tile;
  wait_and_start_next();
  const int x = blockIdx.x * kSuppressWidth, y = blockIdx.y * kSuppressHeight;
  if (is_outside(region, x, y, kSuppressWidth, kSuppressHeight))
    return clear_words(candidate, strong, x, y, kSuppressWidth, kSuppressHeight);
  const Thresholds limits = thresholds.get();
  load_blurred(blurred, pitch, candidate.width, candidate.height, &tile);
  __syncthreads();
  gradients<Op, kNorm>(candidate.width, candidate.height, &tile);
  __syncthreads();
  suppress<kSuppressWidth, kSuppressHeight, kSuppressThreads>(tile.gradient, limits, candidate,
                                                              strong);
}

}  // namespace

Status front_multipass(const FrontArguments& arguments, const Images& images, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const TilePlane& candidate = arguments.candidate;
  const auto kernel = plan.norm == Norm::kL2 ? suppress_kernel<Sobel3, Norm::kL2>
                                             : suppress_kernel<Sobel3, Norm::kL1>;
  const dim3 grid(blocks(candidate.width, kSuppressWidth),
                  blocks(candidate.height, kSuppressHeight));
  return launcher->launch("multipass kernel", kernel, grid, kSuppressThreads, 0, images.image[0],
                          images.pitch, threshold_arguments(plan, arguments.measured), candidate,
                          arguments.strong, arguments.region);
}

}  // namespace canny::cuda
