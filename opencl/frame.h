// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame in memory of a device, and what is counted of it.
#pragma once

#include <cstddef>

#include "opencl/queue.h"

namespace canny::opencl {

/// Where up to three planes begin in a buffer, each with its top row, and their strides, in bytes.
/// As in planes.cl.
struct Planes {
  cl_long offset[3] = {}, stride[3] = {};
};

/// A frame in a buffer: its planes of pixels, and U and V.
struct Image {
  const Buffer* buffer = nullptr;
  Planes pixels, chroma;
};

/// Numbers that kernels add to.
enum class Number : cl_int { kEdges, kCandidates, kStrong, kComponents };

/// Thresholds that the device derived: for magnitudes, and as lengths. As Measured of generic.cl.
struct DeviceMeasured {
  cl_long low, high;
  cl_double low_length, high_length;
};

/// What a device finds out about a frame.
struct Numbers {
  cl_uint counts[4];  ///< of each Number
  DeviceMeasured measured;

  cl_uint& operator[](Number which) { return counts[static_cast<int>(which)]; }
};

}  // namespace canny::opencl
