// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of hysteresis that process whole rows.
#pragma once

#include "cpu/plane.h"

namespace canny::cpu {

/// Adds to row y of `edges` its runs of candidates that touch an edge of row y or of row `from`,
/// which is y or next to it. Returns whether any was added.
bool grow_row(const Plane& candidate, const Plane& edges, int y, int from);

/// Runs one pass of the bounded hysteresis over row `tile_row` of tiles: sets `to` to E(k + 1),
/// computed from E(k) in `from`. Returns whether edges were added. Luo and Duraiswami (CVPRW 2008),
/// section 3.
bool tile_pass(const Plane& candidate, const Plane& from, const Plane& to, int tile_row);

}  // namespace canny::cpu
