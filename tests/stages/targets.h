// SPDX-License-Identifier: LGPL-2.1-or-later
// Chooses the instruction set of the CPU backend, for tests and benchmarks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stages {

/// An instruction set that was built and that the processor has.
struct Target {
  std::string name;           ///< Highway's, or AVX3_VNNI
  std::int64_t highway = 0;   ///< Highway's bit
  bool is_with_vnni = false;  ///< the front end uses AVX-512 VNNI too
};

/// All of them, the best one first, which detectors use.
std::vector<Target> targets();

/// Makes detectors use this one instead. Call it while none is working.
void force_target(const Target& target);

/// Undoes force_target().
void use_best_target();

}  // namespace stages
