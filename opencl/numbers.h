// SPDX-License-Identifier: LGPL-2.1-or-later
// What is counted of a frame.
#pragma once

#include "opencl/queue.h"

namespace canny::opencl {

/// Numbers that kernels add to.
enum class Number { kEdges, kCandidates, kStrong, kComponents };
inline constexpr int kNumbers = 4;

/// Thresholds that the device derived: for magnitudes, and as lengths. As Measured of
/// generic.cl.
struct DeviceMeasured {
  cl_long low, high;
  cl_double low_length, high_length;
};

/// All numbers of a frame, and after them its thresholds.
inline constexpr std::size_t kMeasuredOffset = kNumbers * sizeof(cl_uint);
inline constexpr std::size_t kNumberBytes = kMeasuredOffset + sizeof(DeviceMeasured);

}  // namespace canny::opencl
