// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end at full speed, for compute capability 9.0 and up: a warp turns a strip of 64
// columns into words of both planes, marching down 16 rows at a time, while the next 16 rows are on
// their way to shared memory. Both passes of the Gaussian blur are products with banded matrices of
// taps on the tensor cores; the Sobel operator runs on two pixels an instruction; suppression runs
// only where a magnitude exceeds the low threshold.
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>

#include "canny/constants.h"
#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front.h"
#include "cuda/geometry.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

constexpr int kStrip = 2 * kWarp;  // columns: a lane has those of its number and 32 further right
constexpr int kStep = 16;          // rows
constexpr int kBlock = 16;         // columns of luma, 4 a lane
constexpr int kApron = 2;          // columns and rows beside a strip that are blurred too

// What the warps need of the plan.
struct StripArguments {
  // The weights of a pixel's bytes, 16 fractional bits, in pairs: bytes 0 and 1; 2 and 3 (or
  // nothing); nothing and 0; 1 and 2. The last two serve pixels of 3 bytes.
  std::uint32_t luma01, luma23, luma_0, luma12;
  int luma_shift;  // of pixels of 2 bytes
  TapTables taps;
  float low, high;  // in the units of the magnitude
};

// The sizes that follow from how far the blur looks: that of 16 columns (rows) is made of a window
// of kReach more on each side.
template <int kReach>
struct Reach {
  static constexpr int kRadius = kReach - kApron;                 // of the taps at most
  static constexpr int kProducts = (kStep + 2 * kReach) / 32;     // of 32 samples each
  static constexpr int kWindow = 2 * kProducts;                   // in blocks of columns or steps
  static constexpr int kBlocks = (kStrip + 2 * kReach) / kBlock;  // of a strip
};

// Blurred pixels: 5 products of 16 columns cover those from -2 to 77 of a strip. A word holds a
// column from -4 on (low half) and the one 32 further right. Two rows are those of the step before.
constexpr int kBlurTiles = 5;
constexpr int kBlurredX = 4;
constexpr int kBlurredPitch = kWarp + 2 * kBlurredX;  // words
using BlurredRows = std::uint32_t[kStep + 2][kBlurredPitch];
// Rows that are suppressed together, with one more row above and below, and their magnitudes, of
// columns -1 to 64.
constexpr int kChunk = 4;
constexpr int kMagnitudePitch = kStrip + 4;
using MagnitudeRows = float[kChunk + 2][kMagnitudePitch];
// Candidate and strong bits.
using StripWords = uint2[kStep][2];

// The 16 rows of pixels that are blurred next, as they lie in the input, copied in units of 16
// bytes, by a lane for each unit of a row. Rows that begin between two units are one longer.
template <int kBytes, int kReach, bool kAligned>
struct RawRows {
  static constexpr int kUnit = 16;
  static constexpr int kBefore = (kReach * kBytes + kUnit - 1) / kUnit * kUnit;  // the strip
  static constexpr int kUnits =
      (kBefore + (kStrip + kReach) * kBytes + kUnit - 1) / kUnit + (kAligned ? 0 : 1);
  static constexpr int kRowLanes = kUnits <= 8 ? 8 : kUnits <= 16 ? 16 : 32;
  // The pixels that lanes read at a time, 4 of each of 8 rows, are then in different banks.
  static constexpr int kBanks = 128;  // bytes
  static constexpr int kShift = kBytes == 4 ? 64 : kBytes == 2 ? 32 : 16;
  static constexpr int kPitch =
      kUnits * kUnit + (2 * kBanks - kUnits * kUnit % kBanks + kShift) % kBanks;
  static_assert(kUnits <= kWarp && kPitch % kBanks == kShift);
  alignas(kUnit) std::uint8_t bytes[kStep][kPitch];
};

template <int kBytes, int kReach, bool kAligned>
struct StripMemory {
  RawRows<kBytes, kReach, kAligned> raw;
  // Row sums of the steps before, a lane's own: low and high bytes of two columns.
  uint4 history[Reach<kReach>::kWindow - 1][kBlurTiles][kWarp];
  alignas(16) BlurredRows blurred;
  MagnitudeRows magnitude;
  alignas(16) StripWords words;
};

// Where a warp is.
struct Strip {
  int x;  // its first column
  int width, height;
  bool border;  // whether it looks beyond the left or right border
};

__device__ int lane() { return threadIdx.x; }

// ---- luma ----

// A lane has 4 pixels of each block in rows lane / 4 and 8 + lane / 4 of a step. These words hold
// their luma, as the matrix products of the blur want it.
template <int kReach>
using Luma = std::uint32_t[2][Reach<kReach>::kBlocks];

// Byte 2 of each of four sums, which is their integer part.
__device__ std::uint32_t integer_parts(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                       std::uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0062), __byte_perm(c, d, 0x0062), 0x5410);
}

// The luma of 4 pixels.
template <int kBytes>
__device__ std::uint32_t luma_of(const std::uint32_t (&words)[kBytes], const StripArguments& s) {
  constexpr std::uint32_t kHalf = 1u << 15;
  if constexpr (kBytes == 1) {
    return words[0];
  } else if constexpr (kBytes == 2) {
    return __byte_perm(words[0] >> s.luma_shift, words[1] >> s.luma_shift, 0x6420);
  } else if constexpr (kBytes == 3) {
    const std::uint32_t a = words[0], b = words[1], c = words[2];
    return integer_parts(__dp2a_hi(s.luma23, a, __dp2a_lo(s.luma01, a, kHalf)),
                         __dp2a_lo(s.luma12, b, __dp2a_hi(s.luma_0, a, kHalf)),
                         __dp2a_lo(s.luma23, c, __dp2a_hi(s.luma01, b, kHalf)),
                         __dp2a_hi(s.luma12, c, __dp2a_lo(s.luma_0, c, kHalf)));
  } else {
    std::uint32_t sums[4];
    for (int i = 0; i < 4; ++i)
      sums[i] = __dp2a_hi(s.luma23, words[i], __dp2a_lo(s.luma01, words[i], kHalf));
    return integer_parts(sums[0], sums[1], sums[2], sums[3]);
  }
}

// The words of 4 pixels, or if these are not aligned, out of the aligned words around them.
template <int kBytes, bool kAligned>
__device__ void load_pixels(const std::uint8_t* pixels, std::uint32_t (&words)[kBytes]) {
  if constexpr (!kAligned) {
    const int before = static_cast<int>(reinterpret_cast<std::uintptr_t>(pixels) % 4);
    const auto* from = reinterpret_cast<const std::uint32_t*>(pixels - before);
    std::uint32_t loaded[kBytes + 1];
#pragma unroll
    for (int i = 0; i <= kBytes; ++i) loaded[i] = from[i];
#pragma unroll
    for (int i = 0; i < kBytes; ++i)
      words[i] = __funnelshift_r(loaded[i], loaded[i + 1], 8 * before);
  } else if constexpr (kBytes == 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(pixels);
    words[0] = four.x, words[1] = four.y, words[2] = four.z, words[3] = four.w;
  } else {
#pragma unroll
    for (int i = 0; i < kBytes; ++i) words[i] = reinterpret_cast<const std::uint32_t*>(pixels)[i];
  }
}

// The part of the input that a strip looks at.
template <int kBytes, int kReach, bool kAligned>
struct Source {
  using Raw = RawRows<kBytes, kReach, kAligned>;
  const std::uint8_t* data;
  std::ptrdiff_t stride;
  int width, height;
  int x;  // first column of the strip

  // Row y, mirrored at the upper and lower border.
  __device__ const std::uint8_t* row(int y) const { return data + reflect(y, height) * stride; }
  // Whether the units of the strip go beyond the end of a row.
  __device__ bool reaches_end() const {
    return x * kBytes - Raw::kBefore + Raw::kUnits * Raw::kUnit > width * kBytes;
  }
  __device__ bool has_rows(int y) const { return y >= 0 && y + kStep <= height; }
  // How far a row begins behind the unit that it begins in.
  __device__ static int shift(const std::uint8_t* row) {
    return kAligned ? 0 : static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % Raw::kUnit);
  }
  // Where the strip's first pixel is in a row of units.
  __device__ static int first_byte(const std::uint8_t* row) { return Raw::kBefore + shift(row); }
};

// Begins to copy 16 bytes to shared memory.
__device__ void copy_unit(std::uint8_t* to, const std::uint8_t* from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
#endif
}

// Returns when this lane's copies are there.
__device__ void wait_for_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Copies the bytes of those units byte by byte of which not all are in their row: at its begin or
// at its end, if the strip reaches there.
template <int kBytes, int kReach, bool kAligned>
__device__ void copy_ends(const Source<kBytes, kReach, kAligned>& source, int y,
                          RawRows<kBytes, kReach, kAligned>* raw) {
  using Raw = RawRows<kBytes, kReach, kAligned>;
  constexpr int kRows = kWarp / Raw::kUnit;  // at a time
  const int row_bytes = source.width * kBytes;
#pragma unroll 4
  for (int i = 0; i < kStep; i += kRows) {
    const int to = i + lane() / Raw::kUnit, byte = lane() % Raw::kUnit;
    const std::uint8_t* row = source.row(y + to);
    const int shift = source.shift(row);
    const auto copy = [&](int at) {
      const int to_byte = source.first_byte(row) - source.x * kBytes + at;
      if (at >= 0 && at < row_bytes && to_byte < Raw::kUnits * Raw::kUnit)
        raw->bytes[to][to_byte] = row[at];
    };
    if (source.x == 0 && shift != 0) copy(byte - shift);
    if (source.reaches_end()) copy((row_bytes + shift) / Raw::kUnit * Raw::kUnit - shift + byte);
  }
}

// Begins to copy what exists of the 16 rows from row y on, mirrored at the upper and lower border.
template <int kBytes, int kReach, bool kAligned>
__device__ void copy_rows(const Source<kBytes, kReach, kAligned>& source, int y,
                          RawRows<kBytes, kReach, kAligned>* raw) {
  using Raw = RawRows<kBytes, kReach, kAligned>;
  constexpr int kRows = kWarp / Raw::kRowLanes;  // at a time
  const int unit = lane() % Raw::kRowLanes, first = lane() / Raw::kRowLanes;
  std::uint8_t* to = raw->bytes[first] + unit * Raw::kUnit;
  const auto copy = [&](int i, const std::uint8_t* row) {
    const int offset = source.x * kBytes - Raw::kBefore + unit * Raw::kUnit - source.shift(row);
    if (unit < Raw::kUnits && offset >= 0 && offset + Raw::kUnit <= source.width * kBytes)
      copy_unit(to + i * Raw::kPitch, row + offset);
  };
  if (source.has_rows(y)) {
    const std::uint8_t* row = source.data + (y + first) * source.stride;
#pragma unroll
    for (int i = 0; i < kStep; i += kRows, row += kRows * source.stride) copy(i, row);
  } else {
#pragma unroll 1
    for (int i = 0; i < kStep; i += kRows) copy(i, source.row(y + first + i));
  }
}

// Mirrors the 16 rows from row y on at the left and right border. What is mirrored is there: where
// a strip does not begin at column 0, the image is wider than any reach.
template <int kBytes, int kReach, bool kAligned>
__device__ void mirror_columns(const Source<kBytes, kReach, kAligned>& source, int y,
                               RawRows<kBytes, kReach, kAligned>* raw) {
#pragma unroll 2
  for (int i = lane(); i < kStep * kReach; i += kWarp) {
    const int distance = 1 + i % kReach;
    std::uint8_t* column_0 =
        raw->bytes[i / kReach] + source.first_byte(source.row(y + i / kReach)) - source.x * kBytes;
    const auto mirror = [&](int x) {
      const int from = reflect(x, source.width) * kBytes;
#pragma unroll
      for (int byte = 0; byte < kBytes; ++byte) column_0[x * kBytes + byte] = column_0[from + byte];
    };
    if (source.x == 0) mirror(-distance);
    const int right = source.width - 1 + distance;
    if (right < source.x + kStrip + kReach) mirror(right);
  }
}

// The luma of a lane's pixels in the 16 rows from row y on.
template <int kBytes, int kReach, bool kAligned>
__device__ void load_luma(const Source<kBytes, kReach, kAligned>& source, int y,
                          const StripArguments& s, const RawRows<kBytes, kReach, kAligned>& raw,
                          Luma<kReach>& luma) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane() / 4 + kStep / 2 * half;
    const std::uint8_t* pixels = raw.bytes[row] + (lane() % 4 * 4 - kReach) * kBytes;
    pixels += kAligned ? raw.kBefore : source.first_byte(source.row(y + row));
#pragma unroll
    for (int block = 0; block < Reach<kReach>::kBlocks; ++block) {
      std::uint32_t words[kBytes];
      load_pixels<kBytes, kAligned>(pixels + kBlock * kBytes * block, words);
      luma[half][block] = luma_of<kBytes>(words, s);
    }
  }
}

// ---- Gaussian blur ----

// Matrix products of bytes, mma.m16n8k32. With g = lane / 4 and t = lane % 4 a lane holds
//   of A (16 x 32)  rows g and g + 8, columns 4t .. 4t + 3 and 16 + 4t .. 16 + 4t + 3,
//   of B (32 x 8)   the same rows as columns of A, column g,
//   of C (16 x 8)   rows g (first two) and g + 8, columns 2t and 2t + 1.
using FragmentA = std::uint32_t[4];
using FragmentC = std::uint32_t[4];

__device__ void multiply_add(const FragmentA& a, std::uint32_t b0, std::uint32_t b1, FragmentC* c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"((*c)[0]), "+r"((*c)[1]), "+r"((*c)[2]), "+r"((*c)[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

// The taps as matrices, a row for each of 16 neighbours.
template <int kReach>
struct TapMatrices {
  FragmentA row_taps[Reach<kReach>::kProducts], column_taps[Reach<kReach>::kProducts];
};

template <int kReach>
__device__ TapMatrices<kReach> tap_matrices(const StripArguments& s) {
  TapMatrices<kReach> matrices;
  const auto copy = [](const uint4& from, FragmentA& to) {
    to[0] = from.x, to[1] = from.y, to[2] = from.z, to[3] = from.w;
  };
  for (int i = 0; i < Reach<kReach>::kProducts; ++i) {
    copy(s.taps.rows[i][lane()], matrices.row_taps[i]);
    copy(s.taps.columns[i][lane()], matrices.column_taps[i]);
  }
  return matrices;
}

// The row sums of a step, at most 256 * 255, as their low and high bytes: 4 rows of a column a
// word.
struct RowSums {
  std::uint32_t low, high;
};

// Row sums of 16 columns: of column lane / 4 and of that plus 8.
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
      // The last block of the last tile only makes columns that nothing looks at.
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

// Blurred pixels of 8 columns with 16 fractional bits, rounded, from the row sums of a window.
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

// Stores columns 16 * tile - 2 on, as far as they have a place, and those 32 further right: integer
// parts side by side.
__device__ void store_blurred(const FragmentC (&left)[2], const FragmentC (&right)[2], int tile,
                              BlurredRows& blurred) {
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

// A step of the blur of 16 columns; `slot` is the oldest step of the history, whose place this one
// takes. Only with `store` the window is full.
template <int kBytes, int kReach, bool kAligned>
__device__ void blur_tile(const Luma<kReach>& luma, const TapMatrices<kReach>& taps, int tile,
                          int slot, bool store, FragmentC (*blurred)[2],
                          StripMemory<kBytes, kReach, kAligned>* memory) {
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
  if (!store) return;
  for (int half = 0; half < 2; ++half) blur_columns<kReach>(window, half, taps, &(*blurred)[half]);
}

// Tiles that share words follow one another.
template <int kBytes, int kReach, bool kAligned>
__device__ void blur(const Luma<kReach>& luma, const TapMatrices<kReach>& taps, int slot,
                     bool store, StripMemory<kBytes, kReach, kAligned>* memory) {
  FragmentC a[2], b[2];
  blur_tile(luma, taps, 0, slot, store, &a, memory);
  blur_tile(luma, taps, 2, slot, store, &b, memory);
  if (store) store_blurred(a, b, 0, memory->blurred);
  blur_tile(luma, taps, 4, slot, store, &a, memory);
  if (store) store_blurred(b, a, 2, memory->blurred);
  blur_tile(luma, taps, 1, slot, store, &a, memory);
  blur_tile(luma, taps, 3, slot, store, &b, memory);
  if (store) store_blurred(a, b, 1, memory->blurred);
}

// Without blur: the luma as it is.
template <int kReach>
__device__ void copy_luma(const Luma<kReach>& luma, BlurredRows& blurred) {
  constexpr int kPaired = kWarp / kBlock;  // a block and the one that is 32 columns further right
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

// The Sobel operator sees the pixels at the left and right border repeated.
__device__ void repeat_columns(const Strip& strip, BlurredRows& blurred) {
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

// And those in the first and last row, of 16 rows from row y on.
__device__ void repeat_rows(const Strip& strip, int y, BlurredRows& blurred) {
  auto* rows = blurred + 2 - y;
  for (int i = lane(); i < kBlurredPitch; i += kWarp) {
    if (y <= -1 && y + kStep > 0) rows[-1][i] = rows[0][i];
    if (y <= strip.height && y + kStep > strip.height)
      rows[strip.height][i] = rows[strip.height - 1][i];
  }
}

// ---- gradient, suppression, thresholds ----

// Differences and sums across three columns: of a column (low half) and the one 32 further right.
// Samples are integers in the bits of a half, which reads them as multiples of 2^-24; up to 2048
// such sums are exact.
struct RowGradient {
  __half2 difference, sum;
};

__device__ __half2 halves(std::uint32_t word) { return *reinterpret_cast<const __half2*>(&word); }

__device__ RowGradient row_gradient(const std::uint32_t* word) {
  const __half2 left = halves(word[-1]), middle = halves(word[0]), right = halves(word[1]);
  return {__hsub2(right, left), __hfma2(middle, __float2half2_rn(2.0f), __hadd2(left, right))};
}

struct Gradient {
  __half2 x, y;
};

__device__ Gradient gradient(const RowGradient& above, const RowGradient& here,
                             const RowGradient& below) {
  return {
      __hfma2(here.difference, __float2half2_rn(2.0f), __hadd2(above.difference, below.difference)),
      __hsub2(below.sum, above.sum)};
}

// At most 2 * 1020^2 < 2^24 units: exact.
template <Norm kNorm>
__device__ float magnitude_of(float x, float y) {
  return kNorm == Norm::kL2 ? x * x + y * y : fabsf(x) + fabsf(y);
}

// The magnitude of column -1 or 64 in one of the 16 rows from row y on.
struct Beside {
  __device__ static int row() { return lane() % kStep; }
  __device__ static bool right() { return lane() >= kStep; }
};

template <Norm kNorm>
__device__ float magnitude_beside(const Strip& strip, int y, const BlurredRows& blurred) {
  const bool right = Beside::right();
  const int x = strip.x + (right ? kStrip : -1);
  y += Beside::row();
  const bool outside = x < 0 || x >= strip.width || y < 0 || y >= strip.height;
  const std::uint32_t* word = &blurred[Beside::row()][kBlurredX + (right ? kWarp : -1)];
  const Gradient g = gradient(row_gradient(word), row_gradient(word + kBlurredPitch),
                              row_gradient(word + 2 * kBlurredPitch));
  const float m = right ? magnitude_of<kNorm>(__high2float(g.x), __high2float(g.y))
                        : magnitude_of<kNorm>(__low2float(g.x), __low2float(g.y));
  return outside ? 0 : m;
}

// The gradient of a pixel, and its magnitude.
struct Pixel {
  float x, y, magnitude;
};

// A lane's pixels of a row: in the left and in the right half of the strip.
using PixelPair = Pixel[2];

template <Norm kNorm>
__device__ Pixel pixel_of(const Gradient& g, int half) {
  Pixel pixel;
  pixel.x = half == 0 ? __low2float(g.x) : __high2float(g.x);
  pixel.y = half == 0 ? __low2float(g.y) : __high2float(g.y);
  pixel.magnitude = magnitude_of<kNorm>(pixel.x, pixel.y);
  return pixel;
}

// What goes from a step to the next.
struct Carried {
  PixelPair last;   // the last row
  float before[2];  // the magnitudes of the one before
  float beside;     // magnitude_beside()
};

// Whether a pixel is a candidate; `here` points at its magnitude. fp32 decides as exact arithmetic
// does for all |x|, |y| <= 1020.
__device__ bool is_candidate(const float* here, const Pixel& pixel, float low) {
  constexpr int kDown = sizeof(float) * kMagnitudePitch, kRight = sizeof(float);
  constexpr float kFlat = static_cast<float>(kTangent) / (1 << kTangentShift), kSteep = kFlat + 2;
  const float m = pixel.magnitude;
  const bool vertical = fabsf(pixel.y) > fabsf(pixel.x) * kSteep;
  const bool axial = vertical || fabsf(pixel.y) < fabsf(pixel.x) * kFlat;
  const bool rising = (__float_as_int(pixel.x) ^ __float_as_int(pixel.y)) < 0;
  const int along_axis = vertical ? kDown : kRight;
  const int across = axial ? along_axis : rising ? kDown - kRight : kDown + kRight;
  const auto* bytes = reinterpret_cast<const char*>(here);
  const float before = *reinterpret_cast<const float*>(bytes - across);
  const float after = *reinterpret_cast<const float*>(bytes + across);
  return (axial || m > after) && m >= after && m > before && m > low;
}

// Clears those magnitudes of kChunk + 2 rows from row y on that are outside the image.
__device__ void clear_outside(const Strip& strip, int y, MagnitudeRows& magnitude) {
#pragma unroll 1
  for (int i = 0; i < kChunk + 2; ++i) {
    const bool row_is_outside = y + i < 0 || y + i >= strip.height;
    const int columns = strip.width - strip.x;
    if (row_is_outside || lane() >= columns) magnitude[i][1 + lane()] = 0;
    if (row_is_outside || lane() + kWarp >= columns) magnitude[i][1 + lane() + kWarp] = 0;
  }
}

// The words of half of a strip for the first kChunk of `rows`, where any magnitude exceeds the low
// threshold; the others are 0 already. Bits of pixels outside the image are not meant to be right.
__device__ void suppress_chunk(const StripArguments& s, int half,
                               const PixelPair (&rows)[kChunk + 1], const MagnitudeRows& magnitude,
                               uint2 (*words)[2]) {
  float largest = rows[0][half].magnitude;
#pragma unroll
  for (int i = 1; i < kChunk; ++i) largest = fmaxf(largest, rows[i][half].magnitude);
  if (!__any_sync(~0u, largest > s.low)) return;
  const float* here = &magnitude[1][1 + lane() + half * kWarp];
#pragma unroll
  for (int i = 0; i < kChunk; ++i) {
    const bool kept = is_candidate(here + i * kMagnitudePitch, rows[i][half], s.low);
    const bool strong = kept && rows[i][half].magnitude > s.high;
    const uint2 bits = {__ballot_sync(~0u, kept), __ballot_sync(~0u, strong)};
    if (lane() == 0) words[i][half] = bits;
  }
}

// Takes 16 rows of blurred pixels from row y on to the words of rows y - 2 .. y + 13.
template <Norm kNorm>
__device__ void suppress_rows(const Strip& strip, int y, const StripArguments& s, Carried* carried,
                              const BlurredRows& blurred, MagnitudeRows& magnitude,
                              StripWords& words) {
  const bool inside = !strip.border && y >= 1 && y + kStep <= strip.height + 1;
  const std::uint32_t* word = &blurred[0][kBlurredX + lane()];
  RowGradient above = row_gradient(word), here = row_gradient(word + kBlurredPitch);
  const float beside = magnitude_beside<kNorm>(strip, y - 1, blurred);
  float* place = &magnitude[0][Beside::right() ? kStrip + 1 : 0];
  if (Beside::row() >= kStep - 2)
    place[(Beside::row() - (kStep - 2)) * kMagnitudePitch] = carried->beside;
  carried->beside = beside;
#pragma unroll 1
  for (int first = 0; first < kStep; first += kChunk) {
    Gradient gradients[kChunk];
#pragma unroll
    for (int i = 0; i < kChunk; ++i) {
      const RowGradient below = row_gradient(word + (2 + first + i) * kBlurredPitch);
      gradients[i] = gradient(above, here, below);
      above = here;
      here = below;
    }
    PixelPair rows[kChunk + 1];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      rows[0][half] = carried->last[half];
#pragma unroll
      for (int i = 0; i < kChunk; ++i) rows[i + 1][half] = pixel_of<kNorm>(gradients[i], half);
      float* stored = &magnitude[0][1 + lane() + half * kWarp];
      stored[0] = carried->before[half];
#pragma unroll
      for (int i = 0; i <= kChunk; ++i) stored[(1 + i) * kMagnitudePitch] = rows[i][half].magnitude;
      carried->before[half] = rows[kChunk - 1][half].magnitude;
      carried->last[half] = rows[kChunk][half];
    }
    const int row = 2 + Beside::row() - first;
    if (row >= 0 && row < kChunk + 2) place[row * kMagnitudePitch] = beside;
    if (!inside) clear_outside(strip, y + first - 3, magnitude);
    __syncwarp();
#pragma unroll
    for (int half = 0; half < 2; ++half) suppress_chunk(s, half, rows, magnitude, words + first);
    __syncwarp();
  }
}

// The bits of a word that begins at column x, without those of pixels that do not exist.
__device__ std::uint32_t existing_bits(std::uint32_t word, int x, int width) {
  return width - x < kWordBits ? word & ((1u << (width - x)) - 1) : word;
}

// Stores the words of rows y .. y + 15 as far as they are in [first, last).
__device__ void store_words(const Strip& strip, int y, int first, int last, const StripWords& words,
                            const TilePlane& candidate, const TilePlane& strong) {
  y += lane();
  if (lane() >= kStep || y < first || y >= last) return;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int x = strip.x + kWordBits * half, w = x / kWordBits;
    if (x >= strip.width) return;
    candidate.word(w, y) = existing_bits(words[lane()][half].x, x, strip.width);
    strong.word(w, y) = existing_bits(words[lane()][half].y, x, strip.width);
  }
}

// The last two rows of a step become those before the next one, whose words begin as 0.
__device__ void keep_last_rows(BlurredRows& blurred, StripWords& words) {
  constexpr int kQuads = 2 * kBlurredPitch / 4;
  static_assert(kQuads <= kWarp);
  if (lane() < kQuads)
    *reinterpret_cast<uint4*>(blurred[0] + 4 * lane()) =
        *reinterpret_cast<const uint4*>(blurred[kStep] + 4 * lane());
  if (lane() < kStep) *reinterpret_cast<uint4*>(words[lane()]) = {0, 0, 0, 0};
}

// A warp makes the words of kStrip columns and `rows` rows. It begins 2 rows above the first: those
// that suppression looks at.
template <int kBytes, bool kAligned, int kReach, bool kBlur, Norm kNorm>
__global__ void __launch_bounds__(kWarp)
    __maxnreg__(kReach == 8 ? kStripRegisters : kWideStripRegisters)
        front_strip_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int rows,
                           __grid_constant__ const StripArguments arguments, TilePlane candidate,
                           TilePlane strong) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900  // never launched on older devices
  using R = Reach<kReach>;
  constexpr int kFirst = kBlur ? R::kWindow - 1 : 0;  // step that has all rows of a window
  __shared__ StripMemory<kBytes, kReach, kAligned> memory;
  const int width = candidate.width, height = candidate.height, x = blockIdx.x * kStrip;
  const Source<kBytes, kReach, kAligned> source{data, stride, width, height, x};
  const Strip strip{x, width, height, x == 0 || source.reaches_end()};
  const int first = blockIdx.y * rows, last = min(first + rows, height);

  wait_for_previous_kernel();
  start_next_kernel();
  int luma_y = first - kApron - (kBlur ? kReach : 0);
  const bool has_ends = strip.border && (!kAligned || width * kBytes % memory.raw.kUnit != 0);
  const auto copy_step = [&](int from) {
    copy_rows(source, from, &memory.raw);
    if (has_ends) copy_ends(source, from, &memory.raw);
  };
  copy_step(luma_y);
  TapMatrices<kReach> taps;
  if constexpr (kBlur) taps = tap_matrices<kReach>(arguments);
  Carried carried = {};
  keep_last_rows(memory.blurred, memory.words);
  for (int step = 0, y = first - kApron; y < last + kApron; ++step) {
    Luma<kReach> luma;
    wait_for_copies();
    __syncwarp();
    if (strip.border) {
      mirror_columns(source, luma_y, &memory.raw);
      __syncwarp();
    }
    load_luma(source, luma_y, arguments, memory.raw, luma);
    __syncwarp();
    luma_y += kStep;
    if (step < kFirst || y + kStep < last + kApron) copy_step(luma_y);
    if constexpr (kBlur) {
      blur(luma, taps, step % (R::kWindow - 1), step >= kFirst, &memory);
    } else {
      copy_luma<kReach>(luma, memory.blurred);
    }
    __syncwarp();
    if (step < kFirst) continue;
    if (strip.border) {
      repeat_columns(strip, memory.blurred);
      __syncwarp();
    }
    if (y < 0 || y + kStep > height) {
      repeat_rows(strip, y, memory.blurred);
      __syncwarp();
    }
    suppress_rows<kNorm>(strip, y, arguments, &carried, memory.blurred, memory.magnitude,
                         memory.words);
    store_words(strip, y - kApron, first, last, memory.words, candidate, strong);
    keep_last_rows(memory.blurred, memory.words);
    __syncwarp();
    y += kStep;
  }
#endif
}

// ---- launch ----

static_assert(kStripTaps == 2 * Reach<24>::kRadius + 1);

int reach_of(const Taps& taps) { return taps.radius() <= Reach<8>::kRadius ? 8 : 24; }

// A lane's part of the matrices of taps: see multiply_add(). Which sample a column stands for is
// chosen so that no lane has to move samples: the taps for rows multiply the pixels that a lane
// loads, those for columns the rows that the product before leaves in a lane.
void set_taps(const Taps& taps, int lane, TapTables* tables) {
  const int reach = reach_of(taps), radius = taps.radius();
  // The weight of a sample of the window for an output whose own sample is number `middle`.
  const auto tap = [&](int sample, int middle) -> std::uint32_t {
    const int i = sample - middle + radius;
    return i >= 0 && i <= 2 * radius ? taps.weight[i] : 0;
  };
  for (int product = 0; product < 2; ++product) {
    std::uint32_t row_taps[4] = {}, column_taps[4] = {};
    for (int i = 0; i < 16; ++i) {
      const int word = i / 4, byte = i % 4, half = word / 2;
      const int output = lane / 4 + 8 * (word % 2);
      const int column = 32 * product + 16 * half + 4 * (lane % 4) + byte;
      const int row = 32 * product + 16 * half + 2 * (lane % 4) + (byte < 2 ? byte : byte + 6);
      row_taps[word] |= tap(column, output + reach - kApron) << 8 * byte;
      column_taps[word] |= tap(row, output + reach) << 8 * byte;
    }
    tables->rows[product][lane] = {row_taps[0], row_taps[1], row_taps[2], row_taps[3]};
    tables->columns[product][lane] = {column_taps[0], column_taps[1], column_taps[2],
                                      column_taps[3]};
  }
}

const TapTables& tables_of(const Taps& taps, TapCache* cache) {
  if (!(cache->taps == taps)) {
    for (int lane = 0; lane < kWarp; ++lane) set_taps(taps, lane, &cache->tables);
    cache->taps = taps;
  }
  return cache->tables;
}

StripArguments strip_arguments(const Plan& plan, PixelFormat format, const TapTables& tables) {
  StripArguments strip = {};
  const PixelLayout& at = layout(format);
  strip.luma_shift = at.shift;
  if (at.bytes >= 3) {
    // Luma has a weight that takes 17 bits. With 1 less, a sample loses less than is added to
    // round.
    const LumaWeights weights = luma_weights(at);
    std::uint32_t weight[4];
    for (int i = 0; i < 4; ++i) weight[i] = std::min(2 * weights.byte[i], 65535);
    strip.luma01 = weight[0] | weight[1] << 16;
    strip.luma23 = weight[2] | weight[3] << 16;
    strip.luma_0 = weight[0] << 16;
    strip.luma12 = weight[1] | weight[2] << 16;
  }
  strip.taps = tables;
  // No magnitude reaches 2^22, and up to there a threshold is exact.
  const bool l2 = plan.norm == Norm::kL2;
  const float unit = l2 ? 0x1p-48f : 0x1p-24f;
  strip.low = static_cast<float>(std::min(plan.thresholds.low, 1 << 22)) * unit;
  strip.high = static_cast<float>(std::min(plan.thresholds.high, 1 << 22)) * unit;
  return strip;
}

template <int kBytes, bool kAligned, int kReach, bool kBlur>
auto choose_norm(Norm norm) {
  return norm == Norm::kL2 ? front_strip_kernel<kBytes, kAligned, kReach, kBlur, Norm::kL2>
                           : front_strip_kernel<kBytes, kAligned, kReach, kBlur, Norm::kL1>;
}

template <int kBytes, bool kAligned>
auto choose_reach(const Plan& plan) {
  // A middle tap of 256 does not fit a byte, and is alone.
  if (plan.blur.is_identity()) return choose_norm<kBytes, kAligned, 8, false>(plan.norm);
  return reach_of(plan.blur) == 8 ? choose_norm<kBytes, kAligned, 8, true>(plan.norm)
                                  : choose_norm<kBytes, kAligned, 24, true>(plan.norm);
}

template <int kBytes>
auto choose_kernel(const Plan& plan, const ConstFrame& input) {
  constexpr int kAlignment = 16;  // of what is copied at a time
  const bool aligned = reinterpret_cast<std::uintptr_t>(input.data) % kAlignment == 0 &&
                       input.stride_bytes % kAlignment == 0;
  return aligned ? choose_reach<kBytes, true>(plan) : choose_reach<kBytes, false>(plan);
}

// Rows of a tile, so many that a whole number of steps makes them. Short tiles do more twice, but
// long ones leave multiprocessors idle in the end, and all of them if there are few.
int strip_rows(const ConstFrame& input, int multiprocessors) {
  const std::int64_t rows = std::int64_t{input.height} * blocks(input.width, kStrip);
  const auto rows_of = [&](int tiles) {
    return static_cast<int>(rows / (std::int64_t{tiles} * multiprocessors));
  };
  const int best = std::max(rows_of(kStripTiles), std::min(rows_of(kFewStripTiles), kFewStripRows));
  return std::clamp((best + 2 * kApron) / kStep, 1, kMaxStripSteps) * kStep - 2 * kApron;
}

}  // namespace

Status front_strip(const Plan& plan, const ConstFrame& input, int multiprocessors,
                   const TilePlane& candidate, const TilePlane& strong, TapCache* cache,
                   Launcher* launcher) {
  const int pixel_bytes = layout(input.format).bytes;
  const auto kernel = pixel_bytes == 1   ? choose_kernel<1>(plan, input)
                      : pixel_bytes == 2 ? choose_kernel<2>(plan, input)
                      : pixel_bytes == 3 ? choose_kernel<3>(plan, input)
                                         : choose_kernel<4>(plan, input);
  const int rows = strip_rows(input, multiprocessors);
  const dim3 grid(blocks(input.width, kStrip), blocks(input.height, rows));
  return launcher->launch("front kernel", kernel, grid, kWarp, 0, input.data, input.stride_bytes,
                          rows, strip_arguments(plan, input.format, tables_of(plan.blur, cache)),
                          candidate, strong);
}

}  // namespace canny::cuda
