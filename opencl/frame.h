// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame in memory of a device, and what is counted of it.
#pragma once

#include <cstddef>

#include "opencl/queue.h"

namespace canny::opencl {

inline constexpr int kImageChroma = 3, kImagePlanes = 5;

/// The planes of a frame in a buffer: up to three of pixels, or one, and U and V from kImageChroma
/// on.
struct Image {
  const Buffer* buffer = nullptr;
  std::ptrdiff_t offset[kImagePlanes] = {};  ///< of the top row of each plane, bytes
  std::ptrdiff_t stride[kImagePlanes] = {};  ///< bytes
};

/// Numbers that kernels add to.
enum class Number { kEdges, kCandidates, kStrong, kComponents };
inline constexpr int kNumbers = 4;

/// Thresholds that the device derived: for magnitudes, and as lengths. As FrameThresholds of
/// generic.cl.
struct DeviceMeasured {
  cl_long low, high;
  cl_double low_length, high_length;
};

/// All numbers of a frame, and after them its thresholds.
inline constexpr std::size_t kMeasuredOffset = kNumbers * sizeof(cl_uint);
inline constexpr std::size_t kNumberBytes = kMeasuredOffset + sizeof(DeviceMeasured);

}  // namespace canny::opencl
