// SPDX-License-Identifier: LGPL-2.1-or-later
/// Masks drawn by hand. The drawing states the pass of hysteresis that adds each pixel.
#pragma once

#include <string>
#include <vector>

#include "reference.h"

namespace reference {

struct DrawnMask {
  std::string name;
  int width, height;
  Candidates candidates;
  std::vector<Bytes> expected;  ///< E(0), the strong pixels, to E(9), as ones
  Bytes stable;                 ///< the result of hysteresis until stable, as ones
};

/// All drawn masks. A drawing that contradicts its own tile borders ends the program.
std::vector<DrawnMask> drawn_masks();

}  // namespace reference
