// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns edge bits into pixels of any output format.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/edge_bits.h"
#include "cpu/plane.h"

namespace canny::cpu {

/// Writes row y of `output` and returns how many of its pixels are edges.
std::uint32_t output_row(const Plane& edges, const Frame& output, int y);

/// Copies the edges to an edge map of the same size.
void copy_bits(const Plane& edges, EdgeBits* bits);

}  // namespace canny::cpu
