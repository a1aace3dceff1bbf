// SPDX-License-Identifier: LGPL-2.1-or-later
// Contours in device memory.
#pragma once

#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "harness.h"

namespace device_chains {

/// A map of chains of two points in different tiles of 32x32 pixels: more pieces of chains in a
/// tile than a device has room for.
std::vector<std::uint8_t> pairs_across_tiles(int width, int height);

/// Tests chains that the device writes itself, and those that the host traces for it: with offsets,
/// in batches, or of too many pieces. The detector runs on CUDA.
void test(canny::Detector& detector, harness::Tally* tally);

/// Tests that only CUDA has memory for chains, and that host memory is not that of a device.
void test_refusals(canny::Backend backend, canny::Detector& detector, harness::Tally* tally);

}  // namespace device_chains
