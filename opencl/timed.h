// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the stages and copies of a frame.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "opencl/queue.h"

namespace canny::opencl {

/// Calls work(), which queues work. With `time`, waits for earlier work and for this one, and sets
/// how many nanoseconds it took, at least 1.
template <class Work>
Status run_timed(const Queue& queue, std::uint64_t* time, Work work) {
  if (time == nullptr) return work();
  CANNY_TRY(queue.finish());
  const auto begin = std::chrono::steady_clock::now();
  CANNY_TRY(work());
  CANNY_TRY(queue.finish());
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
  *time = static_cast<std::uint64_t>(std::max<std::int64_t>(took.count(), 1));
  return {};
}

}  // namespace canny::opencl
