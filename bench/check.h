// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls that must succeed for a benchmark to continue.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "canny/canny.h"

namespace bench {

/// Ends the program with a message.
[[noreturn]] inline void fail(const std::string& message, int status = 1) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, message.c_str());
  std::exit(status);
}

/// Ends the program with the error's message.
inline void check(const canny::Status& status) {
  if (!status.ok()) fail(status.message());
}

inline canny::Detector open_detector(const canny::Options& options) {
  canny::Detector detector;
  check(canny::Detector::create(options, &detector));
  return detector;
}

}  // namespace bench
