// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns boxes or a mask into bits.
#include "cuda/region.h"

#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// ---- device ----

// The bits first <= i < last of a word; both may be beyond it.
__device__ std::uint32_t bits_between(int first, int last) {
  first = max(first, 0);
  last = min(last, kWordBits);
  return first < last ? (~0u << first) & (~0u >> (kWordBits - last)) : 0;
}

// Each of these returns a lane's row of a tile. The whole warp calls them.

__device__ std::uint32_t row_of(const Boxes& boxes, const TilePlane&, int tile_x) {
  const int y = blockIdx.y * kTile + threadIdx.x, left = tile_x * kTile;
  std::uint32_t word = 0;
  for (std::int64_t i = 0; i < boxes.count; ++i) {
    const Box& box = boxes.many != nullptr ? boxes.many[i] : boxes.few[i];
    if (y >= box.top && y < box.bottom) word |= bits_between(box.left - left, box.right - left);
  }
  return word;
}

__device__ std::uint32_t row_of(const std::uint32_t* words, const TilePlane& bits, int tile_x) {
  const int y = blockIdx.y * kTile + threadIdx.x;
  return y < bits.height ? words[static_cast<std::size_t>(y) * bits.columns() + tile_x] : 0;
}

// The warp reads a row of the tile at a time, a column per lane.
__device__ std::uint32_t row_of(const BasicPlane<const std::uint8_t>& mask, const TilePlane& bits,
                                int tile_x) {
  const int x = tile_x * kTile + threadIdx.x, top = blockIdx.y * kTile;
  const int rows = min(kTile, bits.height - top);
  std::uint32_t word = 0;
#pragma unroll 8
  for (int row = 0; row < rows; ++row) {
    const bool is_inside = x < bits.width && mask.data[(top + row) * mask.stride_bytes + x] != 0;
    const std::uint32_t inside = __ballot_sync(~0u, is_inside);
    if (row == static_cast<int>(threadIdx.x)) word = inside;
  }
  return word;
}

// A warp sets a tile, a row per lane, and whether the tile has any bit.
template <class Source>
__global__ void __launch_bounds__(kTile* kRegionTiles)
    region_kernel(__grid_constant__ const Source source, RegionPlane region) {
  wait_and_start_next();
  const int tile_x = blockIdx.x * kRegionTiles + threadIdx.y;
  if (tile_x >= region.bits.columns()) return;  // the whole warp
  const std::uint32_t word = row_of(source, region.bits, tile_x);
  const int tile = region.bits.tile(tile_x, blockIdx.y);
  region.bits.words[static_cast<std::size_t>(tile) * kTile + threadIdx.x] = word;
  const bool has_any = __any_sync(~0u, word != 0);
  if (threadIdx.x == 0) region.has_any[tile] = has_any ? 1 : 0;
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
  const auto launch = [&](const auto& from) {
    return launcher->launch_tiles("region kernel", region_kernel<std::decay_t<decltype(from)>>,
                                  region.bits, kRegionTiles, from, region);
  };
  if (source.mask.data != nullptr) return launch(source.mask);
  return source.bits != nullptr ? launch(source.bits) : launch(source.boxes);
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
