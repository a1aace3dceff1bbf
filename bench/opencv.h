// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenCV's cvtColor, GaussianBlur and Canny on the same frames and threads, for comparison.
#pragma once

#include <functional>

#include "bench.h"

namespace bench {

/// Returns a call that processes a picture, which must outlive the call. Returns none for formats
/// that OpenCV does not convert and for bounded hysteresis. Sets the number of OpenCV's threads for
/// all calls.
std::function<void()> opencv_call(const Picture& picture, const canny::Params& params,
                                  unsigned threads);

}  // namespace bench
