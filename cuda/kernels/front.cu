// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end on the GPU: luma, Gaussian blur along rows and along columns, Sobel with
// non-maximum suppression and double threshold. After Luo and Duraiswami, "Canny edge detection
// on NVIDIA CUDA" (CVPRW 2008).
#include "frame.h"
#include "kernels/check.h"
#include "kernels/front.h"
#include "kernels/geometry.h"
#include "kernels/tuning.h"

namespace canny::cuda {
namespace {

// ---- luma ----

// The luma weight of each byte of a pixel, with 15 fractional bits; their sum is 32768.
struct LumaWeights {
  int byte[4];
};

LumaWeights luma_weights(PixelFormat format) {
  const PixelLayout& at = layout(format);
  LumaWeights weights = {};
  weights.byte[at.r] = 9798;
  weights.byte[at.g] = 19235;
  weights.byte[at.b] = 3735;
  return weights;
}

// The luma of a pixel whose bytes are those of `pixel`, the first one lowest.
__device__ std::uint32_t luma_of(std::uint32_t pixel, const LumaWeights& weights) {
  int sum = 16384;
  for (int i = 0; i < 4; ++i) sum += weights.byte[i] * static_cast<int>(pixel >> 8 * i & 255);
  return static_cast<std::uint32_t>(sum) >> 15;
}

// Word w of a row of row_bytes bytes that begins at a multiple of 4; bytes past its end are 0 and
// not read.
__device__ std::uint32_t row_word(const std::uint8_t* row, int row_bytes, int w) {
  if (4 * w + 4 <= row_bytes) return reinterpret_cast<const std::uint32_t*>(row)[w];
  std::uint32_t word = 0;
  for (int i = 4 * w; i < row_bytes; ++i) word |= std::uint32_t{row[i]} << 8 * (i - 4 * w);
  return word;
}

// Pixels of 3 bytes in aligned rows: the block loads 3 words a thread, neighbours side by side,
// and hands out 4 pixels a thread through shared memory (Luo and Duraiswami, figure 2). Words at
// a stride of 3 fall into different banks.
__global__ void __launch_bounds__(kLumaThreads)
    luma_packed_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int width,
                       LumaWeights weights, std::uint8_t* luma, int pitch) {
  __shared__ std::uint32_t words[3 * kLumaThreads];
  const std::uint8_t* row = data + blockIdx.y * stride;
  const int first_word = blockIdx.x * 3 * kLumaThreads;
  for (int i = threadIdx.x; i < 3 * kLumaThreads; i += kLumaThreads)
    words[i] = row_word(row, 3 * width, first_word + i);
  __syncthreads();

  const int x = 4 * (blockIdx.x * kLumaThreads + threadIdx.x);
  if (x >= width) return;
  const std::uint32_t a = words[3 * threadIdx.x], b = words[3 * threadIdx.x + 1],
                      c = words[3 * threadIdx.x + 2];
  // weights.byte[3] is 0: what follows a pixel's three bytes does not count.
  const std::uint32_t four =
      luma_of(a, weights) | luma_of(__funnelshift_r(a, b, 24), weights) << 8 |
      luma_of(__funnelshift_r(b, c, 16), weights) << 16 | luma_of(c >> 8, weights) << 24;
  *reinterpret_cast<std::uint32_t*>(luma + static_cast<std::size_t>(pitch) * blockIdx.y + x) = four;
}

// Pixels of 4 bytes in aligned rows: a word is a pixel.
__global__ void __launch_bounds__(kLumaThreads)
    luma_word_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int width,
                     LumaWeights weights, std::uint8_t* luma, int pitch) {
  const int x = blockIdx.x * kLumaThreads + threadIdx.x;
  if (x >= width) return;
  const auto* row = reinterpret_cast<const std::uint32_t*>(data + blockIdx.y * stride);
  luma[static_cast<std::size_t>(pitch) * blockIdx.y + x] =
      static_cast<std::uint8_t>(luma_of(row[x], weights));
}

// Pixels at any address, byte by byte.
__global__ void __launch_bounds__(kLumaThreads)
    luma_byte_kernel(const std::uint8_t* data, std::ptrdiff_t stride, int width, int pixel_bytes,
                     LumaWeights weights, std::uint8_t* luma, int pitch) {
  const int x = blockIdx.x * kLumaThreads + threadIdx.x;
  if (x >= width) return;
  const std::uint8_t* pixel = data + blockIdx.y * stride + x * pixel_bytes;
  std::uint32_t word = 0;
  for (int i = 0; i < pixel_bytes; ++i) word |= std::uint32_t{pixel[i]} << 8 * i;
  luma[static_cast<std::size_t>(pitch) * blockIdx.y + x] =
      static_cast<std::uint8_t>(luma_of(word, weights));
}

bool is_word_aligned(const ConstFrame& frame) {
  return reinterpret_cast<std::uintptr_t>(frame.data) % 4 == 0 && frame.stride_bytes % 4 == 0;
}

Status launch_luma(const ConstFrame& input, const FrontBuffers& buffers, cudaStream_t stream) {
  const LumaWeights weights = luma_weights(input.format);
  const int pixel_bytes = layout(input.format).bytes;
  const dim3 pixel_grid(blocks(input.width, kLumaThreads), input.height);
  if (!is_word_aligned(input)) {
    luma_byte_kernel<<<pixel_grid, kLumaThreads, 0, stream>>>(input.data, input.stride_bytes,
                                                              input.width, pixel_bytes, weights,
                                                              buffers.luma, buffers.pitch);
  } else if (pixel_bytes == 4) {
    luma_word_kernel<<<pixel_grid, kLumaThreads, 0, stream>>>(
        input.data, input.stride_bytes, input.width, weights, buffers.luma, buffers.pitch);
  } else {
    const dim3 grid(blocks(input.width, 4 * kLumaThreads), input.height);
    luma_packed_kernel<<<grid, kLumaThreads, 0, stream>>>(
        input.data, input.stride_bytes, input.width, weights, buffers.luma, buffers.pitch);
  }
  return launch_status("luma kernel");
}

// ---- Gaussian blur ----

// Sums along rows, from shared memory with an apron of the radius on each side. 256 * 255 fits 16
// bits.
__global__ void __launch_bounds__(kRowThreads)
    blur_rows_kernel(const std::uint8_t* luma, std::ptrdiff_t stride, int width, Taps taps,
                     std::uint16_t* out, int pitch) {
  __shared__ std::uint8_t row[kRowThreads + 2 * kMaxRadius];
  const int radius = taps.count / 2;
  const int first = blockIdx.x * kRowThreads - radius;
  const std::uint8_t* source = luma + blockIdx.y * stride;
  // Pixels past the right border that no thread needs would reflect far out of the image.
  const int used =
      min(kRowThreads, width - static_cast<int>(blockIdx.x) * kRowThreads) + 2 * radius;
  for (int i = threadIdx.x; i < used; i += kRowThreads) row[i] = source[reflect(first + i, width)];
  __syncthreads();

  const int x = blockIdx.x * kRowThreads + threadIdx.x;
  if (x >= width) return;
  std::uint32_t sum = 0;
  for (int i = 0; i < taps.count; ++i) sum += taps.weight[i] * row[threadIdx.x + i];
  out[static_cast<std::size_t>(pitch) * blockIdx.y + x] = static_cast<std::uint16_t>(sum);
}

// Sums along columns, and the one rounding of the blur. 256 * 256 * 255 fits 32 bits.
__global__ void __launch_bounds__(kColumnTile* kColumnRows)
    blur_columns_kernel(const std::uint16_t* rows, int width, int height, Taps taps,
                        std::uint8_t* out, int pitch) {
  __shared__ std::uint16_t tile[kColumnTile + 2 * kMaxRadius][kColumnTile];
  const int radius = taps.count / 2;
  const int x = blockIdx.x * kColumnTile + threadIdx.x;
  const int top = blockIdx.y * kColumnTile;
  const int tile_rows = min(kColumnTile, height - top);
  if (x < width) {
    for (int i = threadIdx.y; i < tile_rows + 2 * radius; i += kColumnRows)
      tile[i][threadIdx.x] =
          rows[static_cast<std::size_t>(pitch) * reflect(top + i - radius, height) + x];
  }
  __syncthreads();
  if (x >= width) return;
  for (int y = threadIdx.y; y < tile_rows; y += kColumnRows) {
    std::uint32_t sum = 1u << 15;
    for (int i = 0; i < taps.count; ++i)
      sum += static_cast<std::uint32_t>(taps.weight[i]) * tile[y + i][threadIdx.x];
    out[static_cast<std::size_t>(pitch) * (top + y) + x] = static_cast<std::uint8_t>(sum >> 16);
  }
}

Status launch_blur(const std::uint8_t* luma, std::ptrdiff_t stride, const Taps& taps, int width,
                   int height, const FrontBuffers& buffers, cudaStream_t stream) {
  const dim3 row_grid(blocks(width, kRowThreads), height);
  blur_rows_kernel<<<row_grid, kRowThreads, 0, stream>>>(luma, stride, width, taps,
                                                         buffers.row_blurred, buffers.pitch);
  CANNY_TRY(launch_status("row blur kernel"));
  const dim3 tile_grid(blocks(width, kColumnTile), blocks(height, kColumnTile));
  const dim3 tile_block(kColumnTile, kColumnRows);
  blur_columns_kernel<<<tile_grid, tile_block, 0, stream>>>(buffers.row_blurred, width, height,
                                                            taps, buffers.blurred, buffers.pitch);
  return launch_status("column blur kernel");
}

// ---- gradient, suppression, thresholds ----

struct Gradient {
  int x, y;  // |.| <= 1020
};

// A block's blurred pixels with an apron of 2, and their magnitudes with an apron of 1.
struct SuppressTile {
  std::uint8_t blurred[kSuppressRows + 4][kWarp + 4];
  std::int32_t magnitude[kSuppressRows + 2][kWarp + 2];
};

// Sobel at column i, row j of the blurred tile.
__device__ Gradient sobel(const SuppressTile& tile, int i, int j) {
  const auto& p = tile.blurred;
  return {p[j - 1][i + 1] + 2 * p[j][i + 1] + p[j + 1][i + 1] - p[j - 1][i - 1] - 2 * p[j][i - 1] -
              p[j + 1][i - 1],
          p[j + 1][i - 1] + 2 * p[j + 1][i] + p[j + 1][i + 1] - p[j - 1][i - 1] - 2 * p[j - 1][i] -
              p[j - 1][i + 1]};
}

__device__ std::int32_t magnitude_of(Gradient g, Norm norm) {
  return norm == Norm::kL2 ? g.x * g.x + g.y * g.y : abs(g.x) + abs(g.y);
}

// Whether the pixel at column i, row j of the magnitude tile is a maximum across its edge.
// 13573 is tan(22.5 degrees) with 15 fractional bits, and tan(67.5 degrees) is 2 more. |g.y| << 15
// stays below 2^25 and |g.x| << 16 below 2^26.
__device__ bool is_maximum(const SuppressTile& tile, Gradient g, int i, int j) {
  const auto& magnitude = tile.magnitude;
  const std::int32_t m = magnitude[j][i];
  const std::int32_t steepness = abs(g.y) << 15;
  const std::int32_t flat = 13573 * abs(g.x);
  if (steepness < flat) return m > magnitude[j][i - 1] && m >= magnitude[j][i + 1];
  if (steepness > flat + (abs(g.x) << 16))
    return m > magnitude[j - 1][i] && m >= magnitude[j + 1][i];
  const int side = (g.x ^ g.y) < 0 ? -1 : 1;
  return m > magnitude[j - 1][i - side] && m > magnitude[j + 1][i + side];
}

// A warp makes one word of each plane.
__global__ void __launch_bounds__(kWarp* kSuppressRows)
    suppress_kernel(const std::uint8_t* blurred, int pitch, std::int32_t low, std::int32_t high,
                    Norm norm, BitPlane candidate, BitPlane strong) {
  __shared__ SuppressTile tile;
  const int width = candidate.width, height = candidate.height;
  const int left = blockIdx.x * kWarp, top = blockIdx.y * kSuppressRows;
  const int thread = threadIdx.y * kWarp + threadIdx.x;

  // The Sobel operator sees the border pixels repeated.
  for (int i = thread; i < (kSuppressRows + 4) * (kWarp + 4); i += kWarp * kSuppressRows) {
    const int column = i % (kWarp + 4), row = i / (kWarp + 4);
    const int x = min(max(left + column - 2, 0), width - 1);
    const int y = min(max(top + row - 2, 0), height - 1);
    tile.blurred[row][column] = blurred[static_cast<std::size_t>(pitch) * y + x];
  }
  __syncthreads();

  // The magnitude outside the image is 0.
  for (int i = thread; i < (kSuppressRows + 2) * (kWarp + 2); i += kWarp * kSuppressRows) {
    const int column = i % (kWarp + 2), row = i / (kWarp + 2);
    const int x = left + column - 1, y = top + row - 1;
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    tile.magnitude[row][column] = inside ? magnitude_of(sobel(tile, column + 1, row + 1), norm) : 0;
  }
  __syncthreads();

  const int x = left + threadIdx.x, y = top + threadIdx.y;
  if (y >= height) return;  // the whole warp
  const std::int32_t m = tile.magnitude[threadIdx.y + 1][threadIdx.x + 1];
  const bool kept = x < width && m > low &&
                    is_maximum(tile, sobel(tile, threadIdx.x + 2, threadIdx.y + 2), threadIdx.x + 1,
                               threadIdx.y + 1);
  const std::uint32_t candidate_word = __ballot_sync(~0u, kept);
  const std::uint32_t strong_word = __ballot_sync(~0u, kept && m > high);
  if (threadIdx.x == 0) {
    candidate.row(y)[blockIdx.x] = candidate_word;
    strong.row(y)[blockIdx.x] = strong_word;
  }
}

Status launch_suppress(const Settings& settings, const FrontBuffers& buffers,
                       const BitPlane& candidate, const BitPlane& strong, cudaStream_t stream) {
  const dim3 grid(candidate.words_per_row(), blocks(candidate.height, kSuppressRows));
  suppress_kernel<<<grid, dim3(kWarp, kSuppressRows), 0, stream>>>(
      buffers.blurred, buffers.pitch, settings.low, settings.high, settings.norm, candidate,
      strong);
  return launch_status("suppression kernel");
}

}  // namespace

Status front(const Settings& settings, const ConstFrame& input, const FrontBuffers& buffers,
             const BitPlane& candidate, const BitPlane& strong, cudaStream_t stream) {
  if (settings.taps.count <= kTileTaps)
    return front_tile(settings, input, candidate, strong, stream);
  const std::uint8_t* luma = input.data;  // a gray frame is its own luma
  std::ptrdiff_t stride = input.stride_bytes;
  if (!is_gray(input.format)) {
    CANNY_TRY(launch_luma(input, buffers, stream));
    luma = buffers.luma;
    stride = buffers.pitch;
  }
  CANNY_TRY(launch_blur(luma, stride, settings.taps, input.width, input.height, buffers, stream));
  return launch_suppress(settings, buffers, candidate, strong, stream);
}

}  // namespace canny::cuda
