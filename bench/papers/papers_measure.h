// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the cases of the papers on the backends.
#pragma once

#include <string>
#include <vector>

#include "canny/canny.h"
#include "papers_record.h"

namespace papers {

struct Settings {
  std::vector<canny::Backend> backends;  ///< empty = all that the machine has
  unsigned threads = 0;                  ///< of the CPU backend, 0 = one for each core
  std::string opencl_device;             ///< as in canny::Options
  std::string tiles;                     ///< folder of tests/pictures/tiles, empty = drawn pictures
  bool quick = false;                    ///< only small sizes, and few repetitions
};

/// Measures all cases and prints a line for each. Returns false after a failure, also if an output
/// differs from the expected one; then `*error` is one line.
bool measure(const Settings& settings, Recording* recording, std::string* error);

}  // namespace papers
