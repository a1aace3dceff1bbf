// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns edges into pixels of any output format and counts them, on the GPU.
#pragma once

#include "canny/canny.h"
#include "cuda/hysteresis.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Writes every pixel of `output`, which is in device memory at any alignment, and adds the number
/// of edges to `*count` in device memory.
Status output(const Edges& edges, const Frame& output, unsigned long long* count,
              Launcher* launcher);

}  // namespace canny::cuda
