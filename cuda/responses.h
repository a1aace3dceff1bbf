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
#include "cuda/pairs.h"
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
template <int kReach, int kNumber = 1>
struct SeparableForm {
  static constexpr bool kHasPairs = kReach == 1;  ///< whether PairMath computes it
  static constexpr int kImages = kNumber;         ///< of kHasPairs: the number of images
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
  static constexpr bool kHasPairs = false;

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
  static constexpr bool kHasPairs = false;

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

/// Returns f(Form()) for the form of an operator and the number of images, on the host.
template <class F>
auto with_form(const OperatorWeights& weights, int images, F f) {
  if (weights.form == OperatorForm::kDiagonal) return f(DiagonalForm());
  if (weights.form == OperatorForm::kCompass) return f(CompassForm());
  if (weights.reach == 1) return images == 3 ? f(SeparableForm<1, 3>()) : f(SeparableForm<1>());
  return weights.reach == 2 ? f(SeparableForm<2>()) : f(SeparableForm<3>());
}

// ---- a tile ----

/// A tile of kResponseWidth x kResponseHeight pixels: responses, and the pixels that most of them
/// are computed of. Responses have an apron of 1 row and 1 column; both have aprons of columns that
/// keep words aligned.
struct ResponseTile {
  static constexpr int kApron = 1 + kMaxOperatorReach;
  static_assert(kApron % kGroup == 0 && kResponseWidth % kWordBits == 0);
  static_assert(kResponseThreads >= kResponseWidth + 2, "a thread takes a column");
  static constexpr int kGroups = (kResponseWidth + 2 * kApron) / kGroup;
  static constexpr int kPitch = kGroups * kGroup;
  static constexpr int kRows = kResponseHeight + 2;

  std::uint32_t pixels[kResponseHeight + 2 * kApron][kGroups];  // 4 in a word
  alignas(16) std::uint32_t magnitude[kRows][kPitch];
  alignas(4) Sector sector[kRows][kPitch];
};

/// The image's column of a tile's first column, and its row of a tile's first response.
__device__ inline int left_of_tile() { return blockIdx.x * kResponseWidth - ResponseTile::kApron; }
__device__ inline int top_of_responses() { return blockIdx.y * kResponseHeight - 1; }

/// Loads the block's tile of an image, a row at a time for each warp. The border is replicated.
__device__ inline void load_pixels(const std::uint8_t* image, const ResponseArguments& arguments,
                                   ResponseTile* tile) {
  const int width = arguments.width, height = arguments.height;
  const int left = left_of_tile(), top = blockIdx.y * kResponseHeight - ResponseTile::kApron;
  const auto inside = [&](int x) { return min(max(x, 0), width - 1); };
  constexpr int kRows = kResponseHeight + 2 * ResponseTile::kApron;
  for (int row = threadIdx.x / kWarp; row < kRows; row += kResponseThreads / kWarp) {
    const int y = min(max(top + row, 0), height - 1);
    const std::uint8_t* source = image + static_cast<std::size_t>(arguments.images.pitch) * y;
    for (int i = threadIdx.x % kWarp; i < ResponseTile::kGroups; i += kWarp) {
      const int x = left + i * kGroup;
      tile->pixels[row][i] =
          x >= 0 && x + kGroup <= width ? load_group(source + x) : gather_group(source, x, inside);
    }
  }
}

/// Stores responses of an image in the tile; of several images, the first one with the largest
/// magnitude counts. A thread takes a column of responses.
template <class Form>
__device__ void store_columns(const ResponseArguments& arguments, int image, ResponseTile* tile) {
  load_pixels(arguments.images.image[image], arguments, tile);
  __syncthreads();
  constexpr int kFirst = ResponseTile::kApron - 1;
  const int y = top_of_responses();
  const int column = kFirst + threadIdx.x;
  if (column <= ResponseTile::kPitch - ResponseTile::kApron) {
    const int x = left_of_tile() + column;
    const bool column_is_inside = x >= 0 && x < arguments.width;
    const auto store = [&](int row, Response response) {
      const bool is_inside = column_is_inside && y + row >= 0 && y + row < arguments.height;
      if (!is_inside) response.magnitude = 0;
      if (image > 0 && response.magnitude <= tile->magnitude[row][column]) return;
      tile->magnitude[row][column] = response.magnitude;
      tile->sector[row][column] = response.sector;
    };
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(tile->pixels);
    Form::template column<ResponseTile::kRows, ResponseTile::kPitch>(
        pixels + kFirst * ResponseTile::kPitch + column, arguments.weights, arguments.norm, store);
  }
  __syncthreads();
}

/// The differences and sums of a row of 4 pixels: of the first and the third one, of the others.
struct GroupRow {
  PairMath::Row even, odd;
};

/// Loads a row of 4 pixels from column x on and those beside them. The border is replicated.
__device__ inline GroupRow group_row(const PairMath& math, const std::uint8_t* row, int x,
                                     int width) {
  constexpr std::uint32_t kLowBytes = 0x00ff00ff;
  const auto inside = [&](int column) { return min(max(column, 0), width - 1); };
  std::uint32_t before, here, after;
  if (x >= kGroup && x + 2 * kGroup <= width) {
    before = load_group(row + x - kGroup);
    here = load_group(row + x);
    after = load_group(row + x + kGroup);
  } else {
    before = std::uint32_t{row[inside(x - 1)]} << 24;
    here = gather_group(row, x, inside);
    after = row[inside(x + kGroup)];
  }
  const std::uint32_t even = here & kLowBytes, odd = here >> 8 & kLowBytes;
  const std::uint32_t left_of_even = odd << 16 | before >> 24;
  const std::uint32_t right_of_odd = even >> 16 | (after & 255) << 16;
  return {math.row(left_of_even, even, odd), math.row(even, odd, right_of_odd)};
}

/// gx and gy of 4 pixels.
struct GroupGradient {
  int x[kGroup], y[kGroup];
};

__device__ inline GroupGradient group_gradient(const PairMath& math, const GroupRow& above,
                                               const GroupRow& here, const GroupRow& below) {
  const PairMath::Gradient even = math.gradient(above.even, here.even, below.even);
  const PairMath::Gradient odd = math.gradient(above.odd, here.odd, below.odd);
  return {{math.x(even, 0), math.x(odd, 0), math.x(even, 1), math.x(odd, 1)},
          {math.y(even, 0), math.y(odd, 0), math.y(even, 1), math.y(odd, 1)}};
}

/// The responses of 4 pixels, with the gradients that sectors follow from.
struct GroupResponses {
  GroupGradient gradient;
  std::uint32_t magnitude[kGroup];
};

/// Replaces responses by those of another image whose magnitudes exceed them.
template <Norm kNorm>
__device__ void take_larger(const GroupGradient& other, GroupResponses* responses) {
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    const std::uint32_t magnitude = magnitude_of(other.x[i], other.y[i], kNorm);
    if (magnitude <= responses->magnitude[i]) continue;
    responses->magnitude[i] = magnitude;
    responses->gradient.x[i] = other.x[i];
    responses->gradient.y[i] = other.y[i];
  }
}

/// Of compute_responses(): no magnitude needs a sector.
inline constexpr std::uint32_t kNoSectors = ~0u;

/// Stores 4 responses of a row from column `column` of the tile on.
__device__ inline void store_group(const ResponseArguments& arguments, std::uint32_t low, int row,
                                   int column, GroupResponses responses, ResponseTile* tile) {
  const int x = left_of_tile() + column, y = top_of_responses() + row;
  std::uint32_t(&magnitude)[kGroup] = responses.magnitude;
  if (y < 0 || y >= arguments.height || x < 0 || x + kGroup > arguments.width) {
    const bool row_is_inside = y >= 0 && y < arguments.height;
    for (int i = 0; i < kGroup; ++i)
      if (!row_is_inside || x + i < 0 || x + i >= arguments.width) magnitude[i] = 0;
  }
  *reinterpret_cast<uint4*>(&tile->magnitude[row][column]) =
      make_uint4(magnitude[0], magnitude[1], magnitude[2], magnitude[3]);
  bool has_sectors = false;
#pragma unroll
  for (int i = 0; i < kGroup; ++i) has_sectors |= magnitude[i] > low;
  if (!has_sectors) return;
  std::uint32_t sectors = 0;
#pragma unroll
  for (int i = 0; i < kGroup; ++i)
    sectors |= std::uint32_t{sector_of(responses.gradient.x[i], responses.gradient.y[i])} << 8 * i;
  *reinterpret_cast<std::uint32_t*>(&tile->sector[row][column]) = sectors;
}

/// Stores the responses of all images in the tile, like store_columns(), for separable operators of
/// 3x3 pixels: a thread takes 4 columns of a part of the rows, two pixels at a time, and reads the
/// images directly.
template <Norm kNorm, int kImages>
__device__ void store_groups(const ResponseArguments& arguments, std::uint32_t low,
                             ResponseTile* tile) {
  constexpr int kParts = kResponseThreads / ResponseTile::kGroups;
  constexpr int kPartRows = (ResponseTile::kRows + kParts - 1) / kParts;
  static_assert(kParts >= 1);
  const int part = threadIdx.x / ResponseTile::kGroups;
  const int column = threadIdx.x % ResponseTile::kGroups * kGroup;
  const int first = part * kPartRows, last = min(first + kPartRows, ResponseTile::kRows);
  const int x = left_of_tile() + column, height = arguments.height;
  const PairMath math = {arguments.weights.smooth[0], arguments.weights.smooth[1]};
  const auto load = [&](int image, int row) {
    const int y = min(max(top_of_responses() + row, 0), height - 1);
    const std::size_t before = static_cast<std::size_t>(arguments.images.pitch) * y;
    return group_row(math, arguments.images.image[image] + before, x, arguments.width);
  };
  if (part >= kParts || first >= last) return;
  GroupRow above[kImages], here[kImages];
#pragma unroll
  for (int image = 0; image < kImages; ++image) {
    above[image] = load(image, first - 1);
    here[image] = load(image, first);
  }
#pragma unroll 1
  for (int row = first; row < last; ++row) {
    GroupResponses responses;
#pragma unroll
    for (int image = 0; image < kImages; ++image) {
      const GroupRow below = load(image, row + 1);
      const GroupGradient g = group_gradient(math, above[image], here[image], below);
      if (image > 0) {
        take_larger<kNorm>(g, &responses);
      } else {
        responses.gradient = g;
#pragma unroll
        for (int i = 0; i < kGroup; ++i)
          responses.magnitude[i] = magnitude_of(g.x[i], g.y[i], kNorm);
      }
      above[image] = here[image];
      here[image] = below;
    }
    store_group(arguments, low, row, column, responses, tile);
  }
}

/// Computes the responses of the block's tile. Outside the image the magnitude is 0. Sectors of
/// magnitudes up to `low` may be undefined. All threads call this.
template <class Form>
__device__ void compute_responses(const ResponseArguments& arguments, std::uint32_t low,
                                  ResponseTile* tile) {
  if constexpr (Form::kHasPairs) {
    if (arguments.norm == Norm::kL2)
      store_groups<Norm::kL2, Form::kImages>(arguments, low, tile);
    else
      store_groups<Norm::kL1, Form::kImages>(arguments, low, tile);
  } else {
    for (int image = 0; image < arguments.images.count; ++image)
      store_columns<Form>(arguments, image, tile);
  }
  __syncthreads();
}

/// Whether non-maximum suppression keeps the pixel in a row and column of the tile's responses.
__device__ inline bool is_maximum(const ResponseTile& tile, int row, int column) {
  const std::uint32_t* here = &tile.magnitude[row][column];
  const Sector sector = tile.sector[row][column];
  const int across = sector == kHorizontal ? 1
                     : sector == kVertical ? ResponseTile::kPitch
                     : sector == kRising   ? ResponseTile::kPitch - 1
                                           : ResponseTile::kPitch + 1;
  const bool may_tie = sector == kHorizontal || sector == kVertical;
  return *here > here[-across] && (*here > here[across] || (may_tie && *here == here[across]));
}

/// Calls f(row, column) for each pixel of the image in the block's tile, with its place among the
/// responses.
template <class F>
__device__ void for_each_pixel(const ResponseArguments& arguments, F f) {
  const int columns = min(kResponseWidth, arguments.width - int(blockIdx.x) * kResponseWidth);
  const int rows = min(kResponseHeight, arguments.height - int(blockIdx.y) * kResponseHeight);
  for (int row = threadIdx.x / kWarp; row < rows; row += kResponseThreads / kWarp)
    for (int column = threadIdx.x % kWarp; column < columns; column += kWarp)
      f(1 + row, ResponseTile::kApron + column);
}

/// Calls f(x, y, magnitude) for the groups of a thread: the magnitudes of 4 pixels from (x, y) on,
/// for separable operators of 3x3 pixels. Threads of a block of kCountThreads take neighboring
/// groups in each of kRows rows, beyond the right border too.
template <Norm kNorm, int kRows, class F>
__device__ void for_each_group(const ResponseArguments& arguments, F f) {
  const int x = (blockIdx.x * kCountThreads + threadIdx.x) * kGroup;
  const int width = arguments.width, height = arguments.height;
  const int first = blockIdx.y * kRows, last = min(first + kRows, height);
  const PairMath math = {arguments.weights.smooth[0], arguments.weights.smooth[1]};
  const auto load = [&](int y) {
    const std::size_t row = min(max(y, 0), height - 1);
    return group_row(math, arguments.images.image[0] + arguments.images.pitch * row, x, width);
  };
  GroupRow above = load(first - 1), here = load(first);
#pragma unroll 1
  for (int y = first; y < last; ++y) {
    const GroupRow below = load(y + 1);
    const GroupGradient g = group_gradient(math, above, here, below);
    std::uint32_t magnitude[kGroup];
#pragma unroll
    for (int i = 0; i < kGroup; ++i) magnitude[i] = magnitude_of(g.x[i], g.y[i], kNorm);
    f(x, y, magnitude);
    above = here;
    here = below;
  }
}

}  // namespace canny::cuda
