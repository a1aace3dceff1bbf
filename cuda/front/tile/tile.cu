// SPDX-License-Identifier: LGPL-2.1-or-later
// Tiles of 8-bit samples, computed from pixels of 1 to 4 bytes: a word holds 4 samples, two row
// sums or a gradient.
#include "cuda/front/tile/tile.h"

#include "canny/frame.h"
#include "cuda/front/luma_words.h"

namespace canny::cuda {
namespace {

// The part of the plan that blocks need.
struct ByteArguments {
  LumaWords luma;
  tile::RowTaps row_taps;
  // The taps over 5 pairs of rows, for the first and the second row of the middle pair.
  std::uint32_t column_taps[2][5];
};

// ---- luma ----

// Returns the luma of 4 pixels from aligned words.
template <int kBytes>
__device__ std::uint32_t luma_group(const std::uint8_t* pixels, const LumaWords& weights) {
  std::uint32_t words[kBytes];
  for (int i = 0; i < kBytes; ++i) words[i] = reinterpret_cast<const std::uint32_t*>(pixels)[i];
  return luma_of<kBytes>(words, weights);
}

// Returns the luma of the 4 pixels from column x on, read byte by byte. `inside` maps each column
// to one inside the image.
template <int kBytes, class Inside>
__device__ std::uint32_t gather_luma(const std::uint8_t* row, int x, Inside inside,
                                     const LumaWords& weights) {
  std::uint32_t group = 0;
  for (int i = 0; i < kGroup; ++i) {
    const std::uint8_t* pixel = row + inside(x + i) * kBytes;
    std::uint32_t word = pixel[0];
    for (int byte = 1; byte < kBytes; ++byte) word |= std::uint32_t{pixel[byte]} << 8 * byte;
    group |= luma_of_pixel<kBytes>(word, weights) << 8 * i;
  }
  return group;
}

// ---- the tile ----

template <int kBytes>
struct ByteTile : tile::Shape<std::uint8_t, kFrontTileWidth, kFrontTileHeight> {
  using Thresholds = canny::Thresholds;
  using Arguments = ByteArguments;
  static constexpr int kThreads = kFrontThreads, kBlocks = kFrontBlocks;
  static constexpr int kLumaGroups = kLumaWidth / kGroup, kGradientParts = 1;
  static_assert(kBlurredWidth <= kThreads, "a thread blurs a column");
  static_assert(kLumaHeight % 2 == 0);

  using LumaWord = std::uint32_t;
  union Samples {
    LumaWord luma[kLumaHeight][kLumaGroups];  // 4 pixels a word
    std::uint8_t blurred[kBlurredHeight][kBlurredWidth];
  };
  union Words {
    std::uint32_t row_sums[kLumaHeight / 2][kBlurredWidth];       // rows 2i (low half) and 2i + 1
    std::uint32_t gradient[kGradientHeight][kGradientWidth + 2];  // magnitude and direction
  };

  // A warp loads a row at a time.
  template <class Inside>
  __device__ static void load_luma(const std::uint8_t* data, std::ptrdiff_t stride, bool aligned,
                                   int width, int height, const ByteArguments& s, Inside inside,
                                   Samples* samples) {
    const int left = blockIdx.x * kWidth - kLumaX, top = blockIdx.y * kHeight - kLumaY;
    const auto column_inside = [&](int column) { return inside(column, width); };
    const bool words = aligned && left >= 0 && left + kLumaWidth <= width;
    for (int row = threadIdx.x / kWarp; row < kLumaHeight; row += kThreads / kWarp) {
      const std::uint8_t* pixels = data + inside(top + row, height) * stride;
      for (int group = threadIdx.x % kWarp; group < kLumaGroups; group += kWarp) {
        const int x = left + group * kGroup;
        samples->luma[row][group] = words ? luma_group<kBytes>(pixels + x * kBytes, s.luma)
                                          : gather_luma<kBytes>(pixels, x, column_inside, s.luma);
      }
    }
  }

  // Sums two rows of four pixels at a time. A sum is at most 256 * 255 and fits in 16 bits.
  __device__ static void blur_rows(const Samples& samples, const ByteArguments& s, Words* words) {
    for (int i = threadIdx.x; i < kLumaHeight / 2 * kBlurredGroups; i += kThreads) {
      const int pair = i / kBlurredGroups, group = i % kBlurredGroups;
      const std::uint32_t* upper = &samples.luma[2 * pair][group];
      const std::uint32_t* lower = &samples.luma[2 * pair + 1][group];
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
  __device__ static void blur_columns(const Words& words, const ByteArguments& s,
                                      Samples* samples) {
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
        samples->blurred[2 * i + row][column] = static_cast<std::uint8_t>(sum >> 16);
      }
    }
  }

  __device__ static Thresholds limits(const Thresholds& thresholds) { return thresholds; }

  static Arguments arguments_of(const Taps& taps, PixelFormat format) {
    Arguments result = {};
    result.luma = luma_words(layout(format), kLumaWeights);
    for (int i = 0; i < taps.count; ++i) {
      const int tap = i + tile::kRadius - taps.radius();
      tile::set_row_taps(tap, taps.weight[i], result.row_taps);
      for (int row = 0; row < 2; ++row)
        set_byte((tap + row) % 2, taps.weight[i], &result.column_taps[row][(tap + row) / 2]);
    }
    return result;
  }
};

}  // namespace

Status front_tile(const FrontArguments& arguments, Launcher* launcher) {
  const int pixel_bytes = layout(arguments.input.format).bytes;
  const auto launch = pixel_bytes == 1   ? tile::launch_tiles<ByteTile<1>>
                      : pixel_bytes == 2 ? tile::launch_tiles<ByteTile<2>>
                      : pixel_bytes == 3 ? tile::launch_tiles<ByteTile<3>>
                                         : tile::launch_tiles<ByteTile<4>>;
  return launch("tile kernel", arguments, arguments.plan.constant.thresholds, launcher);
}

}  // namespace canny::cuda
