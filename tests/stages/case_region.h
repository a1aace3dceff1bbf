// SPDX-License-Identifier: LGPL-2.1-or-later
// Regions of test cases.
#pragma once

#include <memory>
#include <string>

#include "harness.h"
#include "reference/random.h"

namespace cases {

/// A region for frames of this size: rectangles, few or many, inside, across or far beyond the
/// frame, or a mask.
std::shared_ptr<const harness::RegionMemory> any_region(int width, int height,
                                                        reference::Random& random);

/// Describes a region, which may be null, in a few words.
std::string describe(const harness::RegionMemory* region);

}  // namespace cases
