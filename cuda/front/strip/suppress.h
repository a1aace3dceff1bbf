// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradient and the suppression of a strip. Suppression runs only where a magnitude exceeds the
// low threshold. Math is the arithmetic of an operator, such as SobelMath.
#pragma once

#include "cuda/front/strip/strip.h"
#include "cuda/groups.h"
#include "cuda/pictures.h"
#include "cuda/progress_counters.h"

namespace canny::cuda::strip {

// Each lane computes a magnitude beside the strip: in column -1 or 64 of one of the 16 rows from
// row y on.
struct Beside {
  __device__ static int row() { return lane() % kStep; }
  __device__ static bool right() { return lane() >= kStep; }
};

template <class Math>
__device__ typename Math::Magnitude magnitude_beside(const Math& math, const Strip& strip, int y,
                                                     const BlurredRows& blurred) {
  const bool right = Beside::right();
  const int x = strip.x + (right ? kStrip : -1);
  y += Beside::row();
  const bool outside = x < 0 || x >= strip.width || y < 0 || y >= strip.height;
  const std::uint32_t* word = &blurred[Beside::row()][kBlurredX + (right ? kWarp : -1)];
  const auto g = math.gradient(math.row(word), math.row(word + kBlurredPitch),
                               math.row(word + 2 * kBlurredPitch));
  const auto m = right ? math.pixel(g, 1).magnitude : math.pixel(g, 0).magnitude;
  return outside ? 0 : m;
}

// A lane's pixels of a row: in the left and in the right half of the strip.
template <class Math>
using PixelPair = typename Math::Pixel[2];

// State that passes from one step to the next.
template <class Math>
struct Carried {
  PixelPair<Math> last;                // the last row
  typename Math::Magnitude before[2];  // the magnitudes of the row before it
  typename Math::Magnitude beside;     // magnitude_beside()
};

// The magnitudes of the two neighbors that a pixel is compared with, along its gradient.
template <class Math>
struct Neighbors {
  typename Math::Magnitude before, after;
  bool axial;  // whether they lie in the pixel's row or column
};

// `here` points at the pixel's magnitude.
template <class Math>
__device__ Neighbors<Math> neighbors(const typename Math::Magnitude* here,
                                     const typename Math::Pixel& pixel) {
  using Magnitude = typename Math::Magnitude;
  constexpr int kDown = sizeof(Magnitude) * kMagnitudePitch, kRight = sizeof(Magnitude);
  const bool vertical = Math::is_vertical(pixel);
  const bool axial = vertical || Math::is_horizontal(pixel);
  const bool rising = Math::is_rising(pixel);
  const int along_axis = vertical ? kDown : kRight;
  const int across = axial ? along_axis : rising ? kDown - kRight : kDown + kRight;
  const auto* bytes = reinterpret_cast<const char*>(here);
  return {*reinterpret_cast<const Magnitude*>(bytes - across),
          *reinterpret_cast<const Magnitude*>(bytes + across), axial};
}

template <class Math>
__device__ bool is_candidate(typename Math::Magnitude m, const Neighbors<Math>& than,
                             typename Math::Magnitude low) {
  return (than.axial || m > than.after) && m >= than.after && m > than.before && m > low;
}

// Clears the magnitudes outside the image, in kStripChunk + 2 rows from row y on.
template <class Magnitude>
__device__ void clear_outside(const Strip& strip, int y, MagnitudeRows<Magnitude>& magnitude) {
#pragma unroll 1
  for (int i = 0; i < kStripChunk + 2; ++i) {
    const bool row_is_outside = y + i < 0 || y + i >= strip.height;
    const int columns = strip.width - strip.x;
    if (row_is_outside || lane() >= columns) magnitude[i][1 + lane()] = 0;
    if (row_is_outside || lane() + kWarp >= columns) magnitude[i][1 + lane() + kWarp] = 0;
  }
}

// Writes the words of half a strip for the first kStripChunk of `rows`, from row y on, if any
// magnitude exceeds the low threshold; otherwise they stay 0. Bits of pixels outside the image are
// undefined.
template <class Math>
__device__ void suppress_chunk(Math& math, const Strip& strip, int y,
                               const typename Math::Limits& limits, int half,
                               const PixelPair<Math> (&rows)[kStripChunk + 1],
                               const MagnitudeRows<typename Math::Magnitude>& magnitude,
                               uint2 (*words)[2]) {
  typename Math::Magnitude largest = rows[0][half].magnitude;
#pragma unroll
  for (int i = 1; i < kStripChunk; ++i) largest = max(largest, rows[i][half].magnitude);
  if (!__any_sync(~0u, largest > limits.low)) return;
  // All neighbors are loaded, then all votes are cast, then all words are stored, so that no row
  // waits for the one before it.
  const auto* here = &magnitude[1][1 + lane() + half * kWarp];
  Neighbors<Math> than[kStripChunk];
#pragma unroll
  for (int i = 0; i < kStripChunk; ++i)
    than[i] = neighbors<Math>(here + i * kMagnitudePitch, rows[i][half]);
  [[maybe_unused]] bool lists_all = true;
  if constexpr (Math::kRecordsMaxima) lists_all = math.lists_all(strip, y);
  uint2 bits[kStripChunk];
#pragma unroll
  for (int i = 0; i < kStripChunk; ++i) {
    const auto m = rows[i][half].magnitude;
    bool kept = is_candidate<Math>(m, than[i], limits.low);
    if constexpr (Math::kRecordsMaxima) {
      if (!lists_all) kept = kept && math.lists(strip, strip.x + lane() + half * kWarp, y + i);
      bits[i] = {__ballot_sync(~0u, kept), 0};
      math.append(kept, bits[i].x, rows[i][half]);
    } else {
      bits[i] = {__ballot_sync(~0u, kept), __ballot_sync(~0u, kept && m > limits.high)};
    }
  }
  if (lane() != 0) return;
#pragma unroll
  for (int i = 0; i < kStripChunk; ++i) words[i][half] = bits[i];
}

// Turns 16 rows of blurred pixels from row y on into the words of rows y - 2 .. y + 13.
template <class Math>
__device__ void suppress_rows(Math& math, const Strip& strip, int y,
                              const typename Math::Limits& limits, Carried<Math>* carried,
                              const BlurredRows& blurred,
                              MagnitudeRows<typename Math::Magnitude>& magnitude,
                              StripWords& words) {
  const bool inside = strip.is_whole() && y >= 1 && y + kStep <= strip.height + 1;
  const std::uint32_t* word = &blurred[0][kBlurredX + lane()];
  auto above = math.row(word), here = math.row(word + kBlurredPitch);
  const auto beside = magnitude_beside(math, strip, y - 1, blurred);
  auto* place = &magnitude[0][Beside::right() ? kStrip + 1 : 0];
  if (Beside::row() >= kStep - 2)
    place[(Beside::row() - (kStep - 2)) * kMagnitudePitch] = carried->beside;
  carried->beside = beside;
#pragma unroll 1
  for (int first = 0; first < kStep; first += kStripChunk) {
    typename Math::Gradient gradients[kStripChunk];
#pragma unroll
    for (int i = 0; i < kStripChunk; ++i) {
      const auto below = math.row(word + (2 + first + i) * kBlurredPitch);
      gradients[i] = math.gradient(above, here, below);
      above = here;
      here = below;
    }
    PixelPair<Math> rows[kStripChunk + 1];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      rows[0][half] = carried->last[half];
#pragma unroll
      for (int i = 0; i < kStripChunk; ++i) rows[i + 1][half] = math.pixel(gradients[i], half);
      auto* stored = &magnitude[0][1 + lane() + half * kWarp];
      stored[0] = carried->before[half];
#pragma unroll
      for (int i = 0; i <= kStripChunk; ++i)
        stored[(1 + i) * kMagnitudePitch] = rows[i][half].magnitude;
      carried->before[half] = rows[kStripChunk - 1][half].magnitude;
      carried->last[half] = rows[kStripChunk][half];
    }
    const int row = 2 + Beside::row() - first;
    if (row >= 0 && row < kStripChunk + 2) place[row * kMagnitudePitch] = beside;
    if (!inside) clear_outside(strip, y + first - 3, magnitude);
    __syncwarp();
#pragma unroll
    for (int half = 0; half < 2; ++half)
      suppress_chunk(math, strip, y + first - kApron, limits, half, rows, magnitude, words + first);
    __syncwarp();
  }
}

// Clears the bits beyond the image in a word that begins at column x.
__device__ inline std::uint32_t existing_bits(std::uint32_t word, int x, int width) {
  return width - x < kWordBits ? word & ((1u << (width - x)) - 1) : word;
}

// Stores the words of rows y .. y + 15 as far as the strip stores these.
__device__ inline void store_words(const Strip& strip, int y, const StripWords& words,
                                   const TilePlane& candidate, const TilePlane& strong) {
  y += lane();
  if (lane() >= kStep || y < strip.first || y >= strip.last) return;
  const unsigned column = static_cast<unsigned>(strip.x) / kTile, row = static_cast<unsigned>(y);
  const unsigned place = candidate.tile(column, row / kTile) * kTile + row % kTile;
  TilePlane::Word *candidates = candidate.words + place, *strong_pixels = strong.words + place;
  const bool is_whole = strip.is_whole();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int x = strip.x + kWordBits * half;
    if (!is_whole && x >= strip.width) return;
    uint2 bits = words[lane()][half];
    if (!is_whole)
      bits = {existing_bits(bits.x, x, strip.width), existing_bits(bits.y, x, strip.width)};
    candidates[half * kTile] = bits.x;
    strong_pixels[half * kTile] = bits.y;
  }
}

// Counts the rows of a strip as done in the tiles that they are in, a lane for each tile. Strips of
// a busy device may be taller, but nobody waits for their rows.
__device__ inline void add_progress(const Strip& strip, const TilePlane& plane,
                                    const TileProgress& progress) {
  constexpr int kColumns = kStrip / kTile;
  static_assert((kMaxStripSteps * kStep / kTile + 2) * kColumns <= kWarp);
  static_assert((kRegionStripRows / kTile + 2) * kColumns <= kWarp);
  __syncwarp();
  const int column = strip.x / kTile + lane() % kColumns;
  const int row = strip.first / kTile + lane() / kColumns;
  const int rows = min(strip.last, (row + 1) * kTile) - max(strip.first, row * kTile);
  if (rows > 0 && column < plane.columns()) add_progress(progress, plane.tile(column, row), rows);
}

// Stores 16 rows of blurred pixels from row y on, as far as the strip stores these, in groups of 4
// columns. The last group of a row may go beyond the image, into its pitch, which is a multiple
// of 4.
__device__ inline void store_image(const Strip& strip, int y, const BlurredRows& blurred,
                                   std::uint8_t* image, std::int64_t pitch) {
  constexpr int kGroups = kWarp / kGroup;  // of a row, with those 32 columns further right
  const int column = lane() % kGroups * kGroup, first = lane() / kGroups;
  const int columns = strip.width - strip.x - column, rows = strip.last - y;
  const int image_y = first_row_of_picture(strip.height) + y + first;
  std::uint8_t* row = image + image_y * pitch + strip.x + column;
#pragma unroll
  for (int i = first; i < kStep; i += kWarp / kGroups, row += kWarp / kGroups * pitch) {
    if (i >= rows) return;
    const uint4 both = *reinterpret_cast<const uint4*>(&blurred[2 + i][kBlurredX + column]);
    const std::uint32_t first_two = __byte_perm(both.x, both.y, 0x6240);
    const std::uint32_t last_two = __byte_perm(both.z, both.w, 0x6240);
    if (columns > 0)
      *reinterpret_cast<std::uint32_t*>(row) = __byte_perm(first_two, last_two, 0x5410);
    if (columns > kWarp)
      *reinterpret_cast<std::uint32_t*>(row + kWarp) = __byte_perm(first_two, last_two, 0x7632);
  }
}

// Moves the last two rows of a step before the rows of the next one, and clears the words.
__device__ inline void keep_last_rows(BlurredRows& blurred, StripWords& words) {
  constexpr int kQuads = 2 * kBlurredPitch / 4;
  static_assert(kQuads <= kWarp);
  if (lane() < kQuads)
    *reinterpret_cast<uint4*>(blurred[0] + 4 * lane()) =
        *reinterpret_cast<const uint4*>(blurred[kStep] + 4 * lane());
  if (lane() < kStep) *reinterpret_cast<uint4*>(words[lane()]) = {0, 0, 0, 0};
}

}  // namespace canny::cuda::strip
