// SPDX-License-Identifier: LGPL-2.1-or-later
// The responses of any gradient operator in a tile, in shared memory, and their maxima: for kernels
// that run with every plan. docs/reference/edge-map.md has the definition.
#pragma once

#include <cstdint>

#include "canny/auto_threshold.h"
#include "canny/operator.h"
#include "canny/plan.h"
#include "cuda/front/direction.h"
#include "cuda/front/generic/group_gradient.h"
#include "cuda/front/images/images.h"
#include "cuda/front/separable.h"
#include "cuda/groups.h"
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

/// The integers that hold responses to samples of one type. |gx| and |gy| are at most 24225 with
/// 8-bit samples, 95 * 65535 with deep ones, and always fit in an int.
template <class Sample>
struct ResponseMath {
  using Magnitude = std::uint32_t;  ///< at most 2 * 24225^2 < 2^31
  using Product = int;              ///< for sums of products in directions, which stay below 2^31
};
template <>
struct ResponseMath<std::uint16_t> {
  using Magnitude = std::uint64_t;  ///< at most 2 * (95 * 65535)^2 < 2^47
  using Product = std::int64_t;     ///< likewise, below 2^40
};

/// A pixel's magnitude and sector.
template <class Sample>
struct Response {
  typename ResponseMath<Sample>::Magnitude magnitude;
  Sector sector;
};

template <class Product = int>
__device__ Sector sector_of(int gx, int gy) {
  if (is_horizontal<Product>(gx, gy)) return kHorizontal;
  if (is_vertical<Product>(gx, gy)) return kVertical;
  return (gx ^ gy) < 0 ? kRising : kFalling;
}

/// The length of a magnitude in the unit of thresholds, rounded down.
__device__ inline std::uint32_t length_of(std::uint32_t magnitude, bool is_squared) {
  return is_squared ? length_of_square(magnitude) : magnitude;
}
__device__ inline std::uint32_t length_of(std::uint64_t magnitude, bool is_squared) {
  return deep_length(magnitude, is_squared);
}

/// The response of type `Sample` whose magnitude combines (mx, my), with the direction of (gx, gy).
template <class Sample>
__device__ Response<Sample> response_of(int mx, int my, int gx, int gy, Norm norm) {
  using Math = ResponseMath<Sample>;
  return {magnitude_of<typename Math::Magnitude>(mx, my, norm),
          sector_of<typename Math::Product>(gx, gy)};
}

/// Divides by 2^shift and rounds, halves to even.
__device__ inline int divide(int sum, int shift) {
  if (shift == 0) return sum;
  return (sum + (1 << (shift - 1)) - 1 + (sum >> shift & 1)) >> shift;
}

// ---- the forms of operators ----

// Each form calls store(row, response) for the kRows pixels of a column, from the top down. `pixel`
// points at the first one; rows are kPitch samples apart.

/// A difference in one direction, smoothed in the other.
template <int kReach, int kNumber = 1>
struct SeparableForm {
  static constexpr int kPairReach = kReach <= 2 ? kReach : 0;  ///< that of its PairMath, or 0
  static constexpr int kImages = kNumber;  ///< with PairMath: the number of images

  // Weights that are known when the kernel runs.
  struct Weights {
    const OperatorWeights& of;

    __device__ int difference(int i) const { return of.difference[i]; }
    __device__ int smooth(int i) const { return of.smooth[i]; }
  };

  template <int kRows, int kPitch, class Sample, class Store>
  __device__ static void column(const Sample* pixel, const OperatorWeights& weights, Norm norm,
                                Store store) {
    const auto take = [&](int row, int gx, int gy) {
      gx = divide(gx, weights.shift);
      gy = divide(gy, weights.shift);
      store(row, response_of<Sample>(gx, gy, gx, gy, norm));
    };
    separable_gradients<2 * kReach + 1, kRows, kPitch>(pixel - kReach * (kPitch + 1),
                                                       Weights{weights}, take);
  }
};

/// The differences along both diagonals of 2x2 pixels.
struct DiagonalForm {
  static constexpr int kPairReach = 0;

  template <int kRows, int kPitch, class Sample, class Store>
  __device__ static void column(const Sample* pixel, const OperatorWeights&, Norm norm,
                                Store store) {
#pragma unroll 4
    for (int i = 0; i < kRows; ++i, pixel += kPitch) {
      const int falling = pixel[0] - pixel[kPitch + 1], rising = pixel[1] - pixel[kPitch];
      store(i, response_of<Sample>(falling, rising, rising - falling, -(falling + rising), norm));
    }
  }
};

/// The largest of a mask's responses in eight directions.
struct CompassForm {
  static constexpr int kPairReach = 0;

  template <int kRows, int kPitch, class Sample, class Store>
  __device__ static void column(const Sample* pixel, const OperatorWeights& weights, Norm,
                                Store store) {
    using Magnitude = typename ResponseMath<Sample>::Magnitude;
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
      store(i, Response<Sample>{static_cast<Magnitude>(largest), static_cast<Sector>(first % 4)});
    }
  }
};

/// Returns f(Form()) for the form of an operator and, unless samples are deep, the number of
/// images, on the host.
template <class Sample, class F>
auto with_form(const OperatorWeights& weights, int images, F f) {
  if (weights.form == OperatorForm::kDiagonal) return f(DiagonalForm());
  if (weights.form == OperatorForm::kCompass) return f(CompassForm());
  if constexpr (sizeof(Sample) == 1) {
    if (weights.reach == 1 && images == 3) return f(SeparableForm<1, 3>());
    if (weights.reach == 2 && images == 3) return f(SeparableForm<2, 3>());
  }
  if (weights.reach == 1) return f(SeparableForm<1>());
  return weights.reach == 2 ? f(SeparableForm<2>()) : f(SeparableForm<3>());
}

// ---- a tile ----

/// Rows and columns of pixels around a tile, at most.
inline constexpr int kResponseApron = 1 + kMaxOperatorReach;

/// A tile of kResponseWidth x kHeight pixels: responses, and the pixels that they are computed of,
/// unless these are read from the images. Responses have an apron of 1 row and 1 column; both have
/// aprons of columns that keep groups of pixels aligned.
template <class SampleType, class Form>
struct ResponseTile {
  using Sample = SampleType;
  using Magnitude = typename ResponseMath<Sample>::Magnitude;
  static constexpr bool kIsDeep = sizeof(Sample) > 1;
  static constexpr bool kHasPairs = Form::kPairReach > 0 && !kIsDeep;
  static constexpr int kHeight = kIsDeep     ? kDeepResponseHeight
                                 : kHasPairs ? kPairResponseHeight
                                             : kResponseHeight;
  static constexpr int kApron = kResponseApron;
  static_assert(kApron % kGroup == 0 && kResponseWidth % kWordBits == 0);
  static_assert(kResponseThreads >= kResponseWidth + 2, "a thread takes a column");
  static constexpr int kGroups = (kResponseWidth + 2 * kApron) / kGroup;
  static constexpr int kPitch = kGroups * kGroup;
  static constexpr int kRows = kHeight + 2;

  SampleGroup<Sample> pixels[kHasPairs ? 1 : kHeight + 2 * kApron][kGroups];
  alignas(16) Magnitude magnitude[kRows][kPitch];
  alignas(4) Sector sector[kRows][kPitch];
};

/// The image's column of a tile's first column, and its row of a tile's first response.
__device__ inline int left_of_tile() { return blockIdx.x * kResponseWidth - kResponseApron; }
template <class Tile>
__device__ int top_of_responses() {
  return blockIdx.y * Tile::kHeight - 1;
}

/// Loads the block's tile of an image, a row at a time for each warp. The border is replicated.
template <class Tile>
__device__ void load_pixels(const std::uint8_t* image, const ResponseArguments& arguments,
                            Tile* tile) {
  using Sample = typename Tile::Sample;
  const int width = arguments.width, height = arguments.height;
  const int left = left_of_tile(), top = blockIdx.y * Tile::kHeight - Tile::kApron;
  const auto inside = [&](int x) { return min(max(x, 0), width - 1); };
  constexpr int kRows = Tile::kHeight + 2 * Tile::kApron;
  const int first_y = first_row_of_picture(height);
  for (int row = threadIdx.x / kWarp; row < kRows; row += kResponseThreads / kWarp) {
    const int y = min(max(top + row, 0), height - 1);
    const auto* source = reinterpret_cast<const Sample*>(
        image + static_cast<std::size_t>(arguments.images.pitch) * (first_y + y));
    for (int i = threadIdx.x % kWarp; i < Tile::kGroups; i += kWarp) {
      const int x = left + i * kGroup;
      tile->pixels[row][i] =
          x >= 0 && x + kGroup <= width ? load_group(source + x) : gather_group(source, x, inside);
    }
  }
}

/// Stores responses of an image in the tile; of several images, the first one with the largest
/// magnitude counts. A thread takes a column of responses.
template <class Form, class Tile>
__device__ void store_columns(const ResponseArguments& arguments, int image, Tile* tile) {
  using Sample = typename Tile::Sample;
  load_pixels(arguments.images.image[image], arguments, tile);
  __syncthreads();
  constexpr int kFirst = Tile::kApron - 1;
  const int y = top_of_responses<Tile>();
  const int column = kFirst + threadIdx.x;
  if (column <= Tile::kPitch - Tile::kApron) {
    const int x = left_of_tile() + column;
    const bool column_is_inside = x >= 0 && x < arguments.width;
    const auto store = [&](int row, Response<Sample> response) {
      const bool is_inside = column_is_inside && y + row >= 0 && y + row < arguments.height;
      if (!is_inside) response.magnitude = 0;
      if (image > 0 && response.magnitude <= tile->magnitude[row][column]) return;
      tile->magnitude[row][column] = response.magnitude;
      tile->sector[row][column] = response.sector;
    };
    const auto* pixels = reinterpret_cast<const Sample*>(tile->pixels);
    Form::template column<Tile::kRows, Tile::kPitch>(pixels + kFirst * Tile::kPitch + column,
                                                     arguments.weights, arguments.norm, store);
  }
  __syncthreads();
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
template <class Tile>
__device__ void store_group(const ResponseArguments& arguments, std::uint32_t low, int row,
                            int column, GroupResponses responses, Tile* tile) {
  const int x = left_of_tile() + column, y = top_of_responses<Tile>() + row;
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

/// Stores the responses of all images in the tile, like store_columns(), for operators of PairMath:
/// a thread takes 4 columns of a part of the rows, two pixels at a time, and reads the images
/// directly.
template <Norm kNorm, int kReach, int kImages, class Tile>
__device__ void store_groups(const ResponseArguments& arguments, std::uint32_t low, Tile* tile) {
  constexpr int kParts = kResponseThreads / Tile::kGroups;
  constexpr int kPartRows = (Tile::kRows + kParts - 1) / kParts;
  static_assert(kParts >= 1);
  const int part = threadIdx.x / Tile::kGroups;
  const int column = threadIdx.x % Tile::kGroups * kGroup;
  const int first = part * kPartRows, last = min(first + kPartRows, Tile::kRows);
  const int x = left_of_tile() + column, height = arguments.height;
  const auto math = PairMath<kReach>::of(arguments.weights);
  const auto load = [&](int row, GroupPixels(&pixels)[kImages]) {
    const int y = min(max(top_of_responses<Tile>() + row, 0), height - 1);
    const std::size_t before = static_cast<std::size_t>(arguments.images.pitch) *
                               (first_row_of_picture(arguments.height) + y);
    const std::uint8_t* rows[kImages];
#pragma unroll
    for (int image = 0; image < kImages; ++image)
      rows[image] = arguments.images.image[image] + before;
    load_rows(rows, x, arguments.width, pixels);
  };
  if (part >= kParts || first >= last) return;
  GroupWindow<kReach> windows[kImages];
  GroupPixels pixels[kImages];
#pragma unroll
  for (int row = -kReach; row < kReach; ++row) {
    load(first + row, pixels);
#pragma unroll
    for (int image = 0; image < kImages; ++image) windows[image].add(math, pixels[image]);
  }
#pragma unroll 1
  for (int row = first; row < last; ++row) {
    load(row + kReach, pixels);
    GroupResponses responses;
#pragma unroll
    for (int image = 0; image < kImages; ++image) {
      windows[image].add(math, pixels[image]);
      const GroupGradient g = windows[image].gradient(math);
      if (image > 0) {
        take_larger<kNorm>(g, &responses);
      } else {
        responses.gradient = g;
#pragma unroll
        for (int i = 0; i < kGroup; ++i)
          responses.magnitude[i] = magnitude_of(g.x[i], g.y[i], kNorm);
      }
    }
    store_group(arguments, low, row, column, responses, tile);
  }
}

/// Computes the responses of the block's tile. Outside the image the magnitude is 0. Sectors of
/// magnitudes up to `low` may be undefined. All threads call this.
template <class Form, class Tile>
__device__ void compute_responses(const ResponseArguments& arguments, typename Tile::Magnitude low,
                                  Tile* tile) {
  if constexpr (Tile::kHasPairs) {
    if (arguments.norm == Norm::kL2)
      store_groups<Norm::kL2, Form::kPairReach, Form::kImages>(arguments, low, tile);
    else
      store_groups<Norm::kL1, Form::kPairReach, Form::kImages>(arguments, low, tile);
  } else {
    for (int image = 0; image < arguments.images.count; ++image)
      store_columns<Form>(arguments, image, tile);
  }
  __syncthreads();
}

/// Whether non-maximum suppression keeps the pixel in a row and column of the tile's responses.
template <class Tile>
__device__ bool is_maximum(const Tile& tile, int row, int column) {
  const typename Tile::Magnitude* here = &tile.magnitude[row][column];
  const Sector sector = tile.sector[row][column];
  const int across = sector == kHorizontal ? 1
                     : sector == kVertical ? Tile::kPitch
                     : sector == kRising   ? Tile::kPitch - 1
                                           : Tile::kPitch + 1;
  const bool may_tie = sector == kHorizontal || sector == kVertical;
  return *here > here[-across] && (*here > here[across] || (may_tie && *here == here[across]));
}

/// Calls f(row, column) for each pixel of the image in the block's tile, with its place among the
/// responses.
template <class Tile, class F>
__device__ void for_each_pixel(const ResponseArguments& arguments, F f) {
  const int columns = min(kResponseWidth, arguments.width - int(blockIdx.x) * kResponseWidth);
  const int rows = min(Tile::kHeight, arguments.height - int(blockIdx.y) * Tile::kHeight);
  for (int row = threadIdx.x / kWarp; row < rows; row += kResponseThreads / kWarp)
    for (int column = threadIdx.x % kWarp; column < columns; column += kWarp)
      f(1 + row, Tile::kApron + column);
}

/// Calls f(x, y, magnitude) for the groups of a thread, each while the pixels of the next one are
/// loaded: the magnitudes of 4 pixels from (x, y) on,
/// for separable operators of 3x3 pixels and one image of bytes. Threads of a block of
/// kCountThreads take neighboring groups in each of kRows rows, beyond the right border too.
template <Norm kNorm, int kRows, class F>
__device__ void for_each_group(const ResponseArguments& arguments, F f) {
  const int x = (blockIdx.x * kCountThreads + threadIdx.x) * kGroup;
  const int width = arguments.width, height = arguments.height;
  const int first = blockIdx.y * kRows, last = min(first + kRows, height);
  const std::uint8_t* image =
      arguments.images.image[0] +
      static_cast<std::size_t>(arguments.images.pitch) * first_row_of_picture(height);
  const auto math = PairMath<1>::of(arguments.weights);
  GroupWindow<1> window;
  GroupPixels pixels[1];
  const auto load = [&](int y) {
    const std::size_t row = min(max(y, 0), height - 1);
    load_rows({image + arguments.images.pitch * row}, x, width, pixels);
  };
  load(first - 1);
  window.add(math, pixels[0]);
  load(first);
  window.add(math, pixels[0]);
  load(first + 1);
#pragma unroll 1
  for (int y = first; y < last; ++y) {
    window.add(math, pixels[0]);
    load(y + 2);
    const GroupGradient g = window.gradient(math);
    std::uint32_t magnitude[kGroup];
#pragma unroll
    for (int i = 0; i < kGroup; ++i) magnitude[i] = magnitude_of(g.x[i], g.y[i], kNorm);
    f(x, y, magnitude);
  }
}

}  // namespace canny::cuda
