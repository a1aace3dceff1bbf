// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns boxes or a mask into bits.
#include "cuda/region.h"

#include <algorithm>

#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/geometry.h"
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

// The boxes, in the kernel's parameters or in device memory.
struct BoxArguments {
  Box few[kFewBoxes];
  const Box* many;
  std::int64_t count;
};

// A warp sets a tile, a row per lane.
__global__ void __launch_bounds__(kTile* kPassTiles)
    boxes_kernel(__grid_constant__ const BoxArguments boxes, RegionPlane region) {
  wait_for_previous_kernel();
  start_next_kernel();
  const int tile_x = blockIdx.x * kPassTiles + threadIdx.y;
  if (tile_x >= region.bits.columns()) return;  // the whole warp
  const int y = blockIdx.y * kTile + threadIdx.x, left = tile_x * kTile;
  std::uint32_t word = 0;
  for (std::int64_t i = 0; i < boxes.count; ++i) {
    const Box& box = boxes.many != nullptr ? boxes.many[i] : boxes.few[i];
    if (y >= box.top && y < box.bottom) word |= bits_between(box.left - left, box.right - left);
  }
  store_rows(region, region.bits.tile(tile_x, blockIdx.y), word);
}

// Likewise. A warp reads a row of the tile at a time, a column per lane.
__global__ void __launch_bounds__(kTile* kPassTiles)
    mask_kernel(const std::uint8_t* mask, std::ptrdiff_t stride, RegionPlane region) {
  wait_for_previous_kernel();
  start_next_kernel();
  const int tile_x = blockIdx.x * kPassTiles + threadIdx.y;
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
__global__ void __launch_bounds__(kTile* kPassTiles)
    drop_outside_kernel(__grid_constant__ const RegionPlane region, TilePlane candidate,
                        TilePlane strong) {
  const int tile_x = blockIdx.x * kPassTiles + threadIdx.y, y = blockIdx.y * kTile + threadIdx.x;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= candidate.columns() || y >= candidate.height) return;
  const std::uint32_t word = candidate.word(tile_x, y);
  const std::uint32_t outside = word & ~region.bits.word(tile_x, y);
  if (outside == 0) return;
  candidate.word(tile_x, y) = word & ~outside;
  strong.word(tile_x, y) &= ~outside;  // every strong pixel is a candidate
}

// ---- host ----

// Returns whether a rectangle has pixels of a frame, and sets `*box` to them.
bool clip(const Rectangle& rectangle, int width, int height, Box* box) {
  const auto end = [](int first, int length, int size) {
    return static_cast<int>(std::clamp<std::int64_t>(std::int64_t{first} + length, 0, size));
  };
  *box = {std::max(rectangle.x, 0), std::max(rectangle.y, 0),
          end(rectangle.x, std::max(rectangle.width, 0), width),
          end(rectangle.y, std::max(rectangle.height, 0), height)};
  return box->left < box->right && box->top < box->bottom;
}

// Memory for boxes grows in powers of 2, so that numbers that vary allocate rarely.
std::size_t capacity_of(std::size_t boxes) {
  std::size_t capacity = 64;
  while (capacity < boxes) capacity *= 2;
  return capacity;
}

}  // namespace

// The first rectangles go to the kernel's arguments. Only when these do not suffice, all go to
// page-locked memory, from where the device copies them while the host goes on.
Status RegionUpload::queue(const Region& region, int width, int height, cudaStream_t stream,
                           RegionSource* source) {
  *source = {};
  has_copied_ = false;
  if (region.mask.data != nullptr) {
    ConstFrame mask = mask_frame(region, width, height);
    has_copied_ = mask.memory == Memory::kHost;
    if (has_copied_) CANNY_TRY(mask_.queue(mask_frame(region, width, height), stream, &mask));
    source->mask = {mask.data, mask.stride_bytes};
    return {};
  }
  Box* boxes = source->few;
  if (region.rectangle_count > kFewBoxes) {
    CANNY_TRY(page_locked_.reserve(capacity_of(region.rectangle_count) * sizeof(Box)));
    boxes = reinterpret_cast<Box*>(page_locked_.data());
  }
  for (std::size_t i = 0; i < region.rectangle_count; ++i) {
    Box box;
    if (clip(region.rectangles[i], width, height, &box)) boxes[source->count++] = box;
  }
  if (boxes == source->few || source->count == 0) return {};
  const std::size_t bytes = static_cast<std::size_t>(source->count) * sizeof(Box);
  CANNY_TRY(boxes_.reserve(capacity_of(region.rectangle_count) * sizeof(Box)));
  CANNY_CUDA_TRY(cudaMemcpyAsync(boxes_.data(), boxes, bytes, cudaMemcpyHostToDevice, stream));
  source->many = reinterpret_cast<const Box*>(boxes_.data());
  has_copied_ = true;
  return {};
}

void RegionUpload::release() {
  mask_.release();
  boxes_.release();
  page_locked_.release();
}

Status set_region(const RegionSource& source, const RegionPlane& region, Launcher* launcher) {
  const dim3 grid(blocks(region.bits.columns(), kPassTiles), region.bits.rows());
  const dim3 block(kTile, kPassTiles);
  if (source.mask.data != nullptr)
    return launcher->launch("region kernel", mask_kernel, grid, block, 0, source.mask.data,
                            source.mask.stride_bytes, region);
  BoxArguments boxes = {};
  std::copy_n(source.few, kFewBoxes, boxes.few);
  boxes.many = source.many;
  boxes.count = source.count;
  return launcher->launch("region kernel", boxes_kernel, grid, block, 0, boxes, region);
}

Status drop_outside(const RegionPlane& region, const TilePlane& candidate, const TilePlane& strong,
                    Launcher* launcher) {
  const dim3 grid(blocks(candidate.columns(), kPassTiles), candidate.rows());
  return launcher->launch("region kernel", drop_outside_kernel, grid, dim3(kTile, kPassTiles), 0,
                          region, candidate, strong);
}

}  // namespace canny::cuda
