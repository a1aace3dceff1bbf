// SPDX-License-Identifier: LGPL-2.1-or-later
// What the bus between host and device allows.
#pragma once

#include <cstddef>

namespace bench {

/// Microseconds in which `up` bytes are copied to the device and `down` bytes from it, both ways at
/// once and again and again, from and to page-locked memory. Either may be 0.
double bus_microseconds(std::size_t up, std::size_t down);

}  // namespace bench
