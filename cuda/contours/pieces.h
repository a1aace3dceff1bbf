// SPDX-License-Identifier: LGPL-2.1-or-later
// What the kernels of contours tell each other, in device memory.
//
// A piece is the part of a chain within a tile, from end 0, which comes first in the tile, to end
// 1. Dart 2 i + e leaves piece i through end e.
#pragma once

#include <cstdint>

#include "canny/bits.h"
#include "cuda/contours/contours.h"
#include "cuda/tuning.h"

namespace canny::cuda {

inline constexpr int kTilePixels = kTile * kTile;
inline constexpr std::uint32_t kNone = ~0u;

/// A tile's pieces and edges.
struct TilePixels {
  std::uint32_t first_piece, pixels;
};

/// The coordinates of a pixel as a number that grows in raster order.
__device__ inline std::uint32_t raster_key(int x, int y) {
  return static_cast<std::uint32_t>(y) << 16 | static_cast<std::uint32_t>(x);
}

/// Pixels at the border of a tile, and a place for each.
inline constexpr int kBorder = 4 * kTile;
__device__ inline std::uint32_t border_place(int x, int y) {
  if (y == 0) return x;
  if (y == kTile - 1) return kTile + x;
  if (x == 0) return 2 * kTile + y;
  return x == kTile - 1 ? 3 * kTile + y : kNone;
}

/// A link from a tile to another one, seen from one side: a number, which is below 2^29, and the
/// direction of the link.
__device__ inline std::uint32_t exit_of(std::uint32_t number, int direction) {
  return static_cast<std::uint32_t>(direction) << 29 | number;
}
__device__ inline std::uint32_t number_of(std::uint32_t exit) { return exit & ((1u << 29) - 1); }
__device__ inline std::uint32_t direction_of(std::uint32_t exit) { return exit >> 29; }

struct Piece {
  std::uint32_t key[2];     ///< raster_key() of the pixels at both ends
  std::uint32_t record[2];  ///< their records
  std::uint32_t exit[2];    ///< where the chain may go on, or kNone: the place of the
                            ///< other pixel's exits, and the direction that one must have
  std::uint32_t points;
  std::uint32_t lowest_key, lowest_record;  ///< of the piece's first pixel in raster order
  std::uint32_t lowest_place;  ///< 2 i, i = points between it and end 0; + 1 if the lower one of
                               ///< its directions leads to end 1
};

/// The record of an edge pixel: what it knows of its place after its tile was followed. Records of
/// a tile are in raster order.
struct Record {
  std::uint32_t bits;

  static constexpr std::uint32_t kOpen = 1u << 31;    ///< in a piece, not in a chain of the tile
  static constexpr std::uint32_t kBegins = 1u << 30;  ///< a chain of several pieces begins here

  /// `of`: the record of the chain's first pixel, at that pixel the number of points - 1; or the
  /// piece. Both are numbers within the tile.
  __device__ static Record make(bool is_open, unsigned of, unsigned position, unsigned pixel) {
    return {(is_open ? kOpen : 0) | of << 20 | position << 10 | pixel};
  }
  __device__ bool is_open() const { return (bits & kOpen) != 0; }
  __device__ bool begins() const { return (bits & kBegins) != 0; }
  __device__ unsigned of() const { return bits >> 20 & 1023; }
  __device__ unsigned position() const { return bits >> 10 & 1023; }
  __device__ unsigned pixel() const { return bits & 1023; }
  __device__ unsigned row() const { return pixel() / kTile; }
  __device__ unsigned column() const { return pixel() % kTile; }
};

/// What a dart passes, up to dart `next`, without its own piece. Halves of 16 bytes, which are
/// loaded and stored at once, belong together if both have the same `next` and `points`.
struct alignas(32) PieceWalk {
  std::uint32_t next, points, flags;
  std::uint32_t lowest_key;   ///< the first of all passed pixels in raster order
  std::uint32_t lowest_dart;  ///< the dart that leaves its piece
  std::uint32_t before;       ///< points passed before this piece
  std::uint32_t next_again, points_again;

  static constexpr std::uint32_t kEnds = 1;   ///< dart `next` leads nowhere
  static constexpr std::uint32_t kLoops = 2;  ///< all of a loop was passed
};

/// Where a piece's points lie in its chain: point i at (first + i) or, if `is_reversed`,
/// (first - i), modulo `loop` unless that is 0.
struct PiecePlace {
  std::uint32_t start;  ///< record of the chain's first point, or kNone: a short chain
  std::int32_t first;
  std::uint32_t loop_and_direction;  ///< 2 loop + is_reversed
  std::uint32_t points;              ///< of the chain
};

/// Chains and points, together in one number.
__device__ inline unsigned long long chain_of(std::uint32_t points) { return 1ull << 32 | points; }

/// A part of the sum of a row of tiles.
__device__ inline unsigned long long* sum_of_tiles(const ContourBuffers& buffers, unsigned tile_row,
                                                   unsigned i) {
  return &buffers.tile_row_sums[tile_row * kSumParts + i % kSumParts];
}

struct ContourCounters {
  std::uint32_t pieces;                ///< of all tiles
  std::uint32_t is_open[kRounds + 1];  ///< whether a walk goes on in a round
  unsigned long long total;            ///< all chains and points
};

/// The pieces of a frame; 0 if they have no room, which are not all there.
__device__ inline std::uint32_t piece_count(const ContourBuffers& buffers) {
  const std::uint32_t pieces = buffers.counters->pieces;
  return pieces <= buffers.most_pieces ? pieces : 0;
}

// The steps of trace_contours().
Status follow_tiles(const EdgeRows& edges, unsigned min_points, const ContourBuffers& buffers,
                    Launcher* launcher);
Status join_pieces(const EdgeRows& edges, unsigned min_points, const ContourBuffers& buffers,
                   int multiprocessors, Launcher* launcher);

}  // namespace canny::cuda
