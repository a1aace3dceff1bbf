// SPDX-License-Identifier: LGPL-2.1-or-later
// Edge bits to the pixels of any output format.
#pragma once

#include <cstdint>

#include "canny.h"
#include "cpu/plane.h"

namespace canny::cpu {

/// Writes rows first_row .. last_row - 1 of `output` and returns how many of their pixels are
/// edges.
std::uint64_t store(const Plane& edges, const Frame& output, int first_row, int last_row);

}  // namespace canny::cpu
