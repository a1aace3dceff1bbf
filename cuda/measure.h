// SPDX-License-Identifier: LGPL-2.1-or-later
// Derives the thresholds of a frame from its pixels, on the GPU.
#pragma once

#include "canny/canny.h"
#include "canny/measure.h"
#include "canny/plan.h"
#include "cuda/images.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Computes `*measured` as plan.measure says, which must not be ThresholdMode::kAbsolute. `input`,
/// `*histogram` and `*measured` are in device memory. If it needs the blurred images of the frame,
/// computes them in `buffers` and sets `*images`, whose count is otherwise 0.
Status measure(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
               Histogram* histogram, Measured* measured, Images* images, Launcher* launcher);

}  // namespace canny::cuda
