// SPDX-License-Identifier: LGPL-2.1-or-later
// The Gaussian blur of a strip: both directions are products with banded matrices of taps on the
// tensor cores.
#pragma once

#include "cuda/front/strip/luma.h"

namespace canny::cuda::strip {

// Matrix products of bytes, mma.m16n8k32. With g = lane / 4 and t = lane % 4, a lane holds
//   of A (16 x 32)  rows g and g + 8, columns 4t .. 4t + 3 and 16 + 4t .. 16 + 4t + 3,
//   of B (32 x 8)   the same rows as columns of A, column g,
//   of C (16 x 8)   rows g (first two) and g + 8, columns 2t and 2t + 1.
using FragmentA = std::uint32_t[4];
using FragmentC = std::uint32_t[4];

__device__ inline void multiply_add(const FragmentA& a, std::uint32_t b0, std::uint32_t b1,
                                    FragmentC* c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"((*c)[0]), "+r"((*c)[1]), "+r"((*c)[2]), "+r"((*c)[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

// The taps as matrices, with a row for each of 16 neighboring outputs.
template <int kReach>
struct TapMatrices {
  FragmentA row_taps[Reach<kReach>::kProducts], column_taps[Reach<kReach>::kProducts];
};

template <int kReach>
__device__ TapMatrices<kReach> tap_matrices(const TapTables& taps) {
  TapMatrices<kReach> matrices;
  const auto copy = [](const uint4& from, FragmentA& to) {
    to[0] = from.x, to[1] = from.y, to[2] = from.z, to[3] = from.w;
  };
  for (int i = 0; i < Reach<kReach>::kProducts; ++i) {
    copy(taps.rows[i][lane()], matrices.row_taps[i]);
    copy(taps.columns[i][lane()], matrices.column_taps[i]);
  }
  return matrices;
}

// The row sums of a step, at most 256 * 255, split into low and high bytes. A word holds 4 rows of
// a column.
struct RowSums {
  std::uint32_t low, high;
};

// Computes the row sums of 16 columns. A lane gets columns lane / 4 and lane / 4 + 8.
template <int kReach>
__device__ void blur_rows(const Luma<kReach>& luma, int tile, const TapMatrices<kReach>& taps,
                          RowSums* sums) {
  constexpr int kBlocks = Reach<kReach>::kBlocks;
  FragmentC product[2] = {};  // of rows 0 .. 7 and 8 .. 15
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int i = 0; i < Reach<kReach>::kProducts; ++i) {
      const int block = tile + 2 * i;
      // Beyond the last block, 0 will do: it affects only columns that nothing reads.
      multiply_add(taps.row_taps[i], luma[half][block],
                   block + 1 < kBlocks ? luma[half][block + 1] : 0, &product[half]);
    }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t upper = __byte_perm(product[0][2 * i], product[0][2 * i + 1], 0x5410);
    const std::uint32_t lower = __byte_perm(product[1][2 * i], product[1][2 * i + 1], 0x5410);
    sums[i] = {__byte_perm(upper, lower, 0x6420), __byte_perm(upper, lower, 0x7531)};
  }
}

// Computes blurred pixels of 8 columns, with 16 fractional bits and rounding, from the row sums of
// a window.
template <int kReach>
__device__ void blur_columns(const RowSums (&window)[Reach<kReach>::kWindow][2], int half,
                             const TapMatrices<kReach>& taps, FragmentC* blurred) {
  for (int i = 0; i < 4; ++i) (*blurred)[i] = 0;
#pragma unroll
  for (int i = 0; i < Reach<kReach>::kProducts; ++i)
    multiply_add(taps.column_taps[i], window[2 * i][half].high, window[2 * i + 1][half].high,
                 blurred);
  for (int i = 0; i < 4; ++i) (*blurred)[i] = (*blurred)[i] * 256 + (1u << 15);
#pragma unroll
  for (int i = 0; i < Reach<kReach>::kProducts; ++i)
    multiply_add(taps.column_taps[i], window[2 * i][half].low, window[2 * i + 1][half].low,
                 blurred);
}

// Stores the integer parts of the columns from 16 * tile - 2 on, as far as the rows have room. Each
// is paired with the column 32 further right.
__device__ inline void store_blurred(const FragmentC (&left)[2], const FragmentC (&right)[2],
                                     int tile, BlurredRows& blurred) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int first = kBlock * tile - kApron + 8 * half + kBlurredX;
    const int column = first + 2 * (lane() % 4);
    if (first >= kBlurredPitch || column >= kBlurredPitch) continue;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      uint2 words;
      words.x = __byte_perm(left[half][2 * i], right[half][2 * i], 0x7632);
      words.y = __byte_perm(left[half][2 * i + 1], right[half][2 * i + 1], 0x7632);
      *reinterpret_cast<uint2*>(&blurred[2 + 8 * i + lane() / 4][column]) = words;
    }
  }
}

// Blurs 16 columns in one step, which replaces the oldest one of the history, `slot`. The window is
// full only with kStores.
template <bool kStores, int kReach, class Memory>
__device__ void blur_tile(const Luma<kReach>& luma, const TapMatrices<kReach>& taps, int tile,
                          int slot, FragmentC (*blurred)[2], Memory* memory) {
  constexpr int kSteps = Reach<kReach>::kWindow - 1;  // of the history
  RowSums window[kSteps + 1][2];
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    const uint4 sums = memory->history[(slot + i) % kSteps][tile][lane()];
    window[i][0] = {sums.x, sums.y};
    window[i][1] = {sums.z, sums.w};
  }
  RowSums(&sums)[2] = window[kSteps];
  blur_rows<kReach>(luma, tile, taps, sums);
  memory->history[slot][tile][lane()] = {sums[0].low, sums[0].high, sums[1].low, sums[1].high};
  if constexpr (kStores)
    for (int half = 0; half < 2; ++half)
      blur_columns<kReach>(window, half, taps, &(*blurred)[half]);
}

// Tiles that share words are computed in succession. Without kStores, the step only enters the
// history.
template <bool kStores, int kReach, class Memory>
__device__ void blur(const Luma<kReach>& luma, const TapMatrices<kReach>& taps, int slot,
                     Memory* memory) {
  FragmentC a[2], b[2];
  blur_tile<kStores>(luma, taps, 0, slot, &a, memory);
  blur_tile<kStores>(luma, taps, 2, slot, &b, memory);
  if constexpr (kStores) store_blurred(a, b, 0, memory->blurred);
  blur_tile<kStores>(luma, taps, 4, slot, &a, memory);
  if constexpr (kStores) store_blurred(b, a, 2, memory->blurred);
  blur_tile<kStores>(luma, taps, 1, slot, &a, memory);
  blur_tile<kStores>(luma, taps, 3, slot, &b, memory);
  if constexpr (kStores) store_blurred(a, b, 1, memory->blurred);
}

// Copies the luma unchanged, for plans without blur.
template <int kReach>
__device__ void copy_luma(const Luma<kReach>& luma, BlurredRows& blurred) {
  constexpr int kPaired = kWarp / kBlock;  // from a block to the one 32 columns further right
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int block = 0; block + kPaired < Reach<kReach>::kBlocks; ++block) {
      const int column = kBlock * block - kReach + 4 * (lane() % 4) + kBlurredX;
      if (column < 0 || column >= kBlurredPitch) continue;
      const std::uint32_t left = luma[half][block], right = luma[half][block + kPaired];
      const std::uint32_t first = __byte_perm(left, right, 0x5140);
      const std::uint32_t second = __byte_perm(left, right, 0x7362);
      *reinterpret_cast<uint4*>(&blurred[2 + kStep / 2 * half + lane() / 4][column]) = {
          __byte_perm(first, 0, 0x4140), __byte_perm(first, 0, 0x4342),
          __byte_perm(second, 0, 0x4140), __byte_perm(second, 0, 0x4342)};
    }
  }
}

// Repeats the pixels at the left and right border for the Sobel operator.
__device__ inline void repeat_columns(const Strip& strip, BlurredRows& blurred) {
  if (lane() >= kStep) return;
  // Column c is the low half of word c + kBlurredX, or the high half of the word 32 before that.
  auto* row = reinterpret_cast<std::uint16_t*>(blurred[2 + lane()] + kBlurredX);
  if (strip.x == 0) row[2 * -1] = row[0];
  const int beyond = strip.width - strip.x;
  if (beyond > kStrip + 1) return;
  const int last = beyond - 1;
  const std::uint16_t value = last < kWarp ? row[2 * last] : row[2 * (last - kWarp) + 1];
  if (beyond <= kWarp) row[2 * beyond] = value;
  if (beyond >= kWarp) row[2 * (beyond - kWarp) + 1] = value;
}

// Repeats the image's first and last row, where the 16 rows from row y on go beyond them.
__device__ inline void repeat_rows(const Strip& strip, int y, BlurredRows& blurred) {
  auto* rows = blurred + 2 - y;
  for (int i = lane(); i < kBlurredPitch; i += kWarp) {
    if (y <= -1 && y + kStep > 0) rows[-1][i] = rows[0][i];
    if (y <= strip.height && y + kStep > strip.height)
      rows[strip.height][i] = rows[strip.height - 1][i];
  }
}

}  // namespace canny::cuda::strip
