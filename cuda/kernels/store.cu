// SPDX-License-Identifier: LGPL-2.1-or-later
// Decides the open runs, expands bits to bytes, and counts them.
#include "frame.h"
#include "kernels/check.h"
#include "kernels/forest.h"
#include "kernels/geometry.h"
#include "kernels/store.h"
#include "kernels/tuning.h"

namespace canny::cuda {
namespace {

// The edges among the open runs in a lane's row of a tile.
__device__ std::uint32_t decide(const Components& all, int tile, int components,
                                std::uint32_t open) {
  std::uint32_t is_edge[kTileComponents / kWarp];  // a bit a component
#pragma unroll
  for (int i = 0; i < kTileComponents / kWarp; ++i) {
    const int component = i * kWarp + threadIdx.x;
    is_edge[i] = __ballot_sync(
        ~0u, component < components && find_root(all.parent, node_of(tile, component)) == kStrong);
  }
  std::uint32_t edges = 0;
  for (std::uint32_t starts = run_starts(open); starts != 0; starts &= starts - 1) {
    const int component = all.of_run[tile * kRunsPerTile + run_at(threadIdx.x, __ffs(starts) - 1)];
    static_assert(kTileComponents == 2 * kWarp);
    const std::uint32_t flags = component < kWarp ? is_edge[0] : is_edge[1];
    if (flags >> component % kWarp & 1) edges |= first_run(open, starts);
  }
  return edges;
}

// Bytes of 255 where the highest bit of a byte is 1, and of 0 elsewhere.
__device__ std::uint32_t filled_bytes(std::uint32_t word) {
  std::uint32_t bytes;
  asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(bytes) : "r"(word));
  return bytes;
}

// The byte of a pixel of 2 or 4 that is no sample of an edge.
struct Filler {
  int byte;
  std::uint32_t value;
};

// The 4 bytes from byte `first` on of pixels of kBytes bytes each.
template <int kBytes>
__device__ std::uint32_t pixel_bytes(std::uint64_t edges, int first, Filler filler) {
  if constexpr (kBytes == 1) {
    // The product moves bit i of 7 to bit 8 i + 7.
    return filled_bytes((static_cast<std::uint32_t>(edges >> first) & 127) * 0x10204080u);
  } else {
    std::uint32_t bytes = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int byte = first + i;
      const bool is_filler = kBytes % 2 == 0 && byte % kBytes == filler.byte;
      const std::uint32_t edge = edges >> (byte / kBytes) & 1 ? 255 : 0;
      bytes |= (is_filler ? filler.value : edge) << 8 * i;
    }
    return bytes;
  }
}

// A row of the tiles of a warp, kSpan pixels or what exists of them, stored by kRowLanes lanes.
constexpr int kSpan = kTile * kStoreTiles, kPixels = 16, kRowLanes = kSpan / kPixels;

// In units of 16 bytes, where all of them are aligned.
template <int kBytes>
__device__ void store_units(std::uint64_t edges, std::uint8_t* out, int part, Filler filler) {
  edges >>= kPixels * part;
  auto* to = reinterpret_cast<uint4*>(out) + kBytes * part;
#pragma unroll
  for (int i = 0; i < kBytes; ++i) {
    uint4 bytes;
    bytes.x = pixel_bytes<kBytes>(edges, 16 * i, filler);
    bytes.y = pixel_bytes<kBytes>(edges, 16 * i + 4, filler);
    bytes.z = pixel_bytes<kBytes>(edges, 16 * i + 8, filler);
    bytes.w = pixel_bytes<kBytes>(edges, 16 * i + 12, filler);
    to[i] = bytes;
  }
}

// In the aligned words that the pixels fill, and byte by byte before and after those.
template <int kBytes>
__device__ void store_words(std::uint64_t edges, std::uint8_t* out, int pixels, int part,
                            Filler filler) {
  const int bytes = pixels * kBytes;
  const int misalignment = static_cast<int>(reinterpret_cast<std::uintptr_t>(out) % 4);
  const int first = min(misalignment == 0 ? 0 : 4 - misalignment, bytes);
  const int words = (bytes - first) / 4, last = first + 4 * words;
  auto* to = reinterpret_cast<std::uint32_t*>(out + first);
#pragma unroll
  for (int i = 0; i < kPixels * kBytes / 4; ++i) {
    const int word = part + i * kRowLanes;
    if (word < words) to[word] = pixel_bytes<kBytes>(edges, first + 4 * word, filler);
  }
  const auto store_byte = [&](int byte) {
    out[byte] = static_cast<std::uint8_t>(pixel_bytes<kBytes>(edges, byte, filler));
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

// A warp stores kStoreTiles tiles side by side. A lane has a row of each tile; then kRowLanes lanes
// store a row of all of them.
template <int kBytes>
__global__ void __launch_bounds__(kWarp* kStoreWarps)
    store_kernel(std::uint8_t* data, std::ptrdiff_t stride, bool aligned, Filler filler,
                 Edges edges, unsigned long long* count) {
  __shared__ BlockSum block_sum;
  block_sum.clear();
  const int columns = edges.decided.columns(), lane = threadIdx.x, first_y = blockIdx.y * kTile;
  const int first_x = (blockIdx.x * kStoreWarps + threadIdx.y) * kStoreTiles;
  const int first_tile = edges.decided.tile(first_x, blockIdx.y);
  const bool exists = first_y + lane < edges.decided.height;
  wait_for_previous_kernel();
  start_next_kernel();

  std::uint32_t rows[kStoreTiles];
  int components[kStoreTiles];
#pragma unroll
  for (int i = 0; i < kStoreTiles; ++i) {
    const bool is_there = first_x + i < columns;
    rows[i] = is_there && exists ? edges.decided.words[(first_tile + i) * kTile + lane] : 0;
    components[i] =
        is_there && edges.open.words != nullptr ? edges.components.count[first_tile + i] : 0;
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kStoreTiles; ++i) {
    if (components[i] != 0)
      rows[i] |= decide(edges.components, first_tile + i, components[i],
                        exists ? edges.open.words[(first_tile + i) * kTile + lane] : 0);
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
    std::uint8_t* out = data + y * stride + x * kBytes;
    if (aligned && pixels == kSpan) {
      store_units<kBytes>(left | right << kTile, out, part, filler);
    } else {
      store_words<kBytes>(left | right << kTile, out, pixels, part, filler);
    }
  }
}

// Whether all rows begin at addresses that are multiples of 16.
bool is_aligned(const Frame& frame) {
  return reinterpret_cast<std::uintptr_t>(frame.data) % 16 == 0 && frame.stride_bytes % 16 == 0;
}

}  // namespace

Status store(const Edges& edges, const Frame& output, unsigned long long* count,
             Launcher* launcher) {
  const PixelLayout& at = layout(output.format);
  const auto kernel = at.bytes == 1   ? store_kernel<1>
                      : at.bytes == 2 ? store_kernel<2>
                      : at.bytes == 3 ? store_kernel<3>
                                      : store_kernel<4>;
  const dim3 grid(blocks(output.width, kTile * kStoreWarps * kStoreTiles),
                  blocks(output.height, kTile));
  return launcher->launch("store kernel", kernel, grid, dim3(kWarp, kStoreWarps), 0, output.data,
                          output.stride_bytes, is_aligned(output), Filler{at.x, at.fill}, edges,
                          count);
}

}  // namespace canny::cuda
