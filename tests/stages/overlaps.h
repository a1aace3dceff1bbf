// SPDX-License-Identifier: LGPL-2.1-or-later
// Inputs and outputs in one block of memory.
#pragma once

#include "canny/canny.h"
#include "harness.h"

namespace overlaps {

/// Runs `options.cases` random frames in one block. The detector must refuse those whose output
/// shares a byte with another plane, or interleaves with it at another stride, and leave all bytes
/// as they are; all others must be exact.
void test(canny::Backend backend, canny::Detector& detector, const harness::Options& options,
          harness::Tally* tally);

}  // namespace overlaps
