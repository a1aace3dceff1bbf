// SPDX-License-Identifier: LGPL-2.1-or-later
// Traces an edge map on the GPU, without the detector around it.
#pragma once

#include <memory>

#include "canny/chains.h"
#include "canny/edge_bits.h"

namespace bench {

class DeviceContours {
 public:
  virtual ~DeviceContours() = default;

  /// The chains of the map, in host memory.
  virtual canny::Chains chains() = 0;
  /// Microseconds from edges to chains in device memory, and until they are in host memory as well.
  virtual double device_us() = 0;
  virtual double host_us() = 0;
};

/// Null without a usable GPU. A failure ends the program.
std::unique_ptr<DeviceContours> device_contours(canny::EdgeBits* bits);

}  // namespace bench
