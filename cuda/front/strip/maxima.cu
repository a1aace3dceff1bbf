// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists the pixels that non-maximum suppression keeps without thresholds, by the second half of
// front_strip_kernel(); counts them and splits them by thresholds.
#include <cstdint>
#include <limits>
#include <utility>

#include "cuda/front/block_histogram.h"
#include "cuda/front/front.h"
#include "cuda/front/strip/kernel.h"
#include "cuda/front/strip/sobel.h"
#include "cuda/front/strip/weighted.h"
#include "cuda/geometry.h"
#include "cuda/thresholds/thresholds.h"
#include "cuda/tuning.h"

namespace canny::cuda {

// The magnitudes that strips keep, in device memory, a list per strip. The pixels of a list are
// ordered: kStripChunk rows of the left half of a strip, the same rows of the right half, the rows
// below them. The first chunk begins 4 rows above the strip.
struct MaximaLists {
  std::uint32_t* words;
  int columns, rows;  // of strips: their number beside each other, and the rows of each

  // The list of a strip of the block's picture: its length, and from kFirst on magnitudes.
  // `strip_rows` is the number of strips above each other.
  __device__ std::uint32_t* list(int strip_x, int strip_y, int strip_rows) const {
    const std::size_t row = std::size_t{1} * blockIdx.z * strip_rows + strip_y;
    return words + (row * columns + strip_x) * (rows + 1) * strip::kStrip;
  }
  static constexpr int kFirst = strip::kStrip;
};

namespace strip {

// The arithmetic of an operator, Math, with a list of the magnitudes that suppression keeps.
template <class Math>
struct MaximaRecorder : Math {
  static constexpr bool kRecordsMaxima = true;
  const RegionPlane& region;
  std::uint32_t* list;
  std::uint32_t length, lower_lanes;

  __device__ static MaximaRecorder of(const StripArguments& arguments, int rows,
                                      const RegionPlane& region) {
    const MaximaLists lists = {static_cast<std::uint32_t*>(arguments.stored),
                               static_cast<int>(gridDim.x), rows};
    return {Math::of(arguments, rows, region), region,
            lists.list(blockIdx.x, blockIdx.y, gridDim.y), 0, (1u << lane()) - 1};
  }

  // Whether all pixels of a chunk, if suppression keeps them, belong to the list.
  __device__ bool lists_all(const Strip& strip, int y) const {
    return strip.is_whole() && y >= strip.first && y + kStripChunk <= strip.last &&
           !region.is_set();
  }
  // Whether a pixel does.
  __device__ bool lists(const Strip& strip, int x, int y) const {
    return x < strip.width && y >= strip.first && y < strip.last &&
           (!region.is_set() || region.bits.bit(x, y));
  }
  // Appends the magnitudes of the lanes with `kept`, whose bits are set.
  __device__ void append(bool kept, std::uint32_t bits, const typename Math::Pixel& pixel) {
    if (kept)
      list[MaximaLists::kFirst + length + __popc(bits & lower_lanes)] =
          Math::integer(pixel.magnitude);
    length += __popc(bits);
  }
  // Call after the last pixel.
  __device__ void finish() const {
    if (lane() == 0) *list = length;
  }
};

}  // namespace strip

namespace {

// The image's rows are aligned, and there is nothing to blur.
template <template <Norm> class Math>
Status launch_maxima(const FrontArguments& arguments, Launcher* launcher) {
  using namespace strip;
  using L1 = MaximaRecorder<Math<Norm::kL1>>;
  using L2 = MaximaRecorder<Math<Norm::kL2>>;
  StripArguments strip = strip_arguments(arguments, kLumaWeights, arguments.buffers.maxima);
  strip.thresholds = {{0, std::numeric_limits<std::int32_t>::max()}, nullptr};
  const auto launch = arguments.plan.norm == Norm::kL2 ? launch_strip<1, true, 8, false, L2>
                                                       : launch_strip<1, true, 8, false, L1>;
  return launch(arguments, strip, launcher);
}

// ---- lists of a frame ----

__global__ void __launch_bounds__(kWarp* kMaximaStrips)
    count_maxima_kernel(MaximaLists lists, int strip_rows, int are_squared, int bin_shift,
                        Histogram* histogram) {
  constexpr int kBatch = 4;
  __shared__ BlockHistogram<kBins> counts;
  counts.clear();
  const int strip = blockIdx.x * kMaximaStrips + threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  wait_and_start_next();
  if (strip < lists.columns * strip_rows) {
    const std::uint32_t* list = lists.list(strip, 0, strip_rows);
    const int length = static_cast<int>(*list);
    for (int first = lane; first < length; first += kBatch * kWarp) {
      std::uint32_t magnitudes[kBatch] = {};  // loaded before the first count, for speed
#pragma unroll
      for (int i = 0; i < kBatch; ++i)
        if (first + i * kWarp < length)
          magnitudes[i] = list[MaximaLists::kFirst + first + i * kWarp];
#pragma unroll
      for (const std::uint32_t magnitude : magnitudes) {
        if (magnitude == 0) continue;  // beyond the list
        const std::uint32_t own = are_squared ? length_of_square(magnitude) : magnitude;
        atomicAdd(&counts.bins[own >> bin_shift], 1u);
      }
    }
  }
  counts.add_to(histogram + blockIdx.z);
}

// Returns the sum of the values of lower lanes. Adds the sum of all values to `*total`.
__device__ int sum_before(int value, int* total) {
  int sum = value;
#pragma unroll
  for (int step = 1; step < kWarp; step *= 2) {
    const int other = __shfl_up_sync(~0u, sum, step);
    if (static_cast<int>(threadIdx.x) % kWarp >= step) sum += other;
  }
  *total += __shfl_sync(~0u, sum, kWarp - 1);
  return sum - value;
}

// A warp takes a strip, in the order of its list, a word per lane.
__global__ void __launch_bounds__(kWarp* kMaximaStrips)
    split_maxima_kernel(MaximaLists lists, __grid_constant__ const ThresholdArguments source,
                        TilePlane candidate, TilePlane strong, bool is_busy) {
  constexpr int kChunkWords = 2 * kStripChunk;
  static_assert(kWarp % kChunkWords == 0);
  const int strip_x = blockIdx.x * kMaximaStrips + threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  wait_and_start_next(is_busy);
  if (strip_x >= lists.columns) return;  // the whole warp
  const Thresholds thresholds = source.get();
  const auto low = static_cast<std::uint32_t>(thresholds.low);
  const auto high = static_cast<std::uint32_t>(thresholds.high);
  const std::uint32_t* magnitudes =
      lists.list(strip_x, blockIdx.y, gridDim.y) + MaximaLists::kFirst;
  const int tile_x = 2 * strip_x + lane / kStripChunk % 2;
  const int first_y = blockIdx.y * lists.rows, last_y = min(first_y + lists.rows, strong.height);
  // The chunks begin above the strip, where nothing is listed.
  const int top = first_y - 2 * strip::kApron;
  int y = top + lane / kChunkWords * kStripChunk + lane % kStripChunk, listed = 0;
  for (int i = top; i < last_y; i += kWarp / 2, y += kWarp / 2) {
    const bool exists = y >= first_y && y < last_y && tile_x < strong.columns();
    const std::uint32_t kept = exists ? candidate.word(tile_x, y) : 0;
    const std::uint32_t* magnitude = magnitudes + listed;
    magnitude += sum_before(__popc(kept), &listed);
    std::uint32_t candidates = 0, strong_ones = 0;
#pragma unroll 4
    for (std::uint32_t rest = kept; rest != 0; rest &= rest - 1, ++magnitude) {
      const std::uint32_t bit = rest & -rest;
      if (*magnitude > low) candidates |= bit;
      if (*magnitude > high) strong_ones |= bit;
    }
    if (!exists) continue;
    candidate.word(tile_x, y) = candidates;
    strong.word(tile_x, y) = strong_ones;
  }
}

// The lists of a frame, and the strips above each other.
std::pair<MaximaLists, int> lists_of(const FrontArguments& arguments) {
  const int rows = strip::rows_of_strips(arguments);
  return {{arguments.buffers.maxima, blocks(arguments.candidate.width, strip::kStrip), rows},
          blocks(arguments.candidate.height, rows)};
}

}  // namespace

Status list_maxima(const FrontArguments& arguments, Launcher* launcher) {
  return arguments.plan.op == Operator::kSobel
             ? launch_maxima<strip::SobelMath>(arguments, launcher)
             : launch_maxima<strip::WeightedMath>(arguments, launcher);
}

Status count_maxima(const FrontArguments& arguments, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const auto [lists, strip_rows] = lists_of(arguments);
  return launcher->launch("maxima counting kernel", count_maxima_kernel,
                          blocks(lists.columns * strip_rows, kMaximaStrips), kWarp * kMaximaStrips,
                          0, lists, strip_rows, plan.is_squared() ? 1 : 0,
                          plan.auto_threshold.bin_shift, arguments.histogram);
}

Status split_maxima(const FrontArguments& arguments, Launcher* launcher) {
  const auto [lists, strip_rows] = lists_of(arguments);
  return launcher->launch("maxima splitting kernel", split_maxima_kernel,
                          dim3(blocks(lists.columns, kMaximaStrips), strip_rows),
                          kWarp * kMaximaStrips, 0, lists,
                          ThresholdArguments::of(arguments.plan, arguments.measured),
                          arguments.candidate, arguments.strong, arguments.device.is_busy);
}

}  // namespace canny::cuda
