// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end at full speed, for compute capability 9.0 and up: a warp turns a strip of 64
// columns into words of both planes, marching down 16 rows at a time. Both passes of the Gaussian
// blur are products with banded matrices of taps on the tensor cores; the Sobel operator runs on
// two pixels an instruction; suppression runs only where a magnitude exceeds the low threshold.
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "frame.h"
#include "kernels/check.h"
#include "kernels/front.h"
#include "kernels/geometry.h"
#include "kernels/tuning.h"

namespace canny::cuda {
namespace {

constexpr int kStrip = 2 * kWarp;  // columns: a lane has those of its number and 32 further right
constexpr int kStep = 16;          // rows
constexpr int kGroup = 8;          // pixels that a lane loads at a time

// What the warps need of the settings.
struct StripSettings {
  // The weights of a pixel's bytes, 16 fractional bits, in pairs: bytes 0 and 1; 2 and 3 (or
  // nothing); nothing and 0; 1 and 2. The last two serve pixels of 3 bytes.
  std::uint32_t luma01, luma23, luma_0, luma12;
  TapTables taps;
  float low, high;  // in the units of the magnitude
  __half2 bound;    // |x| + |y| up to this is no candidate, in the units of the gradient
};

// The sizes that follow from how far the taps reach: the blur of 16 columns (rows) is made of a
// window of kReach more on each side.
template <int kReach>
struct Reach {
  static constexpr int kProducts = (kStep + 2 * kReach) / 32;  // of 32 samples each
  static constexpr int kWindow = 2 * kProducts;                // in steps of 16 rows
  static constexpr int kLumaX = 8 + kReach;  // columns of luma memory left of the strip
  static constexpr int kLoadX = kReach == 8 ? 8 : kLumaX;  // of which so many are loaded
  static constexpr int kRadius = kLoadX - 2 < kReach ? kLoadX - 2 : kReach;  // at most
  static constexpr int kGroups = (kStrip + 2 * kLoadX) / kGroup;
  static constexpr int kRowsAtOnce = kWarp / kGroups;  // that the warp loads, a group a lane
  static constexpr int kLoads = (kStep + kRowsAtOnce - 1) / kRowsAtOnce;  // of a step
  static constexpr int kLumaPitch = kStrip + 2 * kLumaX + (kReach == 8 ? 0 : 32);
  static_assert(kLumaPitch % 128 == 32 || kLumaPitch % 128 == 96, "8 rows: no bank conflicts");
};

// Blurred pixels: 5 products of 16 columns cover those from -8 to 71 of a strip. A word holds a
// column from -8 on (low half) and the one 32 further right. Two rows are those of the step before.
constexpr int kBlurTiles = 5;
constexpr int kBlurredX = 8;
constexpr int kBlurredPitch = 56;  // words; 48 are used
// Magnitudes of columns -1 to 64, with two rows of the step before.
constexpr int kMagnitudePitch = kStrip + 4;

template <int kReach>
struct StripMemory {
  alignas(8) std::uint8_t luma[kStep][Reach<kReach>::kLumaPitch];
  // Row sums of the steps before, a lane's own: low and high bytes of two columns.
  uint4 history[Reach<kReach>::kWindow - 1][kBlurTiles][kWarp];
  alignas(16) std::uint32_t blurred[kStep + 2][kBlurredPitch];
  alignas(16) float magnitude[kStep + 2][kMagnitudePitch];
  alignas(16) uint2 words[kStep][2];  // candidate and strong
};

// Where a warp is.
struct Strip {
  int x;  // its first column
  int width, height;
  bool border;  // whether it looks beyond the left or right border
};

__device__ int lane() { return threadIdx.x; }

// ---- luma ----

// A lane's group of pixels as it is loaded: pairs of words where all of them are aligned, else the
// aligned words around the pixels.
template <int kBytes, bool kAligned>
struct Group {
  static constexpr int kWords = kGroup * kBytes / 4;
  std::uint32_t words[kWords + (kAligned ? 0 : 1)];
};

// How many bytes a group's words begin before its first pixel.
__device__ int misalignment(const std::uint8_t* pixels) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(pixels) % 4);
}

template <int kBytes, bool kAligned>
__device__ void load_group(const std::uint8_t* pixels, Group<kBytes, kAligned>* group) {
  constexpr int kWords = Group<kBytes, kAligned>::kWords;
  if constexpr (kAligned) {
#pragma unroll
    for (int i = 0; i < kWords; i += 2) {
      const uint2 two = *reinterpret_cast<const uint2*>(pixels + 4 * i);
      group->words[i] = two.x;
      group->words[i + 1] = two.y;
    }
  } else {
    const int before = misalignment(pixels);
    const auto* words = reinterpret_cast<const std::uint32_t*>(pixels - before);
#pragma unroll
    for (int i = 0; i < kWords; ++i) group->words[i] = words[i];
    if (before != 0) group->words[kWords] = words[kWords];
  }
}

// Moves the first pixel of a group to the first byte.
template <int kBytes>
__device__ void align_group(int before, Group<kBytes, false>* group) {
#pragma unroll
  for (int i = 0; i < Group<kBytes, false>::kWords; ++i)
    group->words[i] = __funnelshift_r(group->words[i], group->words[i + 1], 8 * before);
}

// Byte 2 of each of four sums, which is their integer part.
__device__ std::uint32_t integer_parts(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                       std::uint32_t d) {
  return __byte_perm(__byte_perm(a, b, 0x0062), __byte_perm(c, d, 0x0062), 0x5410);
}

// The luma of 4 pixels.
template <int kBytes>
__device__ std::uint32_t luma_of(const std::uint32_t* words, const StripSettings& s) {
  constexpr std::uint32_t kHalf = 1u << 15;
  if constexpr (kBytes == 1) {
    return words[0];
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

// The input, and which part of 16 rows a lane loads: a group of every kRowsAtOnce-th row.
template <int kBytes, int kReach, bool kAligned>
struct Source {
  using R = Reach<kReach>;
  const std::uint8_t* data;
  std::ptrdiff_t stride;
  int width, height;
  int left;    // column of the first group
  int row;     // first row of the lane
  bool loads;  // whether the lane's group is one to load

  // What is loaded of a group must be in its row. At odd addresses that is more than its pixels.
  __device__ bool has_whole(int x) const {
    constexpr int kSlack = kAligned ? 0 : kGroup;
    return x >= kSlack && x + kGroup + kSlack <= width;
  }
  __device__ int x_of(int group) const { return left + kGroup * group; }
  __device__ const std::uint8_t* pixel(int x, int y) const {
    return data + y * stride + x * kBytes;
  }
  // Whether the lane has a row in load number i.
  __device__ bool has_row(int i) const {
    return (i + 1) * R::kRowsAtOnce <= kStep || row + i * R::kRowsAtOnce < kStep;
  }

  using Groups = Group<kBytes, kAligned>[R::kLoads];
};

template <int kReach>
__device__ std::uint8_t* luma_group(StripMemory<kReach>* memory, int row, int group) {
  using R = Reach<kReach>;
  return &memory->luma[row][R::kLumaX - R::kLoadX + kGroup * group];
}

// Begins to load the whole groups of the 16 rows from row y on, mirrored at the upper and lower
// border.
template <int kBytes, int kReach, bool kAligned>
__device__ void load_ahead(const Source<kBytes, kReach, kAligned>& source, int y,
                           typename Source<kBytes, kReach, kAligned>::Groups& groups) {
  using R = Reach<kReach>;
  if (!source.loads) return;
  const int x = source.x_of(lane() % R::kGroups);
  if (y >= 0 && y + kStep <= source.height) {
    const std::uint8_t* pixels = source.pixel(x, y + source.row);
#pragma unroll
    for (int i = 0; i < R::kLoads; ++i, pixels += R::kRowsAtOnce * source.stride)
      if (source.has_row(i)) load_group(pixels, &groups[i]);
  } else {
#pragma unroll
    for (int i = 0; i < R::kLoads; ++i) {
      const int row = reflect(y + source.row + i * R::kRowsAtOnce, source.height);
      if (source.has_row(i)) load_group(source.pixel(x, row), &groups[i]);
    }
  }
}

// The luma of what load_ahead() loaded.
template <int kBytes, int kReach, bool kAligned>
__device__ void convert_ahead(const Source<kBytes, kReach, kAligned>& source, int y,
                              const StripSettings& s,
                              typename Source<kBytes, kReach, kAligned>::Groups& groups,
                              StripMemory<kReach>* memory) {
  using R = Reach<kReach>;
  if (!source.loads) return;
#pragma unroll
  for (int i = 0; i < R::kLoads; ++i) {
    if (!source.has_row(i)) continue;
    const int row = source.row + i * R::kRowsAtOnce, group = lane() % R::kGroups;
    if constexpr (!kAligned)
      align_group(misalignment(source.pixel(source.x_of(group), reflect(y + row, source.height))),
                  &groups[i]);
    const std::uint32_t* words = groups[i].words;
    *reinterpret_cast<uint2*>(luma_group(memory, row, group)) = {
        luma_of<kBytes>(words, s), luma_of<kBytes>(words + kBytes, s)};
  }
}

// The luma of the pixels of groups that are not whole, pixel by pixel.
template <int kBytes, int kReach, bool kAligned>
__device__ void load_partial_groups(const Source<kBytes, kReach, kAligned>& source, int y,
                                    const StripSettings& s, StripMemory<kReach>* memory) {
  constexpr int kPixels = kStep * kGroup / kWarp;  // of a lane
  for (int group = 0; group < Reach<kReach>::kGroups; ++group) {
    const int first = source.x_of(group), x = first + lane() % kGroup;
    if (source.has_whole(first) || first + kGroup <= 0 || first >= source.width) continue;
    if (x < 0 || x >= source.width) continue;
    std::uint32_t pixels[kPixels][4] = {};
#pragma unroll
    for (int i = 0; i < kPixels; ++i) {
      const int row = lane() / kGroup + i * kPixels;
      const std::uint8_t* pixel = source.pixel(x, reflect(y + row, source.height));
      for (int byte = 0; byte < kBytes; ++byte)
        pixels[i][0] |= std::uint32_t{pixel[byte]} << 8 * byte;
    }
#pragma unroll
    for (int i = 0; i < kPixels; ++i)
      luma_group(memory, lane() / kGroup + i * kPixels, group)[lane() % kGroup] =
          static_cast<std::uint8_t>(luma_of<kBytes>(pixels[i], s));
  }
}

// Mirrors the luma at the left and right border. What is mirrored is in the strip: where it does
// not begin at column 0, the image is wider than any apron.
template <int kReach>
__device__ void mirror_columns(const Strip& strip, StripMemory<kReach>* memory) {
  using R = Reach<kReach>;
  for (int i = lane(); i < kStep * R::kLoadX; i += kWarp) {
    std::uint8_t* row = memory->luma[i / R::kLoadX] + R::kLumaX - strip.x;
    const int distance = 1 + i % R::kLoadX;
    if (strip.x == 0) row[-distance] = row[reflect(-distance, strip.width)];
    const int right = strip.width - 1 + distance;
    if (right < strip.x + kStrip + R::kLoadX) row[right] = row[reflect(right, strip.width)];
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
__device__ TapMatrices<kReach> tap_matrices(const StripSettings& s) {
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
__device__ void blur_rows(const StripMemory<kReach>& memory, int tile,
                          const TapMatrices<kReach>& taps, RowSums* sums) {
  FragmentC product[2] = {};  // of rows 0 .. 7 and 8 .. 15
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::uint8_t* row = memory.luma[8 * half + lane() / 4] + kStep * tile + 8 * (lane() % 4);
#pragma unroll
    for (int i = 0; i < Reach<kReach>::kProducts; ++i) {
      const uint2 pixels = *reinterpret_cast<const uint2*>(row + 32 * i);
      multiply_add(taps.row_taps[i], pixels.x, pixels.y, &product[half]);
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

// Stores columns 16 * tile - 8 on and those 32 further right: integer parts side by side.
template <int kReach>
__device__ void store_blurred(const FragmentC (&left)[2], const FragmentC (&right)[2], int tile,
                              StripMemory<kReach>* memory) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      uint2 words;
      words.x = __byte_perm(left[half][2 * i], right[half][2 * i], 0x7632);
      words.y = __byte_perm(left[half][2 * i + 1], right[half][2 * i + 1], 0x7632);
      *reinterpret_cast<uint2*>(
          &memory->blurred[2 + 8 * i + lane() / 4][kStep * tile + 8 * half + 2 * (lane() % 4)]) =
          words;
    }
  }
}

// A step of the blur; `slot` is the oldest step of the history, whose place this one takes. Only
// with `store` the window is full.
template <int kReach>
__device__ void blur(const TapMatrices<kReach>& taps, int slot, bool store,
                     StripMemory<kReach>* memory) {
  constexpr int kWindow = Reach<kReach>::kWindow;
  FragmentC blurred[kBlurTiles][2];
#pragma unroll
  for (int tile = 0; tile < kBlurTiles; ++tile) {
    RowSums window[kWindow][2];
#pragma unroll
    for (int i = 0; i < kWindow - 1; ++i) {
      const int at = slot + i < kWindow - 1 ? slot + i : slot + i - (kWindow - 1);
      const uint4 sums = memory->history[at][tile][lane()];
      window[i][0] = {sums.x, sums.y};
      window[i][1] = {sums.z, sums.w};
    }
    RowSums(&sums)[2] = window[kWindow - 1];
    blur_rows(*memory, tile, taps, sums);
    memory->history[slot][tile][lane()] = {sums[0].low, sums[0].high, sums[1].low, sums[1].high};
    if (!store) continue;
    for (int half = 0; half < 2; ++half)
      blur_columns<kReach>(window, half, taps, &blurred[tile][half]);
    if (tile >= 2) store_blurred(blurred[tile - 2], blurred[tile], tile - 2, memory);
  }
}

// Without blur: the luma as it is, 4 words at a time.
template <int kReach>
__device__ void copy_luma(StripMemory<kReach>* memory) {
  constexpr int kGroups = 12;
  for (int item = lane(); item < kStep * kGroups; item += kWarp) {
    const int row = item / kGroups, column = item % kGroups * 4;
    const std::uint8_t* luma = &memory->luma[row][Reach<kReach>::kLumaX - kBlurredX + column];
    const std::uint32_t left = *reinterpret_cast<const std::uint32_t*>(luma);
    const std::uint32_t right = *reinterpret_cast<const std::uint32_t*>(luma + kWarp);
    const std::uint32_t first = __byte_perm(left, right, 0x5140);
    const std::uint32_t second = __byte_perm(left, right, 0x7362);
    *reinterpret_cast<uint4*>(&memory->blurred[2 + row][column]) = {
        __byte_perm(first, 0, 0x4140), __byte_perm(first, 0, 0x4342),
        __byte_perm(second, 0, 0x4140), __byte_perm(second, 0, 0x4342)};
  }
}

// The Sobel operator sees the pixels at the left and right border repeated.
template <int kReach>
__device__ void repeat_columns(const Strip& strip, StripMemory<kReach>* memory) {
  if (lane() >= kStep) return;
  // Column c is the low half of word c + kBlurredX, or the high half of the word 32 before that.
  auto* row = reinterpret_cast<std::uint16_t*>(memory->blurred[2 + lane()] + kBlurredX);
  if (strip.x == 0) row[2 * -1] = row[0];
  const int beyond = strip.width - strip.x;
  if (beyond > kStrip + 1) return;
  const int last = beyond - 1;
  const std::uint16_t value = last < kWarp ? row[2 * last] : row[2 * (last - kWarp) + 1];
  if (beyond <= kWarp) row[2 * beyond] = value;
  if (beyond >= kWarp - 1) row[2 * (beyond - kWarp) + 1] = value;
}

// And those in the first and last row, of 16 rows from row y on.
template <int kReach>
__device__ void repeat_rows(const Strip& strip, int y, StripMemory<kReach>* memory) {
  auto* rows = memory->blurred + 2 - y;
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

// The magnitudes of columns -1 and 64, one row of one of them a lane, from row y on.
template <Norm kNorm, int kReach>
__device__ void magnitudes_beside(const Strip& strip, int y, StripMemory<kReach>* memory) {
  const int row = lane() % kStep;
  const bool right = lane() >= kStep;
  const int x = strip.x + (right ? kStrip : -1);
  y += row;
  const bool outside = x < 0 || x >= strip.width || y < 0 || y >= strip.height;
  const std::uint32_t* word = &memory->blurred[row][kBlurredX + (right ? kWarp : -1)];
  const Gradient g = gradient(row_gradient(word), row_gradient(word + kBlurredPitch),
                              row_gradient(word + 2 * kBlurredPitch));
  const float m = right ? magnitude_of<kNorm>(__high2float(g.x), __high2float(g.y))
                        : magnitude_of<kNorm>(__low2float(g.x), __low2float(g.y));
  memory->magnitude[2 + row][right ? kStrip + 1 : 0] = outside ? 0 : m;
}

// What goes from one row of a strip to the next: a row's gradients and magnitudes.
struct Row {
  Gradient gradient;
  float magnitude[2];  // of the left and the right half of the strip
};

template <int kHalf>
__device__ float half_of(__half2 pair) {
  return kHalf == 0 ? __low2float(pair) : __high2float(pair);
}

// Whether a pixel is a candidate; `here` points at its magnitude m. The slopes are 13573 / 32768
// and 2 more, and fp32 decides as exact arithmetic does for all |x|, |y| <= 1020.
__device__ bool is_candidate(const float* here, float m, float x, float y, float low) {
  const bool horizontal = fabsf(y) < fabsf(x) * (13573.0f / 32768.0f);
  const bool vertical = fabsf(y) > fabsf(x) * (79109.0f / 32768.0f);
  constexpr int kDown = sizeof(float) * kMagnitudePitch, kRight = sizeof(float);
  int across = (__float_as_int(x) ^ __float_as_int(y)) < 0 ? kDown - kRight : kDown + kRight;
  if (vertical) across = kDown;
  if (horizontal) across = kRight;
  const auto* bytes = reinterpret_cast<const char*>(here);
  const float before = *reinterpret_cast<const float*>(bytes - across);
  const float after = *reinterpret_cast<const float*>(bytes + across);
  return m > low && m > before && m >= after && (horizontal || vertical || m > after);
}

constexpr int kChunk = 4;  // rows that are suppressed together

// The magnitudes of half of a strip in kChunk rows; 0 outside the image and, to save the work,
// where no magnitude of the chunk exceeds the low threshold: there it makes no difference.
template <Norm kNorm, int kHalf, int kReach>
__device__ void magnitudes_of_chunk(const Strip& strip, int y, bool inside, bool active, int first,
                                    Row (&rows)[kChunk + 1], StripMemory<kReach>* memory) {
  const int column = lane() + kHalf * kWarp;
  float* stored = &memory->magnitude[first][1 + column];
  if (!active) {
#pragma unroll
    for (int i = 0; i < kChunk; ++i) stored[i * kMagnitudePitch] = rows[i + 1].magnitude[kHalf] = 0;
    return;
  }
#pragma unroll
  for (int i = 0; i < kChunk; ++i) {
    const Gradient& g = rows[i + 1].gradient;
    float m = magnitude_of<kNorm>(half_of<kHalf>(g.x), half_of<kHalf>(g.y));
    if (!inside) {
      const int row = y + i;
      if (row < 0 || row >= strip.height || strip.x + column >= strip.width) m = 0;
    }
    stored[i * kMagnitudePitch] = rows[i + 1].magnitude[kHalf] = m;
  }
}

// The words of half of a strip for the first kChunk of `rows`, where any magnitude exceeds the low
// threshold; the others are 0 already.
template <int kHalf, int kReach>
__device__ void suppress_chunk(const StripSettings& s, int first, const Row (&rows)[kChunk + 1],
                               StripMemory<kReach>* memory) {
  float largest = rows[0].magnitude[kHalf];
#pragma unroll
  for (int i = 1; i < kChunk; ++i) largest = fmaxf(largest, rows[i].magnitude[kHalf]);
  if (!__any_sync(~0u, largest > s.low)) return;
  const float* here = &memory->magnitude[1 + first][1 + lane() + kHalf * kWarp];
#pragma unroll
  for (int i = 0; i < kChunk; ++i) {
    const float m = rows[i].magnitude[kHalf];
    const bool kept =
        is_candidate(here + i * kMagnitudePitch, m, half_of<kHalf>(rows[i].gradient.x),
                     half_of<kHalf>(rows[i].gradient.y), s.low);
    const uint2 words = {__ballot_sync(~0u, kept), __ballot_sync(~0u, kept && m > s.high)};
    if (lane() == 0) memory->words[first + i][kHalf] = words;
  }
}

// Takes 16 rows of blurred pixels from row y on to the words of rows y - 2 .. y + 13.
template <Norm kNorm, int kReach>
__device__ void suppress_rows(const Strip& strip, int y, const StripSettings& s, Row* before,
                              StripMemory<kReach>* memory) {
  const bool inside = !strip.border && y >= 1 && y + kStep <= strip.height + 1;
  const std::uint32_t* word = &memory->blurred[0][kBlurredX + lane()];
  RowGradient above = row_gradient(word), here = row_gradient(word + kBlurredPitch);
#pragma unroll 1
  for (int first = 0; first < kStep; first += kChunk) {
    Row rows[kChunk + 1];
    rows[0] = *before;
    __half2 bound = halves(0);
#pragma unroll
    for (int i = 0; i < kChunk; ++i) {
      const RowGradient below = row_gradient(word + (2 + first + i) * kBlurredPitch);
      const Gradient g = gradient(above, here, below);
      bound = __hmax2(bound, __hadd2(__habs2(g.x), __habs2(g.y)));
      rows[i + 1].gradient = g;
      above = here;
      here = below;
    }
    const std::uint32_t active = __hgt2_mask(bound, s.bound);
    const bool left = __any_sync(~0u, active & 0xffff), right = __any_sync(~0u, active >> 16);
    magnitudes_of_chunk<kNorm, 0>(strip, y + first - 1, inside, left, 2 + first, rows, memory);
    magnitudes_of_chunk<kNorm, 1>(strip, y + first - 1, inside, right, 2 + first, rows, memory);
    __syncwarp();
    suppress_chunk<0>(s, first, rows, memory);
    suppress_chunk<1>(s, first, rows, memory);
    *before = rows[kChunk];
  }
}

// Stores the words of rows y .. y + 15 as far as they are in [first, last).
template <int kReach>
__device__ void store_words(const Strip& strip, int y, int first, int last,
                            const StripMemory<kReach>& memory, const BitPlane& candidate,
                            const BitPlane& strong) {
  y += lane();
  if (lane() >= kStep || y < first || y >= last) return;
  const uint2 left = memory.words[lane()][0], right = memory.words[lane()][1];
  const int w = strip.x / kWordBits;
  std::uint32_t *candidate_row = candidate.row(y) + w, *strong_row = strong.row(y) + w;
  candidate_row[0] = left.x;
  strong_row[0] = left.y;
  if (w + 1 < candidate.words_per_row()) {
    candidate_row[1] = right.x;
    strong_row[1] = right.y;
  }
}

// The last two rows of a step become those before the next one, whose words begin as 0.
template <int kReach>
__device__ void keep_last_rows(StripMemory<kReach>* memory) {
  constexpr int kBlurredQuads = kBlurredPitch / 4, kMagnitudeQuads = kMagnitudePitch / 4;
  static_assert(2 * kBlurredQuads <= kWarp && kMagnitudeQuads <= kWarp);
  const auto move = [](const void* from, void* to) {
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
  };
  const int i = 4 * lane();
  if (lane() < 2 * kBlurredQuads) move(memory->blurred[kStep] + i, memory->blurred[0] + i);
  if (lane() < kMagnitudeQuads) {
    move(memory->magnitude[kStep] + i, memory->magnitude[0] + i);
    move(memory->magnitude[kStep + 1] + i, memory->magnitude[1] + i);
  }
  if (lane() < kStep) *reinterpret_cast<uint4*>(memory->words[lane()]) = {0, 0, 0, 0};
}

// A warp makes the words of kStrip columns and `rows` rows. It begins 2 rows above the first: those
// that suppression looks at.
template <int kBytes, bool kAligned, int kReach, bool kBlur, Norm kNorm>
__global__ void __launch_bounds__(kWarp, kReach == 8 ? kStripBlocks : 1)
    front_strip_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int rows,
                       __grid_constant__ const StripSettings settings, BitPlane candidate,
                       BitPlane strong) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900  // never launched on older devices
  using R = Reach<kReach>;
  constexpr int kFirst = kBlur ? R::kWindow - 1 : 0;  // step that has all rows of a window
  __shared__ StripMemory<kReach> shared;
  StripMemory<kReach>* memory = &shared;
  const int width = candidate.width, height = candidate.height, x = blockIdx.x * kStrip;
  Source<kBytes, kReach, kAligned> source{data,   stride,        width,
                                          height, x - R::kLoadX, lane() / R::kGroups};
  source.loads =
      lane() < R::kRowsAtOnce * R::kGroups && source.has_whole(source.x_of(lane() % R::kGroups));
  const Strip strip{
      x, width, height,
      !source.has_whole(source.x_of(0)) || !source.has_whole(source.x_of(R::kGroups - 1))};
  const int first = blockIdx.y * rows, last = min(first + rows, height);

  wait_for_previous_kernel();
  start_next_kernel();
  typename Source<kBytes, kReach, kAligned>::Groups groups;
  int luma_y = first - 2 - (kBlur ? kReach : 0);
  load_ahead(source, luma_y, groups);
  TapMatrices<kReach> taps;
  if constexpr (kBlur) taps = tap_matrices<kReach>(settings);
  Row before = {};
  keep_last_rows(memory);
  for (int step = 0, y = first - 2; y < last + 2; ++step) {
    convert_ahead(source, luma_y, settings, groups, memory);
    if (strip.border) {
      load_partial_groups(source, luma_y, settings, memory);
      __syncwarp();
      mirror_columns(strip, memory);
    }
    __syncwarp();
    if constexpr (kBlur) {
      blur(taps, step % (R::kWindow - 1), step >= kFirst, memory);
    } else {
      copy_luma(memory);
    }
    luma_y += kStep;
    load_ahead(source, luma_y, groups);
    __syncwarp();
    if (step < kFirst) continue;
    if (strip.border) {
      repeat_columns(strip, memory);
      __syncwarp();
    }
    if (y < 0 || y + kStep > height) {
      repeat_rows(strip, y, memory);
      __syncwarp();
    }
    magnitudes_beside<kNorm>(strip, y - 1, memory);
    suppress_rows<kNorm>(strip, y, settings, &before, memory);
    __syncwarp();
    store_words(strip, y - 2, first, last, *memory, candidate, strong);
    __syncwarp();
    keep_last_rows(memory);
    __syncwarp();
    y += kStep;
  }
#endif
}

// ---- launch ----

static_assert(kStripTaps == 2 * Reach<24>::kRadius + 1);

int reach_of(const Taps& taps) { return taps.radius() <= Reach<8>::kRadius ? 8 : 24; }

// A lane's part of the matrices of taps: see multiply_add(). Which sample a column stands for is
// chosen so that no lane has to move samples: the taps for rows multiply 8 neighbours a lane as
// they lie in memory, those for columns the rows that the product before leaves in a lane.
void set_taps(const Taps& taps, int lane, TapTables* tables) {
  const int reach = reach_of(taps), radius = taps.radius();
  const auto tap = [&](int sample, int output) -> std::uint32_t {
    const int i = sample - reach - output + radius;
    return i >= 0 && i <= 2 * radius ? taps.weight[i] : 0;
  };
  for (int product = 0; product < 2; ++product) {
    std::uint32_t row_taps[4] = {}, column_taps[4] = {};
    for (int i = 0; i < 16; ++i) {
      const int word = i / 4, byte = i % 4, half = word / 2;
      const int output = lane / 4 + 8 * (word % 2);
      const int column = 32 * product + 8 * (lane % 4) + 4 * half + byte;
      const int row = 32 * product + 16 * half + 2 * (lane % 4) + (byte < 2 ? byte : byte + 6);
      row_taps[word] |= tap(column, output) << 8 * byte;
      column_taps[word] |= tap(row, output) << 8 * byte;
    }
    tables->rows[product][lane] = {row_taps[0], row_taps[1], row_taps[2], row_taps[3]};
    tables->columns[product][lane] = {column_taps[0], column_taps[1], column_taps[2],
                                      column_taps[3]};
  }
}

const TapTables& tables_of(const Taps& taps, TapCache* cache) {
  const std::uint16_t* weights = taps.weight;
  if (cache->taps.count != taps.count ||
      !std::equal(weights, weights + taps.count, cache->taps.weight)) {
    for (int lane = 0; lane < kWarp; ++lane) set_taps(taps, lane, &cache->tables);
    cache->taps = taps;
  }
  return cache->tables;
}

StripSettings strip_settings(const Settings& settings, PixelFormat format,
                             const TapTables& tables) {
  StripSettings strip = {};
  const PixelLayout& at = layout(format);
  if (!is_gray(format)) {
    std::uint32_t weight[4] = {};
    weight[at.r] = 2 * 9798;
    weight[at.g] = 2 * 19235;
    weight[at.b] = 2 * 3735;
    strip.luma01 = weight[0] | weight[1] << 16;
    strip.luma23 = weight[2] | weight[3] << 16;
    strip.luma_0 = weight[0] << 16;
    strip.luma12 = weight[1] | weight[2] << 16;
  }
  strip.taps = tables;
  // No magnitude reaches 2^22, and up to there a threshold is exact.
  const bool l2 = settings.norm == Norm::kL2;
  const float unit = l2 ? 0x1p-48f : 0x1p-24f;
  strip.low = static_cast<float>(std::min(settings.low, 1 << 22)) * unit;
  strip.high = static_cast<float>(std::min(settings.high, 1 << 22)) * unit;
  // x^2 + y^2 <= (|x| + |y|)^2
  const double bound = l2 ? std::sqrt(settings.low) : settings.low;
  const auto bits = static_cast<std::uint16_t>(std::min(std::floor(bound), 2047.0));
  strip.bound = __half2(__ushort_as_half(bits), __ushort_as_half(bits));
  return strip;
}

template <int kBytes, bool kAligned, int kReach, bool kBlur>
auto choose_norm(Norm norm) {
  return norm == Norm::kL2 ? front_strip_kernel<kBytes, kAligned, kReach, kBlur, Norm::kL2>
                           : front_strip_kernel<kBytes, kAligned, kReach, kBlur, Norm::kL1>;
}

template <int kBytes, bool kAligned>
auto choose_reach(const Settings& settings) {
  // A middle tap of 256 does not fit a byte, and is alone.
  if (settings.taps.weight[settings.taps.radius()] == 256)
    return choose_norm<kBytes, kAligned, 8, false>(settings.norm);
  return reach_of(settings.taps) == 8 ? choose_norm<kBytes, kAligned, 8, true>(settings.norm)
                                      : choose_norm<kBytes, kAligned, 24, true>(settings.norm);
}

template <int kBytes>
auto choose_kernel(const Settings& settings, const ConstFrame& input) {
  const bool aligned =
      reinterpret_cast<std::uintptr_t>(input.data) % 8 == 0 && input.stride_bytes % 8 == 0;
  return aligned ? choose_reach<kBytes, true>(settings) : choose_reach<kBytes, false>(settings);
}

// Rows of a tile, 16 less 4 a step.
int strip_rows(int width, int height) {
  (void)width, (void)height;
  const char* text = std::getenv("CANNY_ROWS");
  return text ? std::atoi(text) : 60;
}

}  // namespace

Status front_strip(const Settings& settings, const ConstFrame& input, const BitPlane& candidate,
                   const BitPlane& strong, TapCache* cache, Launcher* launcher) {
  const int pixel_bytes = layout(input.format).bytes;
  const auto kernel = pixel_bytes == 1   ? choose_kernel<1>(settings, input)
                      : pixel_bytes == 3 ? choose_kernel<3>(settings, input)
                                         : choose_kernel<4>(settings, input);
  const int rows = strip_rows(input.width, input.height);
  const dim3 grid(blocks(input.width, kStrip), blocks(input.height, rows));
  return launcher->launch(
      "front kernel", kernel, grid, kWarp, 0, input.data, input.stride_bytes, rows,
      strip_settings(settings, input.format, tables_of(settings.taps, cache)), candidate, strong);
}

}  // namespace canny::cuda
