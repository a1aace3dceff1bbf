// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls that must succeed for a benchmark to continue.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "canny/canny.h"

namespace bench {

/// Ends the program with the error's message.
inline void check(const canny::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "error: %s\n", status.message().c_str());
  std::exit(1);
}

}  // namespace bench
