// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame in memory of a device.
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

}  // namespace canny::opencl
