// SPDX-License-Identifier: LGPL-2.1-or-later
// The responses of any gradient operator in a tile, in shared memory, and their maxima: for kernels
// that run with every plan. docs/design.md has the definition.
#pragma once

#include <cstdint>

#include "canny/constants.h"
#include "canny/operator.h"
#include "canny/plan.h"
#include "cuda/groups.h"
#include "cuda/images.h"
#include "cuda/tuning.h"

namespace canny::cuda {

/// The part of a plan that responses depend on.
struct ResponseArguments {
  Images images;
  int width, height;
  OperatorWeights weights;
  Norm norm;
  int is_thin;  ///< whether suppression keeps only maxima
  int unused;   ///< instead of padding
};

inline ResponseArguments response_arguments(const Plan& plan, const Images& images, int width,
                                            int height) {
  return {images, width, height, plan.weights, plan.norm, plan.is_thin ? 1 : 0, 0};
}

/// The sectors of a gradient's direction. Along a falling one, x and y grow together.
enum Sector : std::uint8_t { kHorizontal, kRising, kVertical, kFalling };

/// A pixel's magnitude, at most 2 * 24225^2 < 2^31, and sector.
struct Response {
  std::uint32_t magnitude;
  Sector sector;
};

__device__ inline std::uint32_t magnitude_of(int gx, int gy, Norm norm) {
  return norm == Norm::kL2 ? static_cast<std::uint32_t>(gx * gx) + gy * gy : abs(gx) + abs(gy);
}

/// |gx| and |gy| are at most 24225, so no sum reaches 2^31.
__device__ inline Sector sector_of(int gx, int gy) {
  const int steepness = abs(gy) << kTangentShift, flat = kTangent * abs(gx);
  if (steepness < flat) return kHorizontal;
  if (steepness > flat + (abs(gx) << (kTangentShift + 1))) return kVertical;
  return (gx ^ gy) < 0 ? kRising : kFalling;
}

/// Divides by 2^shift and rounds, halves to even.
__device__ inline int divide(int sum, int shift) {
  if (shift == 0) return sum;
  return (sum + (1 << (shift - 1)) - 1 + (sum >> shift & 1)) >> shift;
}

// ---- the forms of operators ----

// Each form calls store(row, response) for the kRows pixels of a column, from the top down. `pixel`
// points at the first one; rows are kPitch bytes apart.

/// A difference in one direction, smoothed in the other.
template <int kReach>
struct SeparableForm {
  static constexpr int kSize = 2 * kReach + 1;

  // The difference and the smoothed sum of a row are used for kSize rows of gradients.
  template <int kRows, int kPitch, class Store>
  __device__ static void column(const std::uint8_t* pixel, const OperatorWeights& weights,
                                Norm norm, Store store) {
    int differences[kSize] = {}, sums[kSize] = {};
#pragma unroll
    for (int i = 0; i < kRows + kSize - 1; ++i) {
      int difference = 0, sum = 0;
#pragma unroll
      for (int j = 0; j < kSize; ++j) {
        const int value = pixel[(i - kReach) * kPitch + j - kReach];
        difference += weights.difference[j] * value;
        sum += weights.smooth[j] * value;
      }
      differences[i % kSize] = difference;
      sums[i % kSize] = sum;
      if (i + 1 < kSize) continue;
      int gx = 0, gy = 0;
#pragma unroll
      for (int j = 0; j < kSize; ++j) {
        gx += weights.smooth[j] * differences[(i + 1 + j) % kSize];
        gy += weights.difference[j] * sums[(i + 1 + j) % kSize];
      }
      gx = divide(gx, weights.shift);
      gy = divide(gy, weights.shift);
      store(i + 1 - kSize, Response{magnitude_of(gx, gy, norm), sector_of(gx, gy)});
    }
  }
};

/// The differences along both diagonals of 2x2 pixels.
struct DiagonalForm {
  template <int kRows, int kPitch, class Store>
  __device__ static void column(const std::uint8_t* pixel, const OperatorWeights&, Norm norm,
                                Store store) {
#pragma unroll 4
    for (int i = 0; i < kRows; ++i, pixel += kPitch) {
      const int falling = pixel[0] - pixel[kPitch + 1], rising = pixel[1] - pixel[kPitch];
      store(i, Response{magnitude_of(falling, rising, norm),
                        sector_of(rising - falling, -(falling + rising))});
    }
  }
};

/// The largest of a mask's responses in eight directions.
struct CompassForm {
  template <int kRows, int kPitch, class Store>
  __device__ static void column(const std::uint8_t* pixel, const OperatorWeights& weights, Norm,
                                Store store) {
    // E, NE, N, NW, W, SW, S, SE.
    constexpr int kAround[8] = {1,  1 - kPitch, -kPitch, -1 - kPitch,
                                -1, kPitch - 1, kPitch,  kPitch + 1};
#pragma unroll 1
    for (int i = 0; i < kRows; ++i, pixel += kPitch) {
      int values[8];
#pragma unroll
      for (int j = 0; j < 8; ++j) values[j] = pixel[kAround[j]];
      int largest = 0, first = 0;
#pragma unroll
      for (int mask = 0; mask < 8; ++mask) {
        int sum = 0;
#pragma unroll
        for (int j = 0; j < 8; ++j) sum += weights.east[j] * values[(j + mask) % 8];
        if (mask == 0 || sum > largest) largest = sum, first = mask;
      }
      // The directions of masks 0 to 3 are horizontal, rising, vertical, falling.
      store(i, Response{static_cast<std::uint32_t>(largest), static_cast<Sector>(first % 4)});
    }
  }
};

/// Returns f<Form>() for the form of an operator, on the host.
template <class F>
auto with_form(const OperatorWeights& weights, F f) {
  if (weights.form == OperatorForm::kDiagonal) return f(DiagonalForm());
  if (weights.form == OperatorForm::kCompass) return f(CompassForm());
  return weights.reach == 1   ? f(SeparableForm<1>())
         : weights.reach == 2 ? f(SeparableForm<2>())
                              : f(SeparableForm<3>());
}

// ---- a tile ----

inline constexpr int kResponseWidth = kSuppressWidth + 2, kResponseHeight = kSuppressHeight + 2;
static_assert(kSuppressWidth % kWordBits == 0 && kResponseWidth <= kSuppressThreads);

/// A tile of kSuppressWidth x kSuppressHeight pixels: responses with an apron of 1, and the pixels
/// that they are computed of, with an apron that keeps words aligned.
struct ResponseTile {
  static constexpr int kApron = 1 + kMaxOperatorReach;
  static_assert(kApron % kGroup == 0);
  static constexpr int kGroups = (kSuppressWidth + 2 * kApron) / kGroup;
  static constexpr int kPitch = kGroups * kGroup;

  std::uint32_t pixels[kSuppressHeight + 2 * kApron][kGroups];  // 4 in a word
  std::uint32_t magnitude[kResponseHeight][kResponseWidth];
  Sector sector[kResponseHeight][kResponseWidth];
};

/// Loads the block's tile of an image, a row at a time for each warp. The border is replicated.
__device__ inline void load_pixels(const std::uint8_t* image, const ResponseArguments& arguments,
                                   ResponseTile* tile) {
  const int width = arguments.width, height = arguments.height;
  const int left = blockIdx.x * kSuppressWidth - ResponseTile::kApron;
  const int top = blockIdx.y * kSuppressHeight - ResponseTile::kApron;
  const auto inside = [&](int x) { return min(max(x, 0), width - 1); };
  constexpr int kRows = kSuppressHeight + 2 * ResponseTile::kApron;
  for (int row = threadIdx.x / kWarp; row < kRows; row += kSuppressThreads / kWarp) {
    const int y = min(max(top + row, 0), height - 1);
    const std::uint8_t* source = image + static_cast<std::size_t>(arguments.images.pitch) * y;
    for (int i = threadIdx.x % kWarp; i < ResponseTile::kGroups; i += kWarp) {
      const int x = left + i * kGroup;
      tile->pixels[row][i] =
          x >= 0 && x + kGroup <= width ? load_group(source + x) : gather_group(source, x, inside);
    }
  }
}

/// Computes the responses of the block's tile. Outside the image the magnitude is 0. Of several
/// images, the first one with the largest magnitude counts. All threads call this.
template <class Form>
__device__ void compute_responses(const ResponseArguments& arguments, ResponseTile* tile) {
  const int column = threadIdx.x;
  const int x = blockIdx.x * kSuppressWidth + column - 1, y = blockIdx.y * kSuppressHeight - 1;
  const bool column_is_inside = x >= 0 && x < arguments.width;
  for (int i = 0; i < arguments.images.count; ++i) {
    load_pixels(arguments.images.image[i], arguments, tile);
    __syncthreads();
    const auto store = [&](int row, Response response) {
      const bool is_inside = column_is_inside && y + row >= 0 && y + row < arguments.height;
      if (!is_inside) response.magnitude = 0;
      if (i > 0 && response.magnitude <= tile->magnitude[row][column]) return;
      tile->magnitude[row][column] = response.magnitude;
      tile->sector[row][column] = response.sector;
    };
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(tile->pixels);
    constexpr int kFirst = ResponseTile::kApron - 1;
    if (column < kResponseWidth)
      Form::template column<kResponseHeight, ResponseTile::kPitch>(
          pixels + kFirst * ResponseTile::kPitch + kFirst + column, arguments.weights,
          arguments.norm, store);
    __syncthreads();
  }
}

/// Whether non-maximum suppression keeps the pixel in a row and column of the tile's responses.
__device__ inline bool is_maximum(const ResponseTile& tile, int row, int column) {
  const std::uint32_t* here = &tile.magnitude[row][column];
  const Sector sector = tile.sector[row][column];
  const int across = sector == kHorizontal ? 1
                     : sector == kVertical ? kResponseWidth
                     : sector == kRising   ? kResponseWidth - 1
                                           : kResponseWidth + 1;
  const bool may_tie = sector == kHorizontal || sector == kVertical;
  return *here > here[-across] && (*here > here[across] || (may_tie && *here == here[across]));
}

}  // namespace canny::cuda
