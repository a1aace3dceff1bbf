// SPDX-License-Identifier: LGPL-2.1-or-later
/// The definition of contours as plain loops.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace reference {

/// The points of a chain: columns and rows.
using ChainPoints = std::vector<std::pair<int, int>>;

/// The chains of a map of width * height pixels, where other pixels than 0 are edges.
std::vector<ChainPoints> contours(const std::vector<std::uint8_t>& map, int width, int height);

/// Whether a chain is a loop, or ends next to its first point.
bool is_closed(const ChainPoints& chain);

}  // namespace reference
