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
std::vector<ChainPoints> contours(std::vector<std::uint8_t> map, int width, int height);

}  // namespace reference
