// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps of the hysteresis that take whole rows.
#pragma once

#include "canny/cpu/plane.h"

namespace canny::cpu {

/// Adds to row y of `edges` the runs of its candidates that touch one of its own edges or one of
/// row `from`, which is y or next to it. Returns whether any was added.
bool grow_row(const Plane& candidate, const Plane& edges, int y, int from);

/// One pass of a bounded hysteresis over row `tile_row` of tiles: `to` becomes E(k + 1) of `from`,
/// E(k). Returns whether it has more edges. Luo and Duraiswami (CVPRW 2008), section 3.
bool tile_pass(const Plane& candidate, const Plane& from, const Plane& to, int tile_row);

}  // namespace canny::cpu
