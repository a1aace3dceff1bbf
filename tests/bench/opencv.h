// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenCV's cvtColor, GaussianBlur and Canny on the same frames and threads, for comparison.
#pragma once

#include <functional>

#include "bench.h"

namespace bench {

/// A frame of a picture, which must outlive the call. Empty where OpenCV has no such format, or no
/// bounded hysteresis. It sets the number of OpenCV's threads for all calls.
std::function<void()> opencv_call(const Picture& picture, const canny::Params& params,
                                  unsigned threads);

}  // namespace bench
