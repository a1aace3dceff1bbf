// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows chains pixel by pixel within bands of rows.
#pragma once

#include <cstddef>

#include "canny/chain_ends.h"
#include "canny/chain_pieces.h"

namespace canny::chains {

/// The number of edges in words of a map.
std::size_t count_ones(const EdgeBits::Word* words, std::size_t count);

/// Takes bands and fills their lists of pieces, until no band is left. The memory is that of the
/// thread.
void walk(Bands* bands, WalkMemory* memory);

}  // namespace canny::chains
