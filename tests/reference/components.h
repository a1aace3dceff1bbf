// SPDX-License-Identifier: LGPL-2.1-or-later
/// The definition of components as plain loops.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "canny/components.h"
#include "reference.h"

namespace reference {

/// Columns and rows of a component's pixels, the nearest to its first one first.
using Pixels = std::vector<std::pair<int, int>>;

/// Calls visit() for each 8-connected component of the pixels other than 0, in the order of their
/// first pixels.
void for_each_component(Bytes plane, const std::function<void(const Pixels&)>& visit);

/// The components of edges with at least `min_pixels` pixels, in order; `strong` may have other
/// pixels as well.
std::vector<canny::Component> components(const Bytes& edges, const Bytes& strong,
                                         unsigned min_pixels);

}  // namespace reference
