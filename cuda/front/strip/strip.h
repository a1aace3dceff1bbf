// SPDX-License-Identifier: LGPL-2.1-or-later
// The sizes and the memory of a warp that turns a strip of 64 columns into words of both planes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/front/front.h"
#include "cuda/front/luma_words.h"
#include "cuda/geometry.h"
#include "cuda/thresholds/thresholds.h"
#include "cuda/tuning.h"

namespace canny::cuda::strip {

inline constexpr int kStrip = 2 * kWarp;  // columns: lane n has columns n and n + 32
inline constexpr int kStep = 16;          // rows
inline constexpr int kBlock = 16;         // columns of luma, 4 a lane
inline constexpr int kApron = 2;          // columns and rows around a strip that are blurred too

// The part of the plan that warps need, apart from taps.
struct StripArguments {
  LumaWords luma;
  int side, middle;  // smoothing weights of the operator
  int is_busy;       // whether other frames use the multiprocessors that become idle at the end
  ThresholdArguments thresholds;
  void* stored;        // the image of ImageMath, or the lists of MaximaRecorder
  std::int64_t pitch;  // of the image
};

// Sizes that follow from the reach of the blur: 16 blurred columns (rows) depend on a window with
// kReach more on each side.
template <int kReach>
struct Reach {
  static constexpr int kRadius = kReach - kApron;                 // largest radius of the taps
  static constexpr int kProducts = (kStep + 2 * kReach) / 32;     // of 32 samples each
  static constexpr int kWindow = 2 * kProducts;                   // in blocks of columns or steps
  static constexpr int kBlocks = (kStrip + 2 * kReach) / kBlock;  // of a strip
};

// That of the kernel for many taps, which reads images of luma.
inline constexpr int kWideReach = 40;

// Blurred pixels. 5 products of 16 columns cover columns -2 to 77 of a strip. A word holds a
// column, from -4 on, in its low half, and the one 32 further right in its high half. The first two
// rows belong to the previous step.
inline constexpr int kBlurTiles = 5;
inline constexpr int kBlurredX = 4;
inline constexpr int kBlurredPitch = kWarp + 2 * kBlurredX;  // words
using BlurredRows = std::uint32_t[kStep + 2][kBlurredPitch];
// The magnitudes of columns -1 to 64, in the rows that are suppressed together and one more row
// above and below.
static_assert(kStep % kStripChunk == 0);
inline constexpr int kMagnitudePitch = kStrip + 4;
template <class Magnitude>
using MagnitudeRows = Magnitude[kStripChunk + 2][kMagnitudePitch];
// Candidate and strong bits.
using StripWords = uint2[kStep][2];

// The next 16 rows of pixels to blur, as they lie in the input, copied in units of 16 bytes. One
// lane copies each unit of a row. A row that begins within a unit takes one unit more.
template <int kBytes, int kReach, bool kAligned>
struct RawRows {
  static constexpr int kUnit = 16;
  // Bytes before the strip.
  static constexpr int kBefore = (kReach * kBytes + kUnit - 1) / kUnit * kUnit;
  static constexpr int kUnits =
      (kBefore + (kStrip + kReach) * kBytes + kUnit - 1) / kUnit + (kAligned ? 0 : 1);
  static constexpr int kRowLanes = kUnits <= 8 ? 8 : kUnits <= 16 ? 16 : 32;
  // With this shift, the pixels that lanes read at a time, 4 in each of 8 rows, are in different
  // banks.
  static constexpr int kBanks = 128;  // bytes
  static constexpr int kShift = kBytes == 4 ? 64 : kBytes == 2 ? 32 : 16;
  static constexpr int kPitch =
      kUnits * kUnit + (2 * kBanks - kUnits * kUnit % kBanks + kShift) % kBanks;
  static_assert(kUnits <= kWarp && kPitch % kBanks == kShift);
  alignas(kUnit) std::uint8_t bytes[kStep][kPitch];
};

template <int kBytes, int kReach, bool kAligned, class Magnitude>
struct StripMemory {
  RawRows<kBytes, kReach, kAligned> raw;
  // Row sums of previous steps, each lane's own: low and high bytes of two columns.
  uint4 history[Reach<kReach>::kWindow - 1][kBlurTiles][kWarp];
  alignas(16) BlurredRows blurred;
  MagnitudeRows<Magnitude> magnitude;
  alignas(16) StripWords words;
};

// The strip of a warp.
struct Strip {
  int x;  // its first column
  int width, height;
  int first, last;  // the rows first <= y < last are stored
  bool border;      // whether the warp reads beyond the left or right border

  // Whether all of its columns exist.
  __device__ bool is_whole() const { return x + kStrip <= width; }
};

__device__ inline int lane() { return threadIdx.x; }

/// Returns the words that MaximaLists for a frame need, whose strips have kFewestStripRows to
/// kMostStripRows rows.
inline std::size_t maxima_words(int width, int height) {
  const int rows = height + kMostStripRows;
  const std::size_t columns = std::size_t{1} * blocks(width, kStrip) * kStrip;
  return columns * (rows + blocks(rows, kFewestStripRows));
}

/// Returns the rows of a tile, which take a whole number of steps together with `apron` rows on
/// both sides. Beside other frames there are `busy_tiles` for each multiprocessor.
int strip_rows(const ConstFrame& input, int apron, const FrontDevice& device,
               int busy_tiles = kBusyStripTiles);

/// Likewise for strips that store bits.
int rows_of_strips(const FrontArguments& arguments);

}  // namespace canny::cuda::strip
