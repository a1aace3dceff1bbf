// SPDX-License-Identifier: LGPL-2.1-or-later
// One row's step of the hysteresis.
#pragma once

#include <cstdint>

namespace canny::cpu {

/// Adds to `edges` the runs of a row's candidates that touch one of its edges or an edge of the
/// neighbor row `from`, which may be null. All have `words` words. Returns whether any was added.
bool grow_row(const std::uint32_t* candidate, const std::uint32_t* from, int words,
              std::uint32_t* edges);

}  // namespace canny::cpu
