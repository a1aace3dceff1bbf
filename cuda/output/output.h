// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns edges, or what another view shows, into pixels of any output format, on the GPU. Outputs
// with chroma that get no color from the input get chroma without color.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/front/front.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"
#include "cuda/report.h"

namespace canny::cuda {

/// Writes every pixel of `output`, which is in device memory at any alignment. Reports the number
/// of edges. `streamed` makes pixels the first to leave the L2 cache, for outputs that would take
/// the place of most that it holds. `are_older` says that the kernel that was launched before did
/// not change the edges, but waited for those before it: pixels are written while it runs, and may
/// be reported before it ends.
Status output(const Edges& edges, const Frame& output, bool streamed, bool are_older,
              const Reporter& reporter, Launcher* launcher);

/// Writes the chroma of `output`, without color, if it has any.
Status output_chroma(const Frame& output, Launcher* launcher);

/// Writes the edges of each picture as rows of bits, one after the other, each of as many words as
/// a row has tiles. Bits to the right of the last pixel are 0.
Status output_bits(const Edges& edges, std::uint32_t* words, Launcher* launcher);

/// Writes kOverlay or kMasked, chroma included, and reports the number of edges. Both frames are in
/// device memory at any alignment and have one format.
Status paint(const Plan& plan, const Edges& edges, const ConstFrame& input, const Frame& output,
             const Reporter& reporter, Launcher* launcher);

/// Writes a view of the blurred images or of their gradients: kGradient, kSuppressed, kDirection,
/// kLuma or kBlurred. Both frames are in device memory.
Status show_images(const FrontArguments& arguments, const Frame& output, Launcher* launcher);

/// Writes kClasses: what the front end finds.
Status show_classes(const Plan& plan, const TilePlane& candidate, const TilePlane& strong,
                    const Frame& output, Launcher* launcher);

/// Writes kPasses. Overwrites both planes.
Status show_passes(const Plan& plan, const TilePlane& candidate, const TilePlane& strong,
                   const HysteresisBuffers& buffers, const Frame& output, Launcher* launcher);

}  // namespace canny::cuda
