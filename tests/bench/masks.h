// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks that are hard on a hysteresis: candidate and strong pixels without a picture.
#pragma once

#include <optional>
#include <string>

#include "reference/reference.h"

namespace masks {

enum class Mask {
  kSpiral,       ///< one line, a pixel wide, with a pixel between its turns
  kSerpentine,   ///< likewise in rows, joined at alternate ends
  kVSerpentine,  ///< likewise in columns
  kCheckerboard,
  kRandom41,  ///< 41 % candidates, where 8-connected components begin to span the plane
  kRandom60,  ///< 60 % candidates
};

const char* name(Mask mask);
std::optional<Mask> find(const std::string& name);

/// Connected masks have one strong pixel, random ones a strong pixel in 1000 candidates.
reference::Candidates draw(Mask mask, int width, int height);

}  // namespace masks
