// SPDX-License-Identifier: LGPL-2.1-or-later
// The rows of strips.
#pragma once

#include "cuda/front/arguments.h"

namespace canny::cuda::strip {

/// Returns the rows of a tile, which take a whole number of steps together with `apron` rows on
/// both sides.
int strip_rows(const ConstFrame& input, int apron, const FrontDevice& device);

/// Likewise for strips that store bits.
int rows_of_strips(const FrontArguments& arguments);

}  // namespace canny::cuda::strip
