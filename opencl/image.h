// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

#include "opencl/queue.h"

namespace canny::opencl {

/// The planes of a frame in a buffer.
struct Image {
  const Buffer* buffer = nullptr;
  std::ptrdiff_t offset[3] = {};  ///< of the top row of each plane, bytes
  std::ptrdiff_t stride[3] = {};  ///< bytes
};

}  // namespace canny::opencl
