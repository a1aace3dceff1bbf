// SPDX-License-Identifier: LGPL-2.1-or-later
// Paints edges over the input, on the GPU.
#pragma once

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/hysteresis.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Writes kOverlay or kMasked, chroma included, and adds the number of edges to `*count` in device
/// memory. Both frames are in device memory at any alignment and have one format.
Status paint(const Plan& plan, const Edges& edges, const ConstFrame& input, const Frame& output,
             unsigned long long* count, Launcher* launcher);

}  // namespace canny::cuda
