// SPDX-License-Identifier: LGPL-2.1-or-later
// Joins the pieces of chains: each dart of a piece finds the end of its chain, or the first pixel
// of its loop, by pointer jumping.
#include <algorithm>

#include "cuda/check.h"
#include "cuda/contours/pieces.h"
#include "cuda/geometry.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// Calls f(i) for i in 0 .. count - 1, each in one thread of the grid.
template <class F>
__device__ void for_each(std::uint32_t count, F f) {
  for (std::uint32_t i = blockIdx.x * kListThreads + threadIdx.x; i < count;
       i += gridDim.x * kListThreads)
    f(i);
}

// Half of a walk, which other threads may load and store meanwhile. Relaxed accesses of 16 bytes
// are not cut; weak ones mixed walks up.
__device__ uint4 load_half(const uint4* half) {
  uint4 value;
  asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(__cvta_generic_to_global(half))
               : "memory");
  return value;
}
__device__ void store_half(const uint4& value, uint4* half) {
  asm volatile(
      "st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(half)),
      "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
      : "memory");
}

union WalkHalves {
  uint4 halves[2];
  PieceWalk walk;
};
static_assert(sizeof(PieceWalk) == sizeof(uint4[2]));

__device__ PieceWalk load(const PieceWalk* walks, std::uint32_t dart) {
  const auto* const from = reinterpret_cast<const uint4*>(walks + dart);
  WalkHalves both;
  do {
    for (int i = 0; i < 2; ++i) both.halves[i] = load_half(from + i);
  } while (both.walk.next != both.walk.next_again || both.walk.points != both.walk.points_again);
  return both.walk;
}

__device__ void store(const PieceWalk& walk, PieceWalk* walks, std::uint32_t dart) {
  auto* const to = reinterpret_cast<uint4*>(walks + dart);
  WalkHalves both;
  both.walk = walk;
  both.walk.next_again = walk.next;
  both.walk.points_again = walk.points;
  for (int i = 0; i < 2; ++i) store_half(both.halves[i], to + i);
}

__device__ void append(const PieceWalk& then, PieceWalk* walk) {
  if (then.points != 0) {
    if (then.lowest_dart / 2 == walk->lowest_dart / 2) walk->flags |= PieceWalk::kLoops;
    if (then.lowest_key < walk->lowest_key) {
      walk->lowest_key = then.lowest_key;
      walk->lowest_dart = then.lowest_dart;
      walk->before = walk->points + then.before;
    }
  }
  walk->flags |= then.flags;
  walk->points += then.points;
  walk->next = then.next;
}

// Stores whether any walk of the block goes on.
__device__ void note_open(bool is_open, std::uint32_t* flag) {
  if (__syncthreads_or(is_open) && threadIdx.x == 0) *flag = 1;
}

__global__ void __launch_bounds__(kListThreads)
    begin_pieces_kernel(__grid_constant__ const ContourBuffers buffers) {
  wait_and_start_next();
  bool is_open = false;
  for_each(2 * piece_count(buffers), [&](std::uint32_t dart) {
    PieceWalk walk = {};
    walk.next = dart;
    walk.flags = PieceWalk::kEnds;
    const std::uint32_t exit = buffers.pieces[dart / 2].exit[dart % 2];
    if (exit != kNone) {
      const uint2 exits = *reinterpret_cast<const uint2*>(buffers.exits + 2 * number_of(exit));
      for (const std::uint32_t there : {exits.x, exits.y}) {
        if (there == kNone || direction_of(there) != direction_of(exit)) continue;
        const std::uint32_t next = number_of(there) ^ 1;
        const Piece& piece = buffers.pieces[next / 2];
        walk = {next, piece.points, 0, piece.lowest_key, next, 0, 0, 0};
        is_open = true;
      }
    }
    store(walk, buffers.walks, dart);
  });
  note_open(is_open, &buffers.counters->is_open[0]);
}

// A round of pointer jumping, unless all walks are complete. A walk goes on by others as far as
// they have come: of one dart, a longer walk is as good as a shorter one.
__global__ void __launch_bounds__(kListThreads)
    jump_kernel(int round, int most_hops, __grid_constant__ const ContourBuffers buffers) {
  wait_and_start_next();
  if (buffers.counters->is_open[round] == 0) return;
  bool is_open = false;
  for_each(2 * piece_count(buffers), [&](std::uint32_t dart) {
    PieceWalk walk = load(buffers.walks, dart);
    for (int hop = 0; hop < most_hops && walk.flags == 0; ++hop) {
      append(load(buffers.walks, walk.next), &walk);
      store(walk, buffers.walks, dart);
    }
    is_open |= walk.flags == 0;
  });
  note_open(is_open, &buffers.counters->is_open[round + 1]);
}

// Where a piece lies in its chain. Sets `*begins` if the chain begins in the piece.
__device__ PiecePlace place_in_path(const Piece& piece, const PieceWalk (&walks)[2],
                                    const ContourBuffers& buffers, std::uint32_t number,
                                    bool* begins) {
  const std::uint32_t ends[2] = {walks[0].next, walks[1].next};
  std::uint32_t keys[2];
  for (int i = 0; i < 2; ++i) keys[i] = buffers.pieces[ends[i] / 2].key[ends[i] % 2];
  const int begin = keys[0] <= keys[1] ? 0 : 1;
  const std::uint32_t points = walks[0].points + piece.points + walks[1].points;
  *begins = ends[begin] / 2 == number;
  const std::uint32_t start = buffers.pieces[ends[begin] / 2].record[ends[begin] % 2];
  const auto before = static_cast<std::int32_t>(walks[begin].points);
  if (begin == 0) return {start, before, 0, points};
  return {start, before + static_cast<std::int32_t>(piece.points) - 1, 1, points};
}

__device__ PiecePlace place_in_loop(const Piece& piece, const PieceWalk (&walks)[2],
                                    const ContourBuffers& buffers, std::uint32_t number,
                                    bool* begins) {
  const std::uint32_t dart = walks[1].lowest_dart;
  const Piece& lowest = buffers.pieces[dart / 2];
  *begins = dart / 2 == number;
  const std::uint32_t others = *begins ? 0 : walks[0].before + piece.points;
  const std::uint32_t loop = walks[1].before + lowest.points + others;
  // Points from end 1 of this piece to the first one of the loop.
  const bool is_forward = dart % 2 == 1;  // the walk through end 1 passes that piece from end 0
  const std::uint32_t place = lowest.lowest_place / 2;
  const auto ahead =
      static_cast<std::int32_t>(walks[1].before + (is_forward ? place : lowest.points - 1 - place));
  const auto points = static_cast<std::int32_t>(piece.points),
             all = static_cast<std::int32_t>(loop);
  if (is_forward == (lowest.lowest_place % 2 == 1))
    return {lowest.lowest_record, all - points - ahead, 2 * loop, loop};
  return {lowest.lowest_record, points + ahead, 2 * loop + 1, loop};
}

// Places all pieces, and adds the chains that begin in them to the sums of rows.
__global__ void __launch_bounds__(kListThreads)
    place_pieces_kernel(EdgeRows edges, unsigned min_points,
                        __grid_constant__ const ContourBuffers buffers) {
  wait_and_start_next();
  for_each(piece_count(buffers), [&](std::uint32_t number) {
    const Piece piece = buffers.pieces[number];
    const PieceWalk walks[2] = {load(buffers.walks, 2 * number),
                                load(buffers.walks, 2 * number + 1)};
    bool begins;
    const bool is_loop = (walks[0].flags & PieceWalk::kLoops) != 0;
    PiecePlace place = is_loop ? place_in_loop(piece, walks, buffers, number, &begins)
                               : place_in_path(piece, walks, buffers, number, &begins);
    if (place.points < min_points) {
      place.start = kNone;
    } else if (begins) {
      buffers.records[place.start] |= Record::kBegins;
      const std::uint32_t tile = place.start / kTilePixels;
      const std::uint32_t y =
          tile / edges.columns() * kTile + Record{buffers.records[place.start]}.row();
      atomicAdd(sum_of_tiles(buffers, y / kTile, tile), chain_of(place.points));
      atomicAdd(&buffers.sums[std::size_t{1} * y * edges.columns() + tile % edges.columns()],
                chain_of(place.points));
    }
    buffers.places[number] = place;
  });
}

}  // namespace

Status join_pieces(const EdgeRows& edges, unsigned min_points, const ContourBuffers& buffers,
                   int multiprocessors, Launcher* launcher) {
  const int most = blocks(static_cast<int>(2 * buffers.most_pieces), kListThreads);
  const dim3 grid(std::min(most, multiprocessors * kListBlocks)), block(kListThreads);
  CANNY_TRY(launcher->launch("contour piece kernel", begin_pieces_kernel, grid, block, 0, buffers));
  for (int round = 0; round < kRounds; ++round)
    CANNY_TRY(launcher->launch("contour jump kernel", jump_kernel, grid, block, 0, round,
                               kHops[round], buffers));
  return launcher->launch("contour place kernel", place_pieces_kernel, grid, block, 0, edges,
                          min_points, buffers);
}

}  // namespace canny::cuda
