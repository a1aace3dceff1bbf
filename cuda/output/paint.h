// SPDX-License-Identifier: LGPL-2.1-or-later
// Paints edges over the input, on the GPU.
#pragma once

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"
#include "cuda/report.h"

namespace canny::cuda {

/// Writes kOverlay or kMasked, chroma included, and reports the number of edges. Both frames are in
/// device memory at any alignment and have one format.
Status paint(const Plan& plan, const Edges& edges, const ConstFrame& input, const Frame& output,
             const Reporter& reporter, Launcher* launcher);

}  // namespace canny::cuda
