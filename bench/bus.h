// SPDX-License-Identifier: LGPL-2.1-or-later
// The speed of the bus between host and device.
#pragma once

#include <cstddef>

namespace bench {

/// Returns the microseconds that it takes to copy `up` bytes to the device and `down` bytes from
/// it: in both directions at once, back to back, from and to page-locked memory. Either may be 0.
double bus_microseconds(std::size_t up, std::size_t down);

}  // namespace bench
