// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns candidate and strong bits into edge bits on the GPU: connected components, or a bounded
// number of passes over tiles. The host decides nothing within a frame.
#pragma once

#include "canny/canny.h"
#include "cuda/launch.h"
#include "cuda/plane.h"
#include "cuda/progress.h"
#include "cuda/region.h"

namespace canny::cuda {

/// Open components, in device memory: components of a tile that may become edges through other
/// tiles. The tiles are those of all pictures.
struct OpenComponents {
  std::uint8_t* of_run = nullptr;   ///< component of each open run, run_places() entries
  std::uint8_t* summary = nullptr;  ///< tile_summary(), one entry per tile
  std::uint32_t* parent = nullptr;  ///< the forest, forest_nodes() entries
};

std::size_t run_places(std::size_t tiles);
std::size_t forest_nodes(std::size_t tiles);

/// Flags of the passes of a picture.
inline constexpr unsigned kPassFlags = 1 + kMaxHysteresisPasses;

/// Device memory of the hysteresis. `components` and `other` may overlap: no frame needs both.
struct HysteresisBuffers {
  OpenComponents components;
  std::uint32_t* other = nullptr;  ///< a plane's words
  std::uint32_t* edges = nullptr;  ///< a plane's words for edges, if strong pixels are to stay
  std::uint32_t* grew = nullptr;   ///< kPassFlags flags per picture
  unsigned long long* count =
      nullptr;             ///< number of edges per picture, which hysteresis() sets to 0
  FrameProgress progress;  ///< of frames whose kernels wait tile by tile
};

/// The result of hysteresis, in device memory. Every bit of `decided` is an edge. A run of ones in
/// a word of `open` is an edge if the root of its component is kStrong.
struct Edges {
  TilePlane decided;
  TilePlane open;  ///< without words if nothing is open
  OpenComponents components;
};

/// Turns the bits of both planes in a region into edges: all candidates connected to a strong pixel
/// if `passes` is 0, else the candidates that `passes` passes reach. Overwrites both planes, but
/// not `strong` if `buffers.edges` is set.
Status hysteresis(unsigned passes, const TilePlane& candidate, const TilePlane& strong,
                  const RegionPlane& region, const HysteresisBuffers& buffers, Edges* edges,
                  Launcher* launcher);

/// Device memory for remove_short(), apart from that of the hysteresis.
struct LengthBuffers {
  TilePlane open;
  OpenComponents components;
  std::uint32_t* lengths = nullptr;  ///< pixels of each component, forest_nodes() entries
};

/// Removes the connected components of `*edges` with fewer than `min_length` pixels. `*edges`,
/// whose planes it overwrites, becomes edges in other memory.
Status remove_short(unsigned min_length, const LengthBuffers& buffers, Edges* edges,
                    Launcher* launcher);

/// Numbers of a picture in device memory that the functions below add to.
struct FrameCounts {
  unsigned long long candidates, strong, components;
};

/// Adds the numbers of candidates and of strong pixels.
Status count_pixels(const TilePlane& candidate, const TilePlane& strong, FrameCounts* counts,
                    Launcher* launcher);

/// Adds the number of 8-connected components of `edges`, which stay as they are. Overwrites
/// `labels`, other memory of the same size.
Status count_components(const Edges& edges, const Edges& labels, FrameCounts* counts,
                        Launcher* launcher);

// A step of these functions.

/// Joins components that touch each other or an edge in another tile. `edges` has the open
/// components of each tile, which are separate nodes. If `neighbors`
/// is set, a tile begins when it and its neighbors are labeled.
Status merge(const Edges& edges, const TileProgress& neighbors, Launcher* launcher);

}  // namespace canny::cuda
