// SPDX-License-Identifier: LGPL-2.1-or-later
// What is counted of a frame.
#pragma once

#include "opencl/queue.h"

namespace canny::opencl {

/// Numbers that kernels add to.
enum class Number { kEdges, kCandidates, kStrong, kComponents };
inline constexpr int kNumbers = 4;
inline constexpr std::size_t kNumberBytes = kNumbers * sizeof(cl_uint);

}  // namespace canny::opencl
