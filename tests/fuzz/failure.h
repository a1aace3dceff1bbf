// SPDX-License-Identifier: LGPL-2.1-or-later
// How a fuzz target reports a finding.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace fuzz {

/// Prints the reason and ends the process.
[[noreturn]] inline void report(const std::string& finding) {
  std::fprintf(stderr, "FAILED: %s\n", finding.c_str());
  std::abort();
}

}  // namespace fuzz
