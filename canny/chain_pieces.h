// SPDX-License-Identifier: LGPL-2.1-or-later
// The pieces of chains within bands of rows, from which chains are joined.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "canny/edge_bits.h"

namespace canny::chains {

/// A point is the number x | y << 16, so that numbers are in raster order.
using Number = std::uint32_t;
inline constexpr int kRowShift = 16;

/// A link between two bands has two sides with numbers of their own, which differ in bit 0: 0 in
/// the upper band, 1 in the lower one.
using Side = std::uint32_t;
inline constexpr Side kNoSide = 0xffffffff;

/// A path that links connect with pieces in other bands.
struct OpenPiece {
  std::uint32_t path;  ///< its number among the paths of its band
  Side sides[2];       ///< the links of its first point and of its last point, or kNoSide
  Number ends[2];      ///< its first point and its last point
  std::size_t size;    ///< in points
  const Number* points;
  bool is_joined = false;
};

/// Chains or pieces of at least so many points, and their points.
struct Kept {
  std::size_t chains = 0, points = 0;

  void add(std::size_t size, std::size_t least) {
    if (size < least) return;
    ++chains;
    points += size;
  }
};

/// Rows of an edge map, and the pieces within them in the order of their first points.
struct Band {
  int first_row = 0, last_row = 0;  // last_row is excluded
  std::size_t edges = 0;            ///< pixels
  Number* points = nullptr;         ///< of all pieces, paths before loops, and memory for one more
  std::vector<std::uint32_t> path_ends, loop_ends;  ///< number of points up to each one's end
  std::vector<OpenPiece> open;                      ///< in the order of the paths
  Kept kept;                                        ///< of chains that begin in these rows
  Kept before;                                      ///< of chains that begin above
};

/// All bands of an edge map. Threads work on different bands.
struct Bands {
  EdgeBits* bits = nullptr;
  std::vector<Band> bands;
  int most_rows = 0;         ///< of a band
  std::atomic<int> next{0};  ///< the first band that no thread has taken
  int lanes = 1;             ///< how many bands a thread works on at a time, at most
  /// For each side, the piece that it belongs to: 2 * its index in Band::open, plus 1 if it is at
  /// the last point.
  std::vector<std::uint32_t> pieces_at;
  std::size_t least = 0;  ///< points of a chain

  /// Links between two bands.
  static std::size_t most_links(int width) {
    return std::size_t{2} * static_cast<std::size_t>(width);
  }
};

}  // namespace canny::chains
