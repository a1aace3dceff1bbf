// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the cases of the papers on the backends.
#pragma once

#include <string>
#include <vector>

#include "canny/canny.h"
#include "papers_pictures.h"
#include "papers_record.h"

namespace papers {

struct Settings {
  std::vector<canny::Backend> backends;  ///< empty = all that the machine has
  unsigned threads = 0;                  ///< of the CPU backend, 0 = one for each core
  std::string opencl_device;             ///< as in canny::Options
  std::string tiles;                     ///< folder of tests/pictures/tiles, empty = drawn pictures
  bool quick = false;                    ///< only small sizes, and few repetitions
};

/// Measures all cases and prints a line for each. Ends the program after a failure, also if an
/// output differs from the expected one.
void measure(const Settings& settings, Recording* recording);

/// Adds a row of the group "live" for each parameter that changes from one frame to the next:
/// microseconds of a frame with steady and with changing parameters.
void measure_live(const Settings& settings, canny::Backend backend, const Pictures& pictures,
                  Recording* recording);

}  // namespace papers
