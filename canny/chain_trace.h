// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns edges into chains, with several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "canny/arena.h"
#include "canny/chain_join.h"
#include "canny/chain_pieces.h"
#include "canny/chain_walk.h"
#include "canny/chains.h"
#include "canny/edge_bits.h"

namespace canny {

/// Finds the chains of edge maps. The result does not depend on the number of threads. The time is
/// linear in the pixels. Keeps its memory from frame to frame: at most 8 bytes per point, and the
/// maps of the bands that threads work on. For one thread at a time.
///
/// Each thread follows chains within bands of rows. Then pieces of neighboring bands are joined,
/// and all points are copied to where they belong.
class Tracer {
 public:
  /// Finds the chains of at least `min_points` points. Keeps the first kMaxContourPoints bits
  /// alone.
  void trace(EdgeBits* bits, std::uint32_t min_points, Arena* arena, Chains* result);

 private:
  class Writer;

  void set_size(const EdgeBits& bits, int threads);
  bool cut(chains::Band* band, std::size_t most);
  bool place_points(Arena* arena);
  void write(const chains::Band& band, Writer writer) const;

  chains::Bands bands_;
  std::vector<chains::Number> points_;
  int width_ = 0, height_ = 0;              // of the bands
  std::vector<chains::WalkMemory> memory_;  // one per thread
  chains::Joiner joiner_;
};

}  // namespace canny
