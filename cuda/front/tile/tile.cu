// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end for at most 9 taps, in one kernel. A block turns the pixels of a tile and its apron
// into words of both planes, and intermediate results stay in shared memory. The steps are those of
// front_generic.cu, with several pixels per instruction.
#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/front.h"
#include "cuda/front/gradient.h"
#include "cuda/front/images/luma.h"
#include "cuda/front/suppress.h"
#include "cuda/geometry.h"
#include "cuda/region_tiles.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

constexpr int kRadius = kTileTaps / 2;
constexpr int kGroup = 4;  // pixels in a word, one byte each

using Op = Sobel3;
static_assert(Op::kReach == 1, "repeat_borders() repeats one pixel");

// The tile's images: their origins relative to the tile's, and their sizes, in pixels.
constexpr int kBlurredX = kGroup, kBlurredY = 1 + Op::kReach;  // apron of the blurred image
constexpr int kLumaX = kBlurredX + kRadius, kLumaY = kBlurredY + kRadius;
constexpr int kBlurredWidth = kFrontTileWidth + 2 * kBlurredX;
constexpr int kBlurredHeight = kFrontTileHeight + 2 * kBlurredY;
constexpr int kLumaWidth = kFrontTileWidth + 2 * kLumaX;
constexpr int kLumaGroups = kLumaWidth / kGroup;
constexpr int kLumaHeight = kFrontTileHeight + 2 * kLumaY;
constexpr int kBlurredGroups = kBlurredWidth / kGroup;
constexpr int kGradientWidth = kFrontTileWidth + 2;
constexpr int kGradientHeight = kFrontTileHeight + 2;
constexpr int kGradientPitch = kGradientWidth + 2;
static_assert(kBlurredWidth <= kFrontThreads, "a thread blurs a column");
static_assert(kFrontTileWidth % kWordBits == 0 && kLumaHeight % 2 == 0);

// Luma and, later, the blurred image share memory; so do row sums and, later, gradients.
union Bytes {
  std::uint32_t luma[kLumaHeight][kLumaGroups];  // 4 pixels a word
  std::uint8_t blurred[kBlurredHeight][kBlurredWidth];
};
union Words {
  std::uint32_t row_sums[kLumaHeight / 2][kBlurredWidth];   // rows 2i (low half) and 2i + 1
  std::uint32_t gradient[kGradientHeight][kGradientPitch];  // magnitude and direction
};

// The part of the plan that blocks need.
struct TileArguments {
  // The luma weight of each byte of a pixel is 256 * high + low.
  std::uint32_t luma_high, luma_low;
  int luma_shift;  // for pixels of 2 bytes
  // The taps, shifted by 0 .. 3 pixels, over the 12 bytes that 4 neighboring sums read.
  std::uint32_t row_taps[kGroup][3];
  // The taps over 5 pairs of rows, for the first and the second row of the middle pair.
  std::uint32_t column_taps[2][5];
};

// ---- luma ----

// Weights have 15 fractional bits; the sums stay below 2^23.
__device__ std::uint32_t luma_of(std::uint32_t pixel, const TileArguments& s) {
  return (__dp4a(pixel, s.luma_high, 0u) * 256 +
          __dp4a(pixel, s.luma_low, std::uint32_t{kLumaHalf})) >>
         kLumaShift;
}

__device__ std::uint32_t pack(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}

// Returns the luma of 4 pixels from aligned words.
template <int kBytes>
__device__ std::uint32_t luma_group(const std::uint8_t* pixels, const TileArguments& s) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(pixels);
  if constexpr (kBytes == 1) {
    return words[0];
  } else if constexpr (kBytes == 2) {
    return __byte_perm(words[0] >> s.luma_shift, words[1] >> s.luma_shift, 0x6420);
  } else if constexpr (kBytes == 3) {
    const std::uint32_t a = words[0], b = words[1], c = words[2];
    return pack(luma_of(a, s), luma_of(__funnelshift_r(a, b, 24), s),
                luma_of(__funnelshift_r(b, c, 16), s), luma_of(c >> 8, s));
  } else {
    return pack(luma_of(words[0], s), luma_of(words[1], s), luma_of(words[2], s),
                luma_of(words[3], s));
  }
}

// Returns the luma of the 4 pixels from column x on, read byte by byte. `inside` maps each column
// to one inside the image.
template <int kBytes, class Inside>
__device__ std::uint32_t gather_luma(const std::uint8_t* row, int x, Inside inside,
                                     const TileArguments& s) {
  std::uint32_t group = 0;
  for (int i = 0; i < kGroup; ++i) {
    const std::uint8_t* pixel = row + inside(x + i) * kBytes;
    std::uint32_t word = pixel[0];
    for (int byte = 1; byte < kBytes; ++byte) word |= std::uint32_t{pixel[byte]} << 8 * byte;
    group |= (kBytes <= 2 ? word >> s.luma_shift & 255 : luma_of(word, s)) << 8 * i;
  }
  return group;
}

// A warp loads a row at a time.
template <int kBytes, class Inside>
__device__ void load_luma(const std::uint8_t* data, std::ptrdiff_t stride, bool aligned, int width,
                          int height, const TileArguments& s, Inside inside, Bytes* tile) {
  const int left = blockIdx.x * kFrontTileWidth - kLumaX;
  const int top = blockIdx.y * kFrontTileHeight - kLumaY;
  const bool words = aligned && left >= 0 && left + kLumaGroups * kGroup <= width;
  for (int row = threadIdx.x / kWarp; row < kLumaHeight; row += kFrontThreads / kWarp) {
    const std::uint8_t* source = data + inside(top + row, height) * stride;
    for (int group = threadIdx.x % kWarp; group < kLumaGroups; group += kWarp) {
      const int x = left + group * kGroup;
      tile->luma[row][group] =
          words ? luma_group<kBytes>(source + x * kBytes, s)
                : gather_luma<kBytes>(
                      source, x, [&](int column) { return inside(column, width); }, s);
    }
  }
}

// ---- Gaussian blur ----

// Sums two rows of four pixels at a time. A sum is at most 256 * 255 and fits in 16 bits.
__device__ void blur_rows(const Bytes& bytes, const TileArguments& s, Words* words) {
  for (int i = threadIdx.x; i < kLumaHeight / 2 * kBlurredGroups; i += kFrontThreads) {
    const int pair = i / kBlurredGroups, group = i % kBlurredGroups;
    const std::uint32_t* upper = &bytes.luma[2 * pair][group];
    const std::uint32_t* lower = &bytes.luma[2 * pair + 1][group];
    for (int pixel = 0; pixel < kGroup; ++pixel) {
      std::uint32_t sums[2] = {0, 0};
      for (int j = 0; j < 3; ++j) {
        sums[0] = __dp4a(upper[j], s.row_taps[pixel][j], sums[0]);
        sums[1] = __dp4a(lower[j], s.row_taps[pixel][j], sums[1]);
      }
      words->row_sums[pair][group * kGroup + pixel] = sums[0] | sums[1] << 16;
    }
  }
}

// Each thread blurs a column, two rows at a time, and does the only rounding of the blur.
__device__ void blur_columns(const Words& words, const TileArguments& s, Bytes* bytes) {
  const int column = threadIdx.x;
  if (column >= kBlurredWidth) return;
  std::uint32_t pairs[5];
  for (int j = 0; j < 4; ++j) pairs[j + 1] = words.row_sums[j][column];
#pragma unroll
  for (int i = 0; i < kBlurredHeight / 2; ++i) {
    for (int j = 0; j < 4; ++j) pairs[j] = pairs[j + 1];
    pairs[4] = words.row_sums[i + 4][column];
    for (int row = 0; row < 2; ++row) {
      std::uint32_t sum = 1u << 15;
      for (int j = 0; j < 5; ++j) sum = __dp2a_lo(pairs[j], s.column_taps[row][j], sum);
      bytes->blurred[2 * i + row][column] = static_cast<std::uint8_t>(sum >> 16);
    }
  }
}

// Repeats the border pixels once around the image, for the Sobel operator.
__device__ void repeat_borders(int width, int height, Bytes* bytes) {
  const int left = blockIdx.x * kFrontTileWidth - kBlurredX;
  const int top = blockIdx.y * kFrontTileHeight - kBlurredY;
  if (left >= 0 && left + kBlurredWidth <= width && top >= 0 && top + kBlurredHeight <= height)
    return;
  for (int i = threadIdx.x; i < kBlurredHeight * kBlurredWidth; i += kFrontThreads) {
    const int row = i / kBlurredWidth, column = i % kBlurredWidth;
    const int x = left + column, y = top + row;
    const int nearest_x = min(max(x, 0), width - 1), nearest_y = min(max(y, 0), height - 1);
    const int distance = max(abs(x - nearest_x), abs(y - nearest_y));
    if (distance == 1)
      bytes->blurred[row][column] = bytes->blurred[nearest_y - top][nearest_x - left];
  }
}

// ---- gradient, suppression, thresholds ----

// Each thread takes a column. Rows of pixels are kPitch samples apart; `pixels` points at the first
// one that the tile's first gradient reads.
template <Norm kNorm, int kPitch>
__device__ void gradients(const std::uint8_t* pixels, int width, int height, Words* words) {
  const int column = threadIdx.x;
  if (column >= kGradientWidth) return;
  const int x = blockIdx.x * kFrontTileWidth + column - 1, y = blockIdx.y * kFrontTileHeight - 1;
  gradient_column<Op, kNorm, kPitch, kGradientHeight, kGradientPitch>(
      pixels + column, x >= 0 && x < width, y, height, &words->gradient[0][column]);
}

template <int kBytes, bool kBlur, Norm kNorm>
__global__ void __launch_bounds__(kFrontThreads, kFrontBlocks)
    front_tile_kernel(const std::uint8_t* data, std::ptrdiff_t stride, bool aligned,
                      __grid_constant__ const TileArguments arguments, Thresholds thresholds,
                      TilePlane candidate, TilePlane strong,
                      __grid_constant__ const RegionPlane region) {
  __shared__ Bytes bytes;
  __shared__ Words words;
  wait_for_previous_kernel();
  start_next_kernel();
  const int width = candidate.width, height = candidate.height;
  const int x = blockIdx.x * kFrontTileWidth, y = blockIdx.y * kFrontTileHeight;
  if (is_outside(region, x, y, kFrontTileWidth, kFrontTileHeight))
    return clear_words(candidate, strong, x, y, kFrontTileWidth, kFrontTileHeight);
  if constexpr (kBlur) {
    const auto mirrored = [](int i, int size) { return reflect(i, size); };
    load_luma<kBytes>(data, stride, aligned, width, height, arguments, mirrored, &bytes);
    __syncthreads();
    blur_rows(bytes, arguments, &words);
    __syncthreads();
    blur_columns(words, arguments, &bytes);
    __syncthreads();
    repeat_borders(width, height, &bytes);
    __syncthreads();
    gradients<kNorm, kBlurredWidth>(&bytes.blurred[0][kBlurredX - kBlurredY], width, height,
                                    &words);
  } else {
    const auto nearest = [](int i, int size) { return min(max(i, 0), size - 1); };
    load_luma<kBytes>(data, stride, aligned, width, height, arguments, nearest, &bytes);
    __syncthreads();
    constexpr int kFirst = (kLumaY - kBlurredY) * kLumaWidth + kLumaX - kBlurredY;
    const auto* luma = reinterpret_cast<const std::uint8_t*>(bytes.luma);
    gradients<kNorm, kLumaWidth>(luma + kFirst, width, height, &words);
  }
  __syncthreads();
  suppress<kFrontTileWidth, kFrontTileHeight, kFrontThreads>(words.gradient, thresholds, candidate,
                                                             strong);
}

// ---- host ----

// Sets byte i of the words, which was 0.
void set_byte(int i, int value, std::uint32_t* words) {
  words[i / 4] |= static_cast<std::uint32_t>(value) << 8 * (i % 4);
}

TileArguments tile_arguments(const Taps& taps, PixelFormat format) {
  TileArguments tile = {};
  const PixelLayout& at = layout(format);
  tile.luma_shift = at.shift;
  const LumaWeights weights = luma_weights(at);
  for (int i = 0; i < 4; ++i) {
    set_byte(i, weights.byte[i] / 256, &tile.luma_high);
    set_byte(i, weights.byte[i] % 256, &tile.luma_low);
  }
  for (int i = 0; i < taps.count; ++i) {
    const int tap = i + kRadius - taps.radius();
    for (int pixel = 0; pixel < kGroup; ++pixel)
      set_byte(tap + pixel, taps.weight[i], tile.row_taps[pixel]);
    for (int row = 0; row < 2; ++row)
      set_byte((tap + row) % 2, taps.weight[i], &tile.column_taps[row][(tap + row) / 2]);
  }
  return tile;
}

template <int kBytes>
auto choose_kernel(bool blur, Norm norm) {
  if (norm == Norm::kL2)
    return blur ? front_tile_kernel<kBytes, true, Norm::kL2>
                : front_tile_kernel<kBytes, false, Norm::kL2>;
  return blur ? front_tile_kernel<kBytes, true, Norm::kL1>
              : front_tile_kernel<kBytes, false, Norm::kL1>;
}

}  // namespace

Status front_tile(const FrontArguments& arguments, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const ConstFrame& input = arguments.input;
  const int pixel_bytes = layout(input.format).bytes;
  // A middle tap of 256 does not fit in a byte, but means that there is no blur.
  const bool blur = !arguments.blur->is_identity();
  const auto kernel = pixel_bytes == 1   ? choose_kernel<1>(blur, plan.norm)
                      : pixel_bytes == 2 ? choose_kernel<2>(blur, plan.norm)
                      : pixel_bytes == 3 ? choose_kernel<3>(blur, plan.norm)
                                         : choose_kernel<4>(blur, plan.norm);
  const dim3 grid(blocks(input.width, kFrontTileWidth), blocks(input.height, kFrontTileHeight));
  return launcher->launch("tile kernel", kernel, grid, kFrontThreads, 0, input.data,
                          input.stride_bytes, is_word_aligned(input),
                          tile_arguments(*arguments.blur, input.format), plan.thresholds,
                          arguments.candidate, arguments.strong, arguments.region);
}

}  // namespace canny::cuda
