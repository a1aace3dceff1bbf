// SPDX-License-Identifier: LGPL-2.1-or-later
// The benchmark of the OpenCL backend.
#pragma once

#include <memory>
#include <string>

#include "bench.h"
#include "papers_measure.h"

namespace papers {

/// Opens the OpenCL backend on the device of the settings. Returns null and `*why` if there is
/// none. Frames are in host memory: Times::ev is the sum of the stages, and the others are those of
/// whole frames. Each is measured for about `budget` microseconds.
std::unique_ptr<bench::Bench> open_opencl(const Settings& settings, double budget,
                                          bench::Machine* machine, std::string* why);

}  // namespace papers
