// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the components of an edge map, with several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "canny/arena.h"
#include "canny/components.h"
#include "canny/edge_bits.h"

namespace canny {

/// The components of a Components, and what a backend fills for them: either the bits, or the
/// components.
struct FrameComponents {
  std::uint32_t min_pixels = 1;
  EdgeBits edges, strong;  ///< strong pixels that are no edges do not count

  bool is_found = false;       ///< whether the backend has set what follows
  std::vector<Component> all;  ///< may have more elements, which keep memory for later frames
  std::size_t count = 0;
  bool is_full = false;

  void clear() {
    is_found = is_full = false;
    count = 0;
  }
};

/// Finds components in bits. The result does not depend on the number of threads. Keeps its memory
/// from frame to frame. For one thread at a time.
///
/// Each thread labels the runs of ones in a band of rows, from the top, with union-find. Then the
/// components of neighboring bands are joined. A component's root is the label of its first pixel.
class ComponentFinder {
 public:
  /// Finds the components of a frame unless its backend has.
  void find(FrameComponents* frame, Arena* arena);

 private:
  // Pixels of a component, with the first label of those that it is connected to: its own in a
  // root. Parents are smaller.
  struct Part {
    std::uint32_t parent = 0;
    std::uint32_t pixels = 0, strong_pixels = 0;
    std::uint16_t left = 0, right = 0, top = 0, bottom = 0;
    std::uint64_t sum_x = 0, sum_y = 0;

    void add(const Part& other);
  };
  // Ones of a row, from column `begin` on, before `end`.
  struct Run {
    int begin, end;
    std::uint32_t label;
  };
  struct Band {
    int first_row = 0, last_row = 0;
    std::vector<Part> parts;       // by label
    std::vector<Run> first, last;  // the runs of these rows

    void label(FrameComponents* frame);

   private:
    void label_row(FrameComponents* frame, int y);
    void keep_roots();

    std::vector<Run> above_, here_;
    std::vector<std::uint32_t> numbers_;  // of the roots, by label
  };

  void join_bands();

  std::vector<Band> bands_;
  std::vector<Part> parts_;  // of all bands
};

}  // namespace canny
