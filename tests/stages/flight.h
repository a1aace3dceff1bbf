// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests of several frames in flight share.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "cases.h"
#include "harness.h"

namespace flight {

struct Size {
  int width, height;
};

/// The cases of the program.
extern harness::Tally tally;

/// A frame with any settings, some of which need the memory of all other frames on the device.
cases::Case frame_case(std::uint64_t seed, Size size);

/// A detector of the size. Counts a failure to make it.
canny::Detector make_detector(canny::Options options, Size size, unsigned frames_in_flight);

/// Runs and counts frames in the memory and the streams of a CUDA device, among them those of so
/// many detectors at the same time.
void run_on_device(const harness::Options& options);

}  // namespace flight
