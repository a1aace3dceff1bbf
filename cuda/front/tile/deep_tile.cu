// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end for deep samples and at most 9 taps, in one kernel. Like front_tile.cu, with 16
// bits for a sample, 32 for a row sum and 64 for a gradient.
#include <algorithm>

#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/front.h"
#include "cuda/front/gradient.h"
#include "cuda/front/images/deep_luma.h"
#include "cuda/front/suppress.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/region_tiles.h"
#include "cuda/thresholds/thresholds.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

constexpr int kRadius = kTileTaps / 2;
constexpr int kOctet = 8;  // pixels in 16 bytes

using Op = Sobel3;
static_assert(Op::kReach == 1, "repeat_borders() repeats one pixel");

// The tile's images: their origins relative to the tile's, and their sizes, in pixels.
constexpr int kBlurredX = kGroup, kBlurredY = 1 + Op::kReach;  // apron of the blurred image
constexpr int kLumaX = kBlurredX + kRadius, kLumaY = kBlurredY + kRadius;
constexpr int kBlurredWidth = kDeepTileWidth + 2 * kBlurredX;
constexpr int kBlurredHeight = kDeepTileHeight + 2 * kBlurredY;
constexpr int kBlurredGroups = kBlurredWidth / kGroup;
constexpr int kLumaWidth = kDeepTileWidth + 2 * kLumaX;
constexpr int kLumaHeight = kDeepTileHeight + 2 * kLumaY;
constexpr int kLumaOctets = kLumaWidth / kOctet;
constexpr int kGradientWidth = kDeepTileWidth + 2;
constexpr int kGradientHeight = kDeepTileHeight + 2;
static_assert(kRadius == kGroup, "a group's sums read the groups beside it");
static_assert(kLumaWidth % kOctet == 0 && kLumaX % kOctet == 0 && kDeepTileWidth % kWordBits == 0);

// The parts of a column that threads take.
constexpr int kBlurredPart = 6, kGradientParts = 2;
constexpr int kGradientPart = kGradientHeight / kGradientParts;
static_assert(kBlurredHeight % kBlurredPart == 0 && kGradientHeight % kGradientParts == 0);

// Luma and, later, the blurred image share memory; so do row sums and, later, gradients.
union Samples {
  uint4 luma[kLumaHeight][kLumaOctets];
  uint2 blurred[kBlurredHeight][kBlurredGroups];
};
union Words {
  uint4 row_sums[kLumaHeight][kBlurredGroups];  // 4 in a group
  std::uint64_t gradient[kGradientHeight][kGradientWidth];
};

// The part of the plan that blocks need.
struct TileArguments {
  DeepWords words;  // of the input
  // The taps, shifted by 0 .. 3 pixels, over the 12 pixels that 4 neighboring sums read.
  std::uint32_t row_taps[kGroup][3];
  std::uint32_t column_taps[kTileTaps];
};

// ---- luma ----

// Returns the words of the 8 pixels from column x on. `inside` maps each column to one inside the
// image.
template <class Inside>
__device__ uint4 gather_octet(const std::uint8_t* row, int x, Inside inside) {
  std::uint32_t pairs[kOctet / 2] = {};
#pragma unroll
  for (int i = 0; i < kOctet; ++i) {
    const std::uint8_t* word = row + 2 * inside(x + i);
    pairs[i / 2] |= (word[0] | std::uint32_t{word[1]} << 8) << 16 * (i % 2);
  }
  return make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
}

// Each thread loads all its words before it waits for any of them.
template <class Inside>
__device__ void load_luma(const std::uint8_t* data, std::ptrdiff_t stride, bool aligned, int width,
                          int height, const DeepWords& words, Inside inside, Samples* tile) {
  constexpr int kCount = kLumaHeight * kLumaOctets;
  constexpr int kOwn = (kCount + kDeepTileThreads - 1) / kDeepTileThreads;
  const int left = blockIdx.x * kDeepTileWidth - kLumaX;
  const int top = blockIdx.y * kDeepTileHeight - kLumaY;
  uint4 octets[kOwn];
#pragma unroll
  for (int own = 0; own < kOwn; ++own) {
    const int i = threadIdx.x + own * kDeepTileThreads;
    if (i >= kCount) break;
    const int x = left + i % kLumaOctets * kOctet;
    const std::uint8_t* row = data + inside(top + i / kLumaOctets, height) * stride;
    octets[own] = aligned && x >= 0 && x + kOctet <= width
                      ? *reinterpret_cast<const uint4*>(row + 2 * x)
                      : gather_octet(row, x, [&](int column) { return inside(column, width); });
  }
#pragma unroll
  for (int own = 0; own < kOwn; ++own) {
    const int i = threadIdx.x + own * kDeepTileThreads;
    if (i >= kCount) break;
    const uint4 octet = octets[own];
    tile->luma[i / kLumaOctets][i % kLumaOctets] = make_uint4(
        words.pair(octet.x), words.pair(octet.y), words.pair(octet.z), words.pair(octet.w));
  }
}

// ---- Gaussian blur ----

// Sums 4 pixels of a row at a time. A sum is at most 256 * 65535 and fits in 24 bits.
__device__ void blur_rows(const Samples& samples, const TileArguments& arguments, Words* words) {
  constexpr int kLumaGroups = kLumaWidth / kGroup;
  const auto* luma = reinterpret_cast<const uint2*>(samples.luma);
  for (int i = threadIdx.x; i < kLumaHeight * kBlurredGroups; i += kDeepTileThreads) {
    const int row = i / kBlurredGroups, group = i % kBlurredGroups;
    const uint2* groups = luma + row * kLumaGroups + group;
    const uint2 before = groups[0], here = groups[1], after = groups[2];
    std::uint32_t sums[kGroup];
#pragma unroll
    for (int pixel = 0; pixel < kGroup; ++pixel) {
      const std::uint32_t* taps = arguments.row_taps[pixel];
      std::uint32_t sum = __dp2a_hi(before.y, taps[0], 0u);
      sum = __dp2a_hi(here.y, taps[1], __dp2a_lo(here.x, taps[1], sum));
      sum = __dp2a_lo(after.x, taps[2], sum);
      // The first two windows of 9 pixels reach into the first pair, the others into the last one.
      sums[pixel] =
          pixel < 2 ? __dp2a_lo(before.x, taps[0], sum) : __dp2a_hi(after.y, taps[2], sum);
    }
    words->row_sums[row][group] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
  }
}

// Blurs 4 columns of kBlurredPart rows and does the only rounding of the blur.
// 256 * 256 * 65535 + 2^15 stays below 2^32.
__device__ void blur_part(const Words& words, int group, int first, const TileArguments& arguments,
                          Samples* samples) {
  std::uint32_t sums[kBlurredPart][kGroup];
#pragma unroll
  for (auto& row : sums)
#pragma unroll
    for (std::uint32_t& sum : row) sum = 1u << 15;
#pragma unroll
  for (int i = 0; i < kBlurredPart + 2 * kRadius; ++i) {
    const uint4 four = words.row_sums[first + i][group];
#pragma unroll
    for (int row = 0; row < kBlurredPart; ++row) {
      if (i < row || i - row >= kTileTaps) continue;
      const std::uint32_t tap = arguments.column_taps[i - row];
      sums[row][0] += tap * four.x;
      sums[row][1] += tap * four.y;
      sums[row][2] += tap * four.z;
      sums[row][3] += tap * four.w;
    }
  }
#pragma unroll
  for (int row = 0; row < kBlurredPart; ++row) {
    const std::uint32_t* sum = sums[row];
    samples->blurred[first + row][group] =
        make_uint2(__byte_perm(sum[0], sum[1], 0x7632), __byte_perm(sum[2], sum[3], 0x7632));
  }
}

// Each thread takes a part of 4 columns.
__device__ void blur_columns(const Words& words, const TileArguments& arguments, Samples* samples) {
  constexpr int kCount = kBlurredHeight / kBlurredPart * kBlurredGroups;
  for (int i = threadIdx.x; i < kCount; i += kDeepTileThreads)
    blur_part(words, i % kBlurredGroups, i / kBlurredGroups * kBlurredPart, arguments, samples);
}

// Repeats the border pixels once around the image, for the Sobel operator.
__device__ void repeat_borders(int width, int height, Samples* samples) {
  const int left = blockIdx.x * kDeepTileWidth - kBlurredX;
  const int top = blockIdx.y * kDeepTileHeight - kBlurredY;
  if (left >= 0 && left + kBlurredWidth <= width && top >= 0 && top + kBlurredHeight <= height)
    return;
  auto* blurred = reinterpret_cast<std::uint16_t*>(samples->blurred);
  for (int i = threadIdx.x; i < kBlurredHeight * kBlurredWidth; i += kDeepTileThreads) {
    const int x = left + i % kBlurredWidth, y = top + i / kBlurredWidth;
    const int nearest_x = min(max(x, 0), width - 1), nearest_y = min(max(y, 0), height - 1);
    const int distance = max(abs(x - nearest_x), abs(y - nearest_y));
    if (distance == 1) blurred[i] = blurred[(nearest_y - top) * kBlurredWidth + nearest_x - left];
  }
}

// ---- gradient, suppression, thresholds ----

// Threads take parts of columns. Rows of pixels are kPitch samples apart; `pixels` points at the
// first one that the tile's first gradient reads.
template <Norm kNorm, int kPitch>
__device__ void gradients(const std::uint16_t* pixels, int width, int height, Words* words) {
  for (int i = threadIdx.x; i < kGradientParts * kGradientWidth; i += kDeepTileThreads) {
    const int column = i % kGradientWidth, first = i / kGradientWidth * kGradientPart;
    const int x = blockIdx.x * kDeepTileWidth + column - 1;
    const int y = blockIdx.y * kDeepTileHeight + first - 1;
    gradient_column<Op, kNorm, kPitch, kGradientPart, kGradientWidth>(
        pixels + first * kPitch + column, x >= 0 && x < width, y, height,
        &words->gradient[first][column]);
  }
}

template <bool kBlur, Norm kNorm>
__global__ void __launch_bounds__(kDeepTileThreads, kDeepTileBlocks)
    front_deep_tile_kernel(const std::uint8_t* data, std::ptrdiff_t stride, bool aligned,
                           __grid_constant__ const TileArguments arguments,
                           __grid_constant__ const DeepThresholdArguments thresholds,
                           TilePlane candidate, TilePlane strong,
                           __grid_constant__ const RegionPlane region) {
  __shared__ Samples samples;
  __shared__ Words words;
  wait_for_previous_kernel();
  start_next_kernel();
  const int width = candidate.width, height = candidate.height;
  const int x = blockIdx.x * kDeepTileWidth, y = blockIdx.y * kDeepTileHeight;
  if (is_outside(region, x, y, kDeepTileWidth, kDeepTileHeight))
    return clear_words(candidate, strong, x, y, kDeepTileWidth, kDeepTileHeight);
  const auto limits = thresholds.get();
  if constexpr (kBlur) {
    const auto mirrored = [](int i, int size) { return reflect(i, size); };
    load_luma(data, stride, aligned, width, height, arguments.words, mirrored, &samples);
    __syncthreads();
    blur_rows(samples, arguments, &words);
    __syncthreads();
    blur_columns(words, arguments, &samples);
    __syncthreads();
    repeat_borders(width, height, &samples);
    __syncthreads();
    const auto* blurred = reinterpret_cast<const std::uint16_t*>(samples.blurred);
    gradients<kNorm, kBlurredWidth>(blurred + kBlurredX - kBlurredY, width, height, &words);
  } else {
    const auto nearest = [](int i, int size) { return min(max(i, 0), size - 1); };
    load_luma(data, stride, aligned, width, height, arguments.words, nearest, &samples);
    __syncthreads();
    const auto* luma = reinterpret_cast<const std::uint16_t*>(samples.luma);
    constexpr int kFirst = (kLumaY - kBlurredY) * kLumaWidth + kLumaX - kBlurredY;
    gradients<kNorm, kLumaWidth>(luma + kFirst, width, height, &words);
  }
  __syncthreads();
  suppress<kDeepTileWidth, kDeepTileHeight, kDeepTileThreads>(words.gradient, limits, candidate,
                                                              strong);
}

// ---- host ----

// Sets byte i of the words, which was 0.
void set_byte(int i, int value, std::uint32_t* words) {
  words[i / 4] |= static_cast<std::uint32_t>(value) << 8 * (i % 4);
}

TileArguments tile_arguments(const Taps& taps, PixelFormat format) {
  TileArguments tile = {};
  tile.words = deep_words(format);
  if (taps.is_identity()) return tile;  // a tap of 256 does not fit in a byte
  const int first = kRadius - taps.radius();
  std::copy_n(taps.weight, taps.count, tile.column_taps + first);
  for (int i = 0; i < taps.count; ++i)
    for (int pixel = 0; pixel < kGroup; ++pixel)
      set_byte(first + i + pixel, taps.weight[i], tile.row_taps[pixel]);
  return tile;
}

}  // namespace

Status front_deep_tile(const FrontArguments& arguments, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const ConstFrame& input = arguments.input;
  const bool blur = !arguments.blur->is_identity();
  const auto kernel = plan.norm == Norm::kL2 ? blur ? front_deep_tile_kernel<true, Norm::kL2>
                                                    : front_deep_tile_kernel<false, Norm::kL2>
                      : blur ? front_deep_tile_kernel<true, Norm::kL1>
                                             : front_deep_tile_kernel<false, Norm::kL1>;
  const dim3 grid(blocks(input.width, kDeepTileWidth), blocks(input.height, kDeepTileHeight));
  return launcher->launch("deep tile kernel", kernel, grid, kDeepTileThreads, 0, input.data,
                          input.stride_bytes, is_aligned(input, sizeof(uint4)),
                          tile_arguments(*arguments.blur, input.format),
                          deep_threshold_arguments(plan, arguments.measured), arguments.candidate,
                          arguments.strong, arguments.region);
}

}  // namespace canny::cuda
