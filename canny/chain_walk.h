// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows chains pixel by pixel within bands of rows.
#pragma once

#include "canny/chain_ends.h"
#include "canny/chain_pieces.h"

namespace canny::chains {

/// Takes bands and fills their lists of pieces, until no band is left. The memory is that of the
/// thread.
void walk(Bands* bands, LinkRows* rows);

}  // namespace canny::chains
