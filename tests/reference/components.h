// SPDX-License-Identifier: LGPL-2.1-or-later
/// The definition of components as plain loops.
#pragma once

#include <vector>

#include "canny/components.h"
#include "reference.h"

namespace reference {

/// The components of edges with at least `min_pixels` pixels, in order; `strong` may have other
/// pixels as well.
std::vector<canny::Component> components(const Bytes& edges, const Bytes& strong,
                                         unsigned min_pixels);

}  // namespace reference
