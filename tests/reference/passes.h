// SPDX-License-Identifier: LGPL-2.1-or-later
/// A second implementation of hysteresis with a number of passes, on a graph of components, which
/// the tests compare with reference::hysteresis.
#pragma once

#include <vector>

namespace reference {

/// E(passes) of a mask given as rows of flags; every strong pixel is a candidate. passes >= 1.
std::vector<std::vector<bool>> passes_by_components(const std::vector<std::vector<bool>>& candidate,
                                                    const std::vector<std::vector<bool>>& strong,
                                                    int passes);

}  // namespace reference
