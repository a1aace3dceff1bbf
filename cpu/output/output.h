// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns edge bits into pixels of any output format.
#pragma once

#include <cstdint>

#include "canny/backend.h"
#include "canny/canny.h"
#include "canny/edge_bits.h"
#include "cpu/plane.h"

namespace canny::cpu {

/// Writes row y of `output` and returns how many of its pixels are edges.
std::uint32_t output_row(const Plane& edges, const Frame& output, int y);

/// Copies these rows of a plane to bits of the same size.
void copy_bits(const Plane& plane, int first_row, int last_row, EdgeBits* bits);

/// Copies the edges of a picture with contours or components.
void keep_edges(const Plane& edges, const Picture& picture);

}  // namespace canny::cpu
