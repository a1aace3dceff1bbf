// SPDX-License-Identifier: LGPL-2.1-or-later
// Expands edge bits to the bytes of pixels, and counts the edges.
#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/edges.h"
#include "cuda/geometry.h"
#include "cuda/output.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// Bytes of 255 where the highest bit of a byte is 1, and of 0 elsewhere.
__device__ std::uint32_t filled_bytes(std::uint32_t word) {
  std::uint32_t bytes;
  asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(bytes) : "r"(word));
  return bytes;
}

// The bytes of a word of pixels, the first one lowest, that are no edges, and those in which an
// edge differs. Twice a pixel of 2.
struct Values {
  std::uint32_t other, differing;
};

Values values_of(const PixelLayout& at) {
  const std::uint32_t twice = at.bytes == 2 ? 0x10001 : 1;
  return {at.other * twice, (at.other ^ at.edge) * twice};
}

// The 4 bytes from byte `first` on of pixels of kBytes bytes each.
template <int kBytes>
__device__ std::uint32_t pixel_bytes(std::uint64_t edges, int first, Values values) {
  if constexpr (kBytes == 1) {
    // The product moves bit i of 7 to bit 8 i + 7.
    return filled_bytes((static_cast<std::uint32_t>(edges >> first) & 127) * 0x10204080u);
  } else {
    std::uint32_t bytes = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t edge = edges >> ((first + i) / kBytes) & 1 ? 255 : 0;
      bytes |= edge << 8 * i;
    }
    if constexpr (kBytes == 3) return bytes;
    const auto from_first = [&](std::uint32_t word) {
      return __funnelshift_r(word, word, 8 * (first % 4));
    };
    return from_first(values.other) ^ (bytes & from_first(values.differing));
  }
}

// A row of the tiles of a warp, kSpan pixels or what exists of them, stored by kRowLanes lanes.
constexpr int kSpan = kTile * kStoreTiles, kPixels = 16, kRowLanes = kSpan / kPixels;

// In units of 16 bytes, where all of them are aligned.
template <int kBytes>
__device__ void store_units(std::uint64_t edges, std::uint8_t* out, int part, Values values) {
  edges >>= kPixels * part;
  auto* to = reinterpret_cast<uint4*>(out) + kBytes * part;
#pragma unroll
  for (int i = 0; i < kBytes; ++i) {
    uint4 bytes;
    bytes.x = pixel_bytes<kBytes>(edges, 16 * i, values);
    bytes.y = pixel_bytes<kBytes>(edges, 16 * i + 4, values);
    bytes.z = pixel_bytes<kBytes>(edges, 16 * i + 8, values);
    bytes.w = pixel_bytes<kBytes>(edges, 16 * i + 12, values);
    to[i] = bytes;
  }
}

// In the aligned words that the pixels fill, and byte by byte before and after those.
template <int kBytes>
__device__ void store_words(std::uint64_t edges, std::uint8_t* out, int pixels, int part,
                            Values values) {
  const int bytes = pixels * kBytes;
  const int misalignment = static_cast<int>(reinterpret_cast<std::uintptr_t>(out) % 4);
  const int first = min(misalignment == 0 ? 0 : 4 - misalignment, bytes);
  const int words = (bytes - first) / 4, last = first + 4 * words;
  auto* to = reinterpret_cast<std::uint32_t*>(out + first);
#pragma unroll
  for (int i = 0; i < kPixels * kBytes / 4; ++i) {
    const int word = part + i * kRowLanes;
    if (word < words) to[word] = pixel_bytes<kBytes>(edges, first + 4 * word, values);
  }
  const auto store_byte = [&](int byte) {
    out[byte] = static_cast<std::uint8_t>(pixel_bytes<kBytes>(edges, byte, values));
  };
  if (part < first) store_byte(part);
  if (last + part < bytes) store_byte(last + part);
}

// What the warps of a block add up, so that a block adds to a number in device memory once.
struct BlockSum {
  unsigned sum, warps;

  // By all threads.
  __device__ void clear() {
    if (threadIdx.x == 0 && threadIdx.y == 0) sum = warps = 0;
    __syncthreads();
  }
  // By a thread a warp. The last one adds the sum to *total.
  __device__ void add(unsigned own, unsigned long long* total) {
    atomicAdd(&sum, own);
    __threadfence_block();
    if (atomicAdd(&warps, 1u) + 1 < kStoreWarps) return;
    __threadfence_block();
    const unsigned all = atomicAdd(&sum, 0u);
    if (all != 0) atomicAdd(total, all);
  }
};

template <int kPlanes>
struct Planes {
  BasicPlane<std::uint8_t> at[kPlanes];
};

// A warp stores kStoreTiles tiles side by side. A lane has a row of each tile; then kRowLanes lanes
// store a row of all of them.
template <int kBytes, int kPlanes = 1>
__global__ void __launch_bounds__(kWarp* kStoreWarps)
    store_kernel(Planes<kPlanes> planes, bool aligned, Values values, Edges edges,
                 unsigned long long* count) {
  __shared__ BlockSum block_sum;
  block_sum.clear();
  const int columns = edges.decided.columns(), lane = threadIdx.x, first_y = blockIdx.y * kTile;
  const int first_x = (blockIdx.x * kStoreWarps + threadIdx.y) * kStoreTiles;
  const int first_tile = edges.decided.tile(first_x, blockIdx.y);
  const bool has_row = first_y + lane < edges.decided.height;
  wait_for_previous_kernel();
  start_next_kernel();

  LoadedEdges tiles[kStoreTiles];
#pragma unroll
  for (int i = 0; i < kStoreTiles; ++i)
    tiles[i] = load_edges(edges, first_tile + i, first_x + i < columns, has_row);
  std::uint32_t rows[kStoreTiles];
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kStoreTiles; ++i) {
    rows[i] = edge_row(edges, first_tile + i, tiles[i], has_row);
    sum += __popc(rows[i]);
  }
  for (int step = kWarp / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) block_sum.add(sum, count);

  static_assert(kStoreTiles == 2);
  const int x = first_x * kTile, pixels = min(edges.decided.width - x, kSpan);
#pragma unroll 1
  for (int i = 0; i < kTile; i += kWarp / kRowLanes) {
    const int from = i + lane / kRowLanes, y = first_y + from, part = lane % kRowLanes;
    const std::uint64_t left = __shfl_sync(~0u, rows[0], from);
    const std::uint64_t right = __shfl_sync(~0u, rows[1], from);
    if (pixels <= 0 || y >= edges.decided.height) continue;
#pragma unroll
    for (int plane = 0; plane < kPlanes; ++plane) {
      const BasicPlane<std::uint8_t>& to = planes.at[plane];
      std::uint8_t* out = to.data + y * to.stride_bytes + x * kBytes;
      if (aligned && pixels == kSpan) {
        store_units<kBytes>(left | right << kTile, out, part, values);
      } else {
        store_words<kBytes>(left | right << kTile, out, pixels, part, values);
      }
    }
  }
}

// Whether all rows begin at addresses that are multiples of 16.
template <int kPlanes>
bool is_aligned(const Planes<kPlanes>& planes) {
  for (const BasicPlane<std::uint8_t>& plane : planes.at)
    if (reinterpret_cast<std::uintptr_t>(plane.data) % 16 != 0 || plane.stride_bytes % 16 != 0)
      return false;
  return true;
}

template <int kBytes, int kPlanes = 1>
Status launch(const Planes<kPlanes>& planes, const Edges& edges, const Frame& output,
              unsigned long long* count, Launcher* launcher) {
  const dim3 grid(blocks(output.width, kTile * kStoreWarps * kStoreTiles),
                  blocks(output.height, kTile));
  return launcher->launch("store kernel", store_kernel<kBytes, kPlanes>, grid,
                          dim3(kWarp, kStoreWarps), 0, planes, is_aligned(planes),
                          values_of(layout(output.format)), edges, count);
}

}  // namespace

Status store(const Edges& edges, const Frame& output, unsigned long long* count,
             Launcher* launcher) {
  const BasicPlane<std::uint8_t> first = {output.data, output.stride_bytes};
  const PixelLayout& at = layout(output.format);
  if (at.planes == 3) {
    const Planes<3> planes = {{first, output.green, output.blue}};
    return launch<1>(planes, edges, output, count, launcher);
  }
  const Planes<1> plane = {{first}};
  const auto launch_bytes = at.bytes == 1   ? launch<1, 1>
                            : at.bytes == 2 ? launch<2, 1>
                            : at.bytes == 3 ? launch<3, 1>
                                            : launch<4, 1>;
  return launch_bytes(plane, edges, output, count, launcher);
}

}  // namespace canny::cuda
