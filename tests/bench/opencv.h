// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenCV's cvtColor, GaussianBlur and Canny on the same frames and threads, for comparison.
#pragma once

#include <optional>

#include "bench.h"

namespace bench {

/// Microseconds of a frame, a median. None where OpenCV has no such format, or no bounded
/// hysteresis.
std::optional<double> time_opencv(const Picture& picture, const canny::Params& params,
                                  unsigned threads);

}  // namespace bench
