// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for the CUDA backend in a build without it.
#include "bench.h"
#include "bus.h"
#include "device_contours.h"

namespace bench {

std::unique_ptr<Bench> open_cuda(const Options&, Machine*, std::string* why) {
  *why = "this build has no CUDA backend";
  return nullptr;
}

std::optional<DeviceContours> device_contours(canny::EdgeBits*) { return {}; }

/// Rows that call it need CUDA.
double bus_microseconds(std::size_t, std::size_t) { return 0; }

}  // namespace bench
