// SPDX-License-Identifier: LGPL-2.1-or-later
// Both passes of the Gaussian blur, for any number of taps. After Luo and Duraiswami, "Canny edge
// detection on NVIDIA CUDA" (CVPRW 2008).
#include <algorithm>
#include <type_traits>

#include "cuda/check.h"
#include "cuda/front/images/images.h"
#include "cuda/front/luma_words.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// The row taps over the words of pixels that a group's 4 sums read: the group's own word, and
// `apron` words on each side.
constexpr int kMaxApron = (kMaxRadius + kGroup - 1) / kGroup;
struct RowTaps {
  struct alignas(16) Word {
    std::uint32_t sum[kGroup];  // the taps shifted by 0 .. 3 pixels
  };
  int apron, radius;
  int unused[2];  // instead of padding
  Word words[2 * kMaxApron + 1];
};

// A warp's rows, with their aprons.
template <class Sample>
using RowTile = SampleGroup<Sample>[kRowHeight][kWarp + 2 * kMaxApron];

template <class Sample>
__device__ void load_rows(const std::uint8_t* luma, std::ptrdiff_t stride, bool aligned, int width,
                          int height, int top, const RowTaps& taps, RowTile<Sample>& tile) {
  const int left = (blockIdx.x * kWarp - taps.apron) * kGroup;
  const auto source = [&](int row) {
    return reinterpret_cast<const Sample*>(luma + min(top + row, height - 1) * stride);
  };
  // Clamps x: pixels that no sum inside the image needs would reflect far out of it.
  const auto inside = [&](int x) { return reflect(min(x, width - 1 + taps.radius), width); };
  for (int i = threadIdx.x; i < kWarp + 2 * taps.apron; i += kWarp) {
    const int x = left + i * kGroup;
    if (aligned && x >= 0 && x + kGroup <= width) {
#pragma unroll
      for (int row = 0; row < kRowHeight; ++row) tile[row][i] = load_group(source(row) + x);
    } else {
      for (int row = 0; row < kRowHeight; ++row)
        tile[row][i] = gather_group(source(row), x, inside);
    }
  }
}

__device__ std::uint32_t weighted_sum(std::uint32_t pixels, std::uint32_t weights,
                                      std::uint32_t sum) {
  return __dp4a(pixels, weights, sum);
}
__device__ std::uint32_t weighted_sum(uint2 pixels, std::uint32_t weights, std::uint32_t sum) {
  return __dp2a_hi(pixels.y, weights, __dp2a_lo(pixels.x, weights, sum));
}

__device__ void store_sums(const std::uint32_t (&sum)[kGroup], std::uint16_t* out) {
  *reinterpret_cast<uint2*>(out) = make_uint2(sum[0] | sum[1] << 16, sum[2] | sum[3] << 16);
}
__device__ void store_sums(const std::uint32_t (&sum)[kGroup], std::uint32_t* out) {
  *reinterpret_cast<uint4*>(out) = make_uint4(sum[0], sum[1], sum[2], sum[3]);
}

// Each thread computes 4 sums in each of its warp's rows. A sum is at most 256 * 255 and fits in 16
// bits, or with deep samples 256 * 65535 in 24.
template <class Sample, class Sum>
__global__ void __launch_bounds__(kWarp* kRowWarps)
    blur_rows_kernel(const std::uint8_t* luma, std::ptrdiff_t stride, Pictures pictures,
                     bool aligned, int width, int height, __grid_constant__ const RowTaps taps,
                     Sum* out, int pitch) {
  __shared__ RowTile<Sample> tiles[kRowWarps];
  wait_and_start_next();
  RowTile<Sample>& tile = tiles[threadIdx.y];
  const int top = (blockIdx.y * kRowWarps + threadIdx.y) * kRowHeight;
  load_rows<Sample>(luma + pictures.offset(), stride, aligned, width, height, top, taps, tile);
  __syncwarp();

  std::uint32_t sums[kRowHeight][kGroup] = {};
#pragma unroll 4
  for (int i = 0; i < 2 * taps.apron + 1; ++i) {
    const RowTaps::Word word = taps.words[i];
    for (int row = 0; row < kRowHeight; ++row) {
      const SampleGroup<Sample> pixels = tile[row][threadIdx.x + i];
      for (int j = 0; j < kGroup; ++j)
        sums[row][j] = weighted_sum(pixels, word.sum[j], sums[row][j]);
    }
  }

  const int x = (blockIdx.x * kWarp + threadIdx.x) * kGroup;
  if (x >= width) return;
  const int first_y = first_row_of_picture(height);
  for (int row = 0; row < kRowHeight && top + row < height; ++row)
    store_sums(sums[row], out + static_cast<std::size_t>(pitch) * (first_y + top + row) + x);
}

// The column taps over the pairs of rows that 2 sums read: the first sum's in the low half of a
// word, the second one's in the high half. The last word is 0.
struct ColumnTaps {
  int radius;
  std::uint32_t words[kMaxRadius + 2];
};

// A tile of row sums in shared memory. A word holds rows 2i (low half) and 2i + 1 of a column.
constexpr int kColumnGroups = kColumnWidth / kGroup;
constexpr int kColumnRows = 4;  // of a thread
struct PairRow {
  uint4 groups[kColumnGroups];
};
static_assert((kColumnHeight / 2 + kMaxRadius) * sizeof(PairRow) <= 48 << 10,
              "a block gets no more shared memory without opting in");

__device__ uint4 pair_rows(uint2 first, uint2 second) {
  return make_uint4(__byte_perm(first.x, second.x, 0x5410), __byte_perm(first.x, second.x, 0x7632),
                    __byte_perm(first.y, second.y, 0x5410), __byte_perm(first.y, second.y, 0x7632));
}

// Loads the pairs of rows of 4 columns that the threads of `group` need. `quad` is the thread's
// number among them. `column` points at the first column.
__device__ void load_columns(const std::uint16_t* column, int pitch, int height, int radius,
                             int group, int quad, PairRow* tile) {
  const int top = blockIdx.y * kColumnHeight - radius, count = kColumnHeight / 2 + radius;
  const auto load = [&](auto inside) {
    const auto row = [&](int i) {
      const std::size_t y = first_row_of_picture(height) + inside(top + i);
      return *reinterpret_cast<const uint2*>(column + pitch * y);
    };
#pragma unroll 2
    for (int i = quad; i < count; i += kColumnThreads / kColumnGroups)
      tile[i].groups[group] = pair_rows(row(2 * i), row(2 * i + 1));
  };
  if (top >= 0 && top + 2 * count <= height) {
    load([](int y) { return y; });
  } else {
    // Clamps y: rows that no sum inside the image needs would reflect far out of it.
    load([&](int y) { return reflect(min(y, height - 1 + radius), height); });
  }
}

// Each thread blurs 4 columns of 4 rows and does the only rounding of the blur. A word from shared
// memory counts in 4 rows. 256 * 256 * 255 + 2^15 stays below 2^24.
__global__ void __launch_bounds__(kColumnThreads)
    blur_columns_kernel(const std::uint16_t* rows, int width, int height,
                        __grid_constant__ const ColumnTaps taps, std::uint8_t* out, int pitch) {
  extern __shared__ PairRow tile[];
  wait_and_start_next();
  const int group = threadIdx.x % kColumnGroups, quad = threadIdx.x / kColumnGroups;
  const int x = blockIdx.x * kColumnWidth + group * kGroup;
  if (x < width) load_columns(rows + x, pitch, height, taps.radius, group, quad, tile);
  __syncthreads();
  if (x >= width) return;

  std::uint32_t sums[kColumnRows][kGroup];
  for (auto& row : sums)
    for (std::uint32_t& sum : row) sum = 1u << 15;
  std::uint32_t before = 0;
#pragma unroll 4
  for (int i = 0; i < taps.radius + 2; ++i) {
    const std::uint32_t here = taps.words[i];
    const uint4 four = tile[quad * kColumnRows / 2 + i].groups[group];
    const std::uint32_t pairs[kGroup] = {four.x, four.y, four.z, four.w};
    for (int j = 0; j < kGroup; ++j) {
      sums[0][j] = __dp2a_lo(pairs[j], here, sums[0][j]);
      sums[1][j] = __dp2a_hi(pairs[j], here, sums[1][j]);
      sums[2][j] = __dp2a_lo(pairs[j], before, sums[2][j]);
      sums[3][j] = __dp2a_hi(pairs[j], before, sums[3][j]);
    }
    before = here;
  }

  const int y = blockIdx.y * kColumnHeight + quad * kColumnRows;
  const int first_y = first_row_of_picture(height);
  for (int row = 0; row < kColumnRows && y + row < height; ++row)
    *reinterpret_cast<std::uint32_t*>(out + static_cast<std::size_t>(pitch) * (first_y + y + row) +
                                      x) = integer_parts(sums[row]);
}

// ---- columns of deep samples ----

// The taps, with zeros on both sides: sums of neighboring rows read them at neighboring places.
struct DeepTaps {
  static constexpr int kZeros = kDeepColumnRows - 1;

  int radius;
  std::uint32_t weights[kMaxTaps + 2 * kZeros];
};

// Each thread blurs 4 columns of kDeepColumnRows rows and does the only rounding of the blur. A row
// of sums counts in all of them. 256 * 256 * 65535 + 2^15 stays below 2^32.
__global__ void __launch_bounds__(kDeepColumnThreads)
    blur_deep_columns_kernel(const std::uint32_t* rows, int width, int height,
                             __grid_constant__ const DeepTaps taps, std::uint16_t* out, int pitch) {
  const int x = (blockIdx.x * kDeepColumnThreads + threadIdx.x) * kGroup;
  const int first = blockIdx.y * kDeepColumnRows, top = first - taps.radius;
  wait_and_start_next();
  if (x >= width) return;
  const int first_y = first_row_of_picture(height);

  std::uint32_t sums[kDeepColumnRows][kGroup];
#pragma unroll
  for (auto& row : sums)
#pragma unroll
    for (std::uint32_t& sum : row) sum = 1u << 15;
#pragma unroll 2
  for (int i = 0; i < kDeepColumnRows + 2 * taps.radius; ++i) {
    // Clamps y: rows that no sum inside the image needs would reflect far out of it.
    const std::size_t y = first_y + reflect(min(top + i, height - 1 + taps.radius), height);
    const uint4 four = *reinterpret_cast<const uint4*>(rows + pitch * y + x);
#pragma unroll
    for (int row = 0; row < kDeepColumnRows; ++row) {
      const std::uint32_t weight = taps.weights[DeepTaps::kZeros + i - row];
      sums[row][0] += weight * four.x;
      sums[row][1] += weight * four.y;
      sums[row][2] += weight * four.z;
      sums[row][3] += weight * four.w;
    }
  }
#pragma unroll
  for (int row = 0; row < kDeepColumnRows; ++row) {
    if (first + row >= height) return;
    const std::uint32_t* sum = sums[row];
    *reinterpret_cast<uint2*>(out + static_cast<std::size_t>(pitch) * (first_y + first + row) + x) =
        make_uint2(__byte_perm(sum[0], sum[1], 0x7632), __byte_perm(sum[2], sum[3], 0x7632));
  }
}

// ---- host ----

// A tap of 256 does not fit in a byte, but means that there is no blur.
RowTaps row_taps(const Taps& taps) {
  RowTaps result = {};
  result.radius = taps.radius();
  result.apron = (taps.radius() + kGroup - 1) / kGroup;
  const int first = result.apron * kGroup - taps.radius();
  for (int i = 0; i < taps.count; ++i) {
    for (int j = 0; j < kGroup; ++j) {
      const int byte = first + i + j;
      set_byte(byte % kGroup, taps.weight[i], &result.words[byte / kGroup].sum[j]);
    }
  }
  return result;
}

ColumnTaps column_taps(const Taps& taps) {
  ColumnTaps result = {};
  result.radius = taps.radius();
  for (int i = 0; i < taps.count; ++i) {
    for (int row = 0; row < 2; ++row)
      set_byte(2 * row + (i + row) % 2, taps.weight[i], &result.words[(i + row) / 2]);
  }
  return result;
}

DeepTaps deep_taps(const Taps& taps) {
  DeepTaps result = {};
  result.radius = taps.radius();
  std::copy_n(taps.weight, taps.count, result.weights + DeepTaps::kZeros);
  return result;
}

template <class Sample>
using RowSum = std::conditional_t<sizeof(Sample) == 1, std::uint16_t, std::uint32_t>;

// Blurs an image, whose rows begin at multiples of a sample, into `blurred`, which may be the same
// memory. `row_sums` holds sums of rows with 8 fractional bits. Rows of both are `pitch` samples
// apart. `taps` must not be the identity.
template <class Sample>
Status blur(const ConstFrame& gray, const Taps& taps, int pitch, RowSum<Sample>* row_sums,
            Sample* blurred, Launcher* launcher) {
  const int width = gray.width, height = gray.height;
  const dim3 row_grid(blocks(width, kWarp * kGroup), blocks(height, kRowWarps * kRowHeight));
  CANNY_TRY(launcher->launch("row blur kernel", blur_rows_kernel<Sample, RowSum<Sample>>, row_grid,
                             dim3(kWarp, kRowWarps), 0, gray.data, gray.stride_bytes,
                             pictures_of(gray), is_aligned(gray, sizeof(SampleGroup<Sample>)),
                             width, height, row_taps(taps), row_sums, pitch));
  if constexpr (sizeof(Sample) == 1) {
    const dim3 grid(blocks(width, kColumnWidth), blocks(height, kColumnHeight));
    const std::size_t shared = (kColumnHeight / 2 + taps.radius()) * sizeof(PairRow);
    return launcher->launch("column blur kernel", blur_columns_kernel, grid, kColumnThreads, shared,
                            row_sums, width, height, column_taps(taps), blurred, pitch);
  } else {
    const dim3 grid(blocks(width, kDeepColumnThreads * kGroup), blocks(height, kDeepColumnRows));
    return launcher->launch("column blur kernel", blur_deep_columns_kernel, grid,
                            kDeepColumnThreads, 0, row_sums, width, height, deep_taps(taps),
                            blurred, pitch);
  }
}

// The blur reads luma whose samples are bytes, or words in the byte order of the device.
template <class Sample>
Status blur_images(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
                   Images* images, Launcher* launcher) {
  constexpr PixelFormat kGray = sizeof(Sample) == 1 ? PixelFormat::kGray8 : PixelFormat::kGray16Le;
  *images = {{}, plan.channels, buffers.pitch * static_cast<int>(sizeof(Sample))};
  auto* const row_sums = reinterpret_cast<RowSum<Sample>*>(buffers.row_sums.data());
  for (int i = 0; i < plan.channels; ++i) {
    Sample* const image = buffers.image<Sample>(i);
    images->image[i] = reinterpret_cast<const std::uint8_t*>(image);
    const ColorWeights weights = weights_of_image(layout(input.format), plan.channels, i);
    ConstFrame gray = input;
    if (plan.blur.is_identity() || input.format != kGray || !is_aligned(input, sizeof(Sample)))
      CANNY_TRY(luma(input, weights, image, buffers.pitch, &gray, launcher));
    if (plan.blur.is_identity()) continue;
    CANNY_TRY(blur(gray, plan.blur, buffers.pitch, row_sums, image, launcher));
  }
  return {};
}

}  // namespace

Status blurred_images(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
                      Images* images, Launcher* launcher) {
  return plan.is_deep ? blur_images<std::uint16_t>(plan, input, buffers, images, launcher)
                      : blur_images<std::uint8_t>(plan, input, buffers, images, launcher);
}

}  // namespace canny::cuda
