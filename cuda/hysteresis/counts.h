// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the pixels and components of a frame on the GPU.
#pragma once

#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"

namespace canny::cuda {

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

}  // namespace canny::cuda
