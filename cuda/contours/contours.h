// SPDX-License-Identifier: LGPL-2.1-or-later
// Traces edges into chains on the GPU. docs/reference/edge-map.md defines the chains.
//
// A block follows the chains within four tiles: each pixel gets its place in its chain, or in its
// piece of a chain that goes on in other tiles. Pieces find the rest of their chain by pointer
// jumping. Then the chains are counted in the order of their first points, and all points are
// written.
#pragma once

#include <cstddef>
#include <cstdint>

#include "canny/bits.h"
#include "canny/canny.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Frames of more pixels have no contours on the device.
inline constexpr std::size_t kMaxContourPixels = std::size_t{1} << 25;

/// The rows of bits that output_bits() writes.
struct EdgeRows {
  const std::uint32_t* words;
  int width, height;

  CANNY_HOST_DEVICE int columns() const { return (width + kTile - 1) / kTile; }
  CANNY_HOST_DEVICE int tile_rows() const { return (height + kTile - 1) / kTile; }
  CANNY_HOST_DEVICE std::size_t tiles() const { return std::size_t{1} * columns() * tile_rows(); }
};

/// Numbers of the chains of a frame.
struct ContourNumbers {
  std::uint32_t points, chains, pieces;
};

/// Where the chains of a frame go, in memory of the device or page-locked: points, as they lie in
/// memory, and ends, as far as there is room.
struct ContourTarget {
  std::uint32_t *points, *ends;
  ContourNumbers* numbers;
  std::uint32_t most_points, most_chains;
};

struct ContourCounters;
struct Piece;
struct PiecePlace;
struct PieceWalk;
struct TilePixels;

/// Device memory of a frame's chains.
struct ContourBuffers {
  TilePixels* tiles;                  ///< per tile
  std::uint32_t* exits;               ///< 2 per pixel at the border of a tile
  std::uint32_t* records;             ///< per pixel of each tile
  std::uint32_t* offsets;             ///< likewise, of the first points of chains
  unsigned long long* sums;           ///< per row and tile: chains and points
  unsigned long long* tile_row_sums;  ///< kSumParts per row of tiles, 0 between frames
  Piece* pieces;
  PieceWalk* walks;    ///< 2 per piece
  PiecePlace* places;  ///< per piece
  std::uint32_t *points, *ends;
  ContourCounters* counters;  ///< all 0 between frames
  std::uint32_t most_pieces, most_chains, most_points, tile_rows;
};

/// Cuts memory into the buffers for frames of a size. Returns the bytes that they need.
std::size_t carve_contours(void* memory, int width, int height, ContourBuffers* buffers);

/// Likewise of the target.
std::size_t carve_target(void* memory, int width, int height, ContourTarget* target);

/// Sets the counters to 0, before the first frame.
Status clear_counters(const ContourBuffers& buffers, cudaStream_t stream);

/// Whether these are all chains of a frame: otherwise it has more points, chains or pieces than
/// the memory holds.
bool are_complete(const ContourNumbers& numbers, const ContourBuffers& buffers);

/// Writes the chains of at least `min_points` points to `target`, on a device of so many
/// multiprocessors.
Status trace_contours(const EdgeRows& edges, unsigned min_points, const ContourBuffers& buffers,
                      const ContourTarget& target, int multiprocessors, Launcher* launcher);

}  // namespace canny::cuda
