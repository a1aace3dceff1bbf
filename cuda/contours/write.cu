// SPDX-License-Identifier: LGPL-2.1-or-later
// Orders the chains by their first points and writes their points.
#include <algorithm>

#include "canny/carver.h"
#include "cuda/check.h"
#include "cuda/contours/pieces.h"
#include "cuda/geometry.h"
#include "cuda/tuning.h"
#include "cuda/warp.h"

namespace canny::cuda {
namespace {

using Sum = unsigned long long;

__device__ std::uint32_t chains_of(Sum sum) { return static_cast<std::uint32_t>(sum >> 32); }
__device__ std::uint32_t points_of(Sum sum) { return static_cast<std::uint32_t>(sum); }

// Calls f(x, value) for the elements of a row, which a warp loads some at a time. All lanes call it
// equally often; beyond the row, the value is 0.
template <class F>
__device__ void for_each_of_row(const Sum* row, int columns, F f) {
  for (int first = threadIdx.x; first - threadIdx.x < columns; first += kSumTogether * kWarp) {
    Sum values[kSumTogether];
#pragma unroll
    for (int i = 0; i < kSumTogether; ++i)
      values[i] = first + i * kWarp < columns ? row[first + i * kWarp] : 0;
#pragma unroll
    for (int i = 0; i < kSumTogether; ++i) f(first + i * kWarp, values[i]);
  }
}

// A block per row of tiles, a warp per row of pixels. Turns the numbers of each tile and row into
// those of all before in the frame.
__global__ void __launch_bounds__(kWarp* kSumWarps)
    sum_chains_kernel(EdgeRows edges, __grid_constant__ const ContourBuffers buffers) {
  __shared__ Sum rows[kTile], above_of_warp[kSumWarps];
  wait_and_start_next();
  const int lane = threadIdx.x, columns = edges.columns(), y = blockIdx.x * kTile + threadIdx.y;
  const bool is_there = y < edges.height;
  Sum* const row = buffers.sums + std::size_t{1} * y * columns;
  Sum own = 0, above = 0;
  if (is_there) for_each_of_row(row, columns, [&](int, Sum value) { own += value; });
  for (unsigned i = threadIdx.y * kWarp + lane; i < blockIdx.x * kSumParts; i += kWarp * kSumWarps)
    above += buffers.tile_row_sums[i];
  own = sum_of_warp(own);
  above = sum_of_warp(above);
  if (lane == 0) {
    rows[threadIdx.y] = own;
    above_of_warp[threadIdx.y] = above;
  }
  __syncthreads();
  above = sum_of_warp(above_of_warp[lane]);
  const Sum before_rows = above + sum_of_lanes_before(rows[lane]);
  if (y == edges.height - 1 && lane == kTile - 1)
    buffers.counters->total = before_rows + rows[lane];
  if (!is_there) return;
  Sum before = __shfl_sync(~0u, before_rows, threadIdx.y);
  for_each_of_row(row, columns, [&](int x, Sum value) {
    const Sum sum = before + sum_of_lanes_before(value);
    if (x < columns) row[x] = sum;
    before = __shfl_sync(~0u, sum + value, kWarp - 1);
  });
}
static_assert(kSumWarps == kTile && kSumWarps == kWarp);

// A warp a tile, a row per lane: finds where the chains begin that have their first point there.
__global__ void __launch_bounds__(kWarp* kPlaceTiles)
    place_chains_kernel(EdgeRows edges, unsigned min_points,
                        __grid_constant__ const ContourBuffers buffers) {
  const int tile_x = blockIdx.x * kPlaceTiles + threadIdx.y, columns = edges.columns();
  const int tile = blockIdx.y * columns + tile_x, y = blockIdx.y * kTile + threadIdx.x;
  wait_and_start_next();
  if (tile_x >= columns) return;  // the whole warp
  const TilePixels pixels = buffers.tiles[tile];
  if (pixels.pixels == 0) return;
  const std::size_t word = std::size_t{1} * y * columns + tile_x;
  const unsigned in_row = y < edges.height ? __popc(edges.words[word]) : 0;
  const std::uint32_t first = tile * kTilePixels + sum_of_lanes_before(in_row);
  if (in_row == 0) return;
  const Record not_first = Record::make(false, 0, 1, 0);
  Sum sum = buffers.sums[word];
  for (unsigned done = 0; done < in_row; done += kStartsTogether) {
    Record records[kStartsTogether];
#pragma unroll
    for (int k = 0; k < kStartsTogether; ++k)
      records[k] = done + k < in_row ? Record{buffers.records[first + done + k]} : not_first;
#pragma unroll
    for (int k = 0; k < kStartsTogether; ++k) {
      const Record& record = records[k];
      if (record.is_open() ? !record.begins() : record.position() != 0) continue;
      const std::uint32_t points = record.is_open()
                                       ? buffers.places[pixels.first_piece + record.of()].points
                                       : record.of() + 1;
      const bool is_short = points < min_points;
      buffers.offsets[first + done + k] = is_short ? kNone : points_of(sum);
      if (is_short) continue;
      if (chains_of(sum) < buffers.most_chains)
        buffers.ends[chains_of(sum)] = points_of(sum) + points;
      sum += chain_of(points);
    }
  }
}

// The place of a pixel among the points of all chains, or kNone.
__device__ std::uint32_t place_of(const Record& record, std::uint32_t i, const TilePixels& tile,
                                  const ContourBuffers& buffers) {
  if (!record.is_open()) {
    const bool is_first = record.position() == 0;
    const std::uint32_t start = is_first ? i : i / kTilePixels * kTilePixels + record.of();
    const std::uint32_t offset = buffers.offsets[start];
    return offset == kNone ? kNone : offset + record.position();
  }
  const std::uint32_t piece = tile.first_piece + record.of();
  if (piece >= piece_count(buffers)) return kNone;
  const PiecePlace place = buffers.places[piece];
  if (place.start == kNone) return kNone;
  const auto loop = static_cast<std::int32_t>(place.loop_and_direction / 2);
  const auto in_piece = static_cast<std::int32_t>(record.position());
  std::int32_t in_chain = place.first + (place.loop_and_direction % 2 == 0 ? in_piece : -in_piece);
  if (loop != 0 && in_chain < 0) in_chain += loop;
  if (loop != 0 && in_chain >= loop) in_chain -= loop;
  return buffers.offsets[place.start] + static_cast<std::uint32_t>(in_chain);
}

// Some warps a tile.
__global__ void __launch_bounds__(kWarp* kPlaceTiles* kWriteWarps)
    write_points_kernel(EdgeRows edges, __grid_constant__ const ContourBuffers buffers) {
  const int tile_x = blockIdx.x * kPlaceTiles + threadIdx.y;
  const int tile = blockIdx.y * edges.columns() + tile_x;
  wait_and_start_next();
  if (tile_x >= edges.columns()) return;  // the whole warp
  const TilePixels pixels = buffers.tiles[tile];
  const std::uint32_t first = tile * kTilePixels, own = threadIdx.z * kWarp + threadIdx.x;
  for (std::uint32_t i = first + own; i < first + pixels.pixels; i += kWarp * kWriteWarps) {
    const Record record = {buffers.records[i]};
    const std::uint32_t place = place_of(record, i, pixels, buffers);
    if (place >= buffers.most_points) continue;
    const std::uint32_t x = tile_x * kTile + record.column(), y = blockIdx.y * kTile + record.row();
    buffers.points[place] = x | y << 16;  // a Point
  }
}

// Copies words, mostly four at a time.
__device__ void copy_words(const std::uint32_t* from, std::uint32_t count, std::uint32_t* to) {
  const std::uint32_t thread = blockIdx.x * kListThreads + threadIdx.x;
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(to) % sizeof(uint4) == 0;
  const std::uint32_t fours = is_aligned ? count / 4 : 0;
  for (std::uint32_t i = thread; i < fours; i += gridDim.x * kListThreads)
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
  for (std::uint32_t i = 4 * fours + thread; i < count; i += gridDim.x * kListThreads)
    to[i] = from[i];
}

__global__ void __launch_bounds__(kListThreads)
    copy_chains_kernel(ContourTarget target, __grid_constant__ const ContourBuffers buffers) {
  wait_and_start_next();
  ContourCounters* const counters = buffers.counters;
  const Sum total = counters->total;
  copy_words(buffers.points, min(points_of(total), target.most_points), target.points);
  copy_words(buffers.ends, min(chains_of(total), target.most_chains), target.ends);
  if (blockIdx.x != 0) return;
  for (unsigned i = threadIdx.x; i < buffers.tile_rows * kSumParts; i += kListThreads)
    buffers.tile_row_sums[i] = 0;
  if (threadIdx.x != 0) return;
  *target.numbers = {points_of(total), chains_of(total), counters->pieces};
  counters->pieces = 0;
  for (std::uint32_t& is_open : counters->is_open) is_open = 0;
}

// The most chains and points of a frame that memory holds.
std::uint32_t most_chains(int width, int height) {
  return static_cast<std::uint32_t>(std::size_t{1} * width * height / kPixelsPerChain + kLeastRoom);
}
std::uint32_t most_points(int width, int height) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(std::size_t{1} * width * height, kMaxContourPoints));
}

}  // namespace

std::size_t carve_target(void* memory, int width, int height, ContourTarget* target) {
  canny::Carver<256> carver(memory);
  target->most_points = most_points(width, height);
  target->most_chains = most_chains(width, height);
  carver.take(1, &target->numbers);
  carver.take(target->most_points, &target->points);
  carver.take(target->most_chains, &target->ends);
  return carver.bytes();
}

std::size_t carve_contours(void* memory, int width, int height, ContourBuffers* buffers) {
  canny::Carver<256> carver(memory);
  const EdgeRows size = {nullptr, width, height};
  const std::size_t tiles = size.tiles();
  buffers->most_pieces = static_cast<std::uint32_t>(tiles * kPiecesPerTile);
  buffers->most_chains = most_chains(width, height);
  buffers->most_points = most_points(width, height);
  buffers->tile_rows = static_cast<std::uint32_t>(size.tile_rows());
  carver.take(1, &buffers->counters);
  carver.take(tiles, &buffers->tiles);
  carver.take(2 * tiles * kBorder, &buffers->exits);
  carver.take(tiles * kTilePixels, &buffers->records);
  carver.take(tiles * kTilePixels, &buffers->offsets);
  carver.take(std::size_t{1} * height * size.columns(), &buffers->sums);
  carver.take(buffers->tile_rows * kSumParts, &buffers->tile_row_sums);
  carver.take(buffers->most_pieces, &buffers->pieces);
  carver.take(2 * buffers->most_pieces, &buffers->walks);
  carver.take(buffers->most_pieces, &buffers->places);
  carver.take(buffers->most_points, &buffers->points);
  carver.take(buffers->most_chains, &buffers->ends);
  return carver.bytes();
}

Status clear_counters(const ContourBuffers& buffers, cudaStream_t stream) {
  CANNY_CUDA_TRY(cudaMemsetAsync(buffers.counters, 0, sizeof *buffers.counters, stream));
  CANNY_CUDA_TRY(cudaMemsetAsync(buffers.tile_row_sums, 0,
                                 buffers.tile_rows * kSumParts * sizeof *buffers.tile_row_sums,
                                 stream));
  return {};
}

bool are_complete(const ContourNumbers& numbers, const ContourBuffers& buffers) {
  return numbers.points <= buffers.most_points && numbers.chains <= buffers.most_chains &&
         numbers.pieces <= buffers.most_pieces;
}

Status trace_contours(const EdgeRows& edges, unsigned min_points, const ContourBuffers& buffers,
                      const ContourTarget& target, int multiprocessors, Launcher* launcher) {
  CANNY_TRY(follow_tiles(edges, min_points, buffers, launcher));
  CANNY_TRY(join_pieces(edges, min_points, buffers, multiprocessors, launcher));
  const dim3 rows(edges.tile_rows()), row_block(kWarp, kSumWarps);
  CANNY_TRY(launcher->launch("contour sum kernel", sum_chains_kernel, rows, row_block, 0, edges,
                             buffers));
  const dim3 tiles(blocks(edges.columns(), kPlaceTiles), edges.tile_rows());
  const dim3 tile_block(kWarp, kPlaceTiles);
  CANNY_TRY(launcher->launch("contour start kernel", place_chains_kernel, tiles, tile_block, 0,
                             edges, min_points, buffers));
  CANNY_TRY(launcher->launch("contour point kernel", write_points_kernel, tiles,
                             dim3(kWarp, kPlaceTiles, kWriteWarps), 0, edges, buffers));
  return launcher->launch("contour copy kernel", copy_chains_kernel,
                          dim3(multiprocessors * kListBlocks), dim3(kListThreads), 0, target,
                          buffers);
}

}  // namespace canny::cuda
