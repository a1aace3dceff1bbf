// SPDX-License-Identifier: LGPL-2.1-or-later
// The chains of a Contours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "canny/contours.h"

namespace canny {

/// Gives a vector at least so many elements, not necessarily the same ones.
template <class T>
void make_room(std::size_t size, std::vector<T>* vector) {
  if (vector->size() >= size) return;
  *vector = {};
  const std::size_t spare = std::max(size, std::size_t{kMaxContourPoints}) - size;
  vector->resize(size + std::min(size / 4, spare));
}

/// The vectors may have more elements, which keep memory for later frames.
struct Chains {
  std::vector<Point> points;
  std::vector<Offset> offsets;
  std::vector<std::uint32_t> ends;
  std::size_t point_count = 0, chain_count = 0;
  bool is_full = false;

  std::uint32_t min_points = 1;  ///< of a chain
  bool is_traced = false;        ///< whether a backend traced the chains of the frame
  bool wants_offsets = false, has_offsets = false;
  DeviceChains memory;         ///< where the chains go instead; with null points nowhere
  bool are_in_memory = false;  ///< whether a backend wrote them there

  bool is_for_device() const { return memory.points != nullptr; }
  /// The numbers of points and chains that have room there.
  std::size_t points_there() const { return std::min(point_count, memory.most_points); }
  std::size_t chains_there() const { return std::min(chain_count, memory.most_chains); }

  void clear() {
    point_count = chain_count = 0;
    is_full = is_traced = has_offsets = are_in_memory = false;
  }
  /// Makes room for so many points and chains, which have no values yet.
  void set_counts(std::size_t new_points, std::size_t new_chains) {
    make_room(new_points, &points);
    make_room(new_chains, &ends);
    point_count = new_points;
    chain_count = new_chains;
  }
};

}  // namespace canny
