// SPDX-License-Identifier: LGPL-2.1-or-later
// Tiles of deep samples: 16 bits for a sample, 32 for a row sum and 64 for a gradient.
#include <algorithm>

#include "cuda/front/tile/tile.h"
#include "cuda/thresholds/thresholds.h"

namespace canny::cuda {
namespace {

constexpr int kOctet = 8;  // pixels in 16 bytes

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

struct DeepTile : tile::Shape<std::uint16_t, kDeepTileWidth, kDeepTileHeight> {
  using Thresholds = DeepThresholdArguments;
  static constexpr int kThreads = kDeepTileThreads, kBlocks = kDeepTileBlocks;
  static constexpr int kLumaOctets = kLumaWidth / kOctet;
  static_assert(kLumaWidth % kOctet == 0 && kLumaX % kOctet == 0);
  // The parts of a column that threads take.
  static constexpr int kBlurredPart = 6, kGradientParts = 2;
  static_assert(kBlurredHeight % kBlurredPart == 0);

  using LumaWord = uint4;
  union Samples {
    LumaWord luma[kLumaHeight][kLumaOctets];
    uint2 blurred[kBlurredHeight][kBlurredGroups];
  };
  union Words {
    uint4 row_sums[kLumaHeight][kBlurredGroups];  // 4 in a group
    std::uint64_t gradient[kGradientHeight][kGradientWidth];
  };

  // The part of the plan that blocks need.
  struct Arguments {
    DeepWords words;  // of the input
    tile::RowTaps row_taps;
    std::uint32_t column_taps[kTileTaps];
  };

  // Each thread loads all its words before it waits for any of them.
  template <class Inside>
  __device__ static void load_luma(const std::uint8_t* data, std::ptrdiff_t stride, bool aligned,
                                   int width, int height, const Arguments& arguments, Inside inside,
                                   Samples* samples) {
    constexpr int kCount = kLumaHeight * kLumaOctets;
    constexpr int kOwn = (kCount + kThreads - 1) / kThreads;
    const int left = blockIdx.x * kWidth - kLumaX, top = blockIdx.y * kHeight - kLumaY;
    uint4 octets[kOwn];
#pragma unroll
    for (int own = 0; own < kOwn; ++own) {
      const int i = threadIdx.x + own * kThreads;
      if (i >= kCount) break;
      const int x = left + i % kLumaOctets * kOctet;
      const std::uint8_t* row = data + inside(top + i / kLumaOctets, height) * stride;
      octets[own] = aligned && x >= 0 && x + kOctet <= width
                        ? *reinterpret_cast<const uint4*>(row + 2 * x)
                        : gather_octet(row, x, [&](int column) { return inside(column, width); });
    }
#pragma unroll
    for (int own = 0; own < kOwn; ++own) {
      const int i = threadIdx.x + own * kThreads;
      if (i >= kCount) break;
      const DeepWords& words = arguments.words;
      const uint4 octet = octets[own];
      samples->luma[i / kLumaOctets][i % kLumaOctets] = make_uint4(
          words.pair(octet.x), words.pair(octet.y), words.pair(octet.z), words.pair(octet.w));
    }
  }

  // Sums 4 pixels of a row at a time. A sum is at most 256 * 65535 and fits in 24 bits.
  __device__ static void blur_rows(const Samples& samples, const Arguments& arguments,
                                   Words* words) {
    constexpr int kLumaGroups = kLumaWidth / kGroup;
    const auto* luma = reinterpret_cast<const uint2*>(samples.luma);
    for (int i = threadIdx.x; i < kLumaHeight * kBlurredGroups; i += kThreads) {
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
        // The first two windows of 9 pixels reach into the first pair, the others into the last.
        sums[pixel] =
            pixel < 2 ? __dp2a_lo(before.x, taps[0], sum) : __dp2a_hi(after.y, taps[2], sum);
      }
      words->row_sums[row][group] = make_uint4(sums[0], sums[1], sums[2], sums[3]);
    }
  }

  // Blurs 4 columns of kBlurredPart rows and does the only rounding of the blur.
  // 256 * 256 * 65535 + 2^15 stays below 2^32.
  __device__ static void blur_part(const Words& words, int group, int first,
                                   const Arguments& arguments, Samples* samples) {
    std::uint32_t sums[kBlurredPart][kGroup];
#pragma unroll
    for (auto& row : sums)
#pragma unroll
      for (std::uint32_t& sum : row) sum = 1u << 15;
#pragma unroll
    for (int i = 0; i < kBlurredPart + 2 * tile::kRadius; ++i) {
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
  __device__ static void blur_columns(const Words& words, const Arguments& arguments,
                                      Samples* samples) {
    constexpr int kCount = kBlurredHeight / kBlurredPart * kBlurredGroups;
    for (int i = threadIdx.x; i < kCount; i += kThreads)
      blur_part(words, i % kBlurredGroups, i / kBlurredGroups * kBlurredPart, arguments, samples);
  }

  __device__ static DeepThresholds limits(const Thresholds& thresholds) { return thresholds.get(); }

  static Arguments arguments_of(const Taps& taps, PixelFormat format) {
    Arguments result = {};
    result.words = deep_words(format);
    if (taps.is_identity()) return result;  // a tap of 256 does not fit in a byte
    const int first = tile::kRadius - taps.radius();
    std::copy_n(taps.weight, taps.count, result.column_taps + first);
    for (int i = 0; i < taps.count; ++i)
      tile::set_row_taps(first + i, taps.weight[i], result.row_taps);
    return result;
  }
};

}  // namespace

Status front_deep_tile(const FrontArguments& arguments, Launcher* launcher) {
  return tile::launch_tiles<DeepTile>(
      "deep tile kernel", arguments, DeepThresholdArguments::of(arguments.plan, arguments.measured),
      launcher);
}

}  // namespace canny::cuda
