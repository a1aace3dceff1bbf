// SPDX-License-Identifier: LGPL-2.1-or-later
// Joins the components of tiles across their borders.
#pragma once

#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Joins components that touch each other or an edge in another tile. `edges` has the open
/// components of each tile, which are separate nodes. If `neighbors`
/// is set, a tile begins when it and its neighbors are labeled.
Status merge(const Edges& edges, const TileProgress& neighbors, Launcher* launcher);

}  // namespace canny::cuda
