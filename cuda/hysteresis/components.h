// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the components of an edge map on the GPU.
#pragma once

#include <cstdint>

#include "canny/components.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Pixels of a component: those in a tile, and in a root of the forest all of them.
struct ComponentPart {
  std::uint32_t pixels, strong_pixels;
  std::uint32_t first;  ///< row << 16 | column of the first one
  std::uint32_t left, right, bottom;
  unsigned long long sum_x, sum_y;
};

/// Device memory for find_components(). Rows of words are those of output_bits().
struct ComponentBuffers {
  std::uint32_t* strong = nullptr;  ///< rows of words: strong pixels, some of which are no edges
  std::uint32_t* firsts = nullptr;  ///< likewise: first pixels of components
  std::uint16_t* before = nullptr;  ///< for each word, the first pixels to the left of it
  std::uint32_t* above = nullptr;   ///< for each row, the first pixels above it
  std::uint32_t* done = nullptr;    ///< per picture, blocks of a kernel that are done
  ComponentPart* parts = nullptr;   ///< forest_nodes() entries
};

/// What find_components() looks for, and page-locked memory for what it finds.
struct ComponentList {
  Component* components = nullptr;  ///< `most` per picture
  std::uint32_t* counts = nullptr;  ///< per picture, all that there are
  std::uint32_t most = 0;
  std::uint32_t min_pixels = 1;
};

/// Lists the components of `edges`, which stay as they are, in their order. `buffers.strong` is
/// set. Overwrites `labels`, other memory of the same size.
Status find_components(const Edges& edges, const Edges& labels, const ComponentBuffers& buffers,
                       const ComponentList& list, Launcher* launcher);

}  // namespace canny::cuda
