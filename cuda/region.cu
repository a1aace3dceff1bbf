// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns boxes or a mask into bits.
#include "cuda/region.h"

#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// ---- device ----

// Stores a lane's row of a tile, and whether the tile has any bit. The whole warp calls this.
__device__ void store_rows(const RegionPlane& region, int tile, std::uint32_t word) {
  region.bits.words[static_cast<std::size_t>(tile) * kTile + threadIdx.x] = word;
  const bool has_any = __any_sync(~0u, word != 0);
  if (threadIdx.x == 0) region.has_any[tile] = has_any ? 1 : 0;
}

// The bits first <= i < last of a word; both may be beyond it.
__device__ std::uint32_t bits_between(int first, int last) {
  first = max(first, 0);
  last = min(last, kWordBits);
  return first < last ? (~0u << first) & (~0u >> (kWordBits - last)) : 0;
}

// A warp sets a tile, a row per lane.
__global__ void __launch_bounds__(kTile* kRegionTiles)
    boxes_kernel(__grid_constant__ const Boxes boxes, RegionPlane region) {
  wait_and_start_next();
  const int tile_x = blockIdx.x * kRegionTiles + threadIdx.y;
  if (tile_x >= region.bits.columns()) return;  // the whole warp
  const int y = blockIdx.y * kTile + threadIdx.x, left = tile_x * kTile;
  std::uint32_t word = 0;
  for (std::int64_t i = 0; i < boxes.count; ++i) {
    const Box& box = boxes.many != nullptr ? boxes.many[i] : boxes.few[i];
    if (y >= box.top && y < box.bottom) word |= bits_between(box.left - left, box.right - left);
  }
  store_rows(region, region.bits.tile(tile_x, blockIdx.y), word);
}

// Likewise, from rows of words.
__global__ void __launch_bounds__(kTile* kRegionTiles)
    bits_kernel(const std::uint32_t* words, RegionPlane region) {
  wait_and_start_next();
  const int columns = region.bits.columns();
  const int tile_x = blockIdx.x * kRegionTiles + threadIdx.y;
  if (tile_x >= columns) return;  // the whole warp
  const int y = blockIdx.y * kTile + threadIdx.x;
  const bool has_row = y < region.bits.height;
  store_rows(region, region.bits.tile(tile_x, blockIdx.y),
             has_row ? words[static_cast<std::size_t>(y) * columns + tile_x] : 0);
}

// Likewise. A warp reads a row of the tile at a time, a column per lane.
__global__ void __launch_bounds__(kTile* kRegionTiles)
    mask_kernel(const std::uint8_t* mask, std::ptrdiff_t stride, RegionPlane region) {
  wait_and_start_next();
  const int tile_x = blockIdx.x * kRegionTiles + threadIdx.y;
  if (tile_x >= region.bits.columns()) return;  // the whole warp
  const int x = tile_x * kTile + threadIdx.x, top = blockIdx.y * kTile;
  const int rows = min(kTile, region.bits.height - top);
  std::uint32_t word = 0;
#pragma unroll 8
  for (int row = 0; row < rows; ++row) {
    const bool is_inside = x < region.bits.width && mask[(top + row) * stride + x] != 0;
    const std::uint32_t bits = __ballot_sync(~0u, is_inside);
    if (row == static_cast<int>(threadIdx.x)) word = bits;
  }
  store_rows(region, region.bits.tile(tile_x, blockIdx.y), word);
}

// A warp takes a tile, a row per lane. Rows below the last pixel stay undefined.
__global__ void __launch_bounds__(kTile* kRegionTiles)
    drop_outside_kernel(__grid_constant__ const RegionPlane region, TilePlane candidate,
                        TilePlane strong) {
  const int tile_x = blockIdx.x * kRegionTiles + threadIdx.y, y = blockIdx.y * kTile + threadIdx.x;
  wait_and_start_next();
  if (tile_x >= candidate.columns() || y >= candidate.height) return;
  const std::uint32_t word = candidate.word(tile_x, y);
  const std::uint32_t outside = word & ~region.bits.word(tile_x, y);
  if (outside == 0) return;
  candidate.word(tile_x, y) = word & ~outside;
  strong.word(tile_x, y) &= ~outside;  // every strong pixel is a candidate
}

// ---- host ----

// Queues the kernel for one picture.
Status set_region(const RegionSource& source, const RegionPlane& region, Launcher* launcher) {
  const auto launch = [&](auto kernel, const auto&... arguments) {
    return launcher->launch_tiles("region kernel", kernel, region.bits, kRegionTiles, arguments...,
                                  region);
  };
  if (source.mask.data != nullptr)
    return launch(mask_kernel, source.mask.data, source.mask.stride_bytes);
  if (source.bits != nullptr) return launch(bits_kernel, source.bits);
  return launch(boxes_kernel, source.boxes);
}

}  // namespace

Status set_regions(const RegionSource* sources, const RegionPlane& regions, Launcher* launcher) {
  const unsigned pictures = launcher->pictures();
  RegionPlane region = regions;
  Status status;
  launcher->set_pictures(1);
  for (unsigned i = 0; i < pictures && status.ok(); ++i) {
    status = set_region(sources[i], region, launcher);
    region.bits.words += region.bits.size_words();
    region.has_any += region.bits.tiles();
  }
  launcher->set_pictures(pictures);
  return status;
}

Status drop_outside(const RegionPlane& region, const TilePlane& candidate, const TilePlane& strong,
                    Launcher* launcher) {
  return launcher->launch_tiles("region kernel", drop_outside_kernel, candidate, kRegionTiles,
                                region, candidate, strong);
}

}  // namespace canny::cuda
