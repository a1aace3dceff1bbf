// SPDX-License-Identifier: LGPL-2.1-or-later
// Traces an edge map on the GPU, without the detector around it.
#pragma once

#include <optional>

#include "canny/chains.h"
#include "canny/edge_bits.h"

namespace bench {

/// The chains of a map, in host memory.
struct DeviceContours {
  canny::Chains chains;
  double device_us;  ///< microseconds from edges to chains in device memory
  double host_us;    ///< until they are in host memory as well
};

/// None without a usable GPU. A failure ends the program.
std::optional<DeviceContours> device_contours(canny::EdgeBits* bits);

}  // namespace bench
