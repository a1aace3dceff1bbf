// SPDX-License-Identifier: LGPL-2.1-or-later
/// Masks that are difficult for hysteresis: candidate and strong pixels without a picture.
#pragma once

#include <optional>
#include <string>

#include "reference.h"

namespace masks {

enum class Mask {
  kSpiral,       ///< one line, a pixel wide, with a pixel between its turns
  kSerpentine,   ///< one line in rows that are joined at alternate ends
  kVSerpentine,  ///< likewise in columns
  kCheckerboard,
  kRandom41,       ///< 41 % candidates, where 8-connected components begin to span the plane
  kRandom60,       ///< 60 % candidates
  kComb,           ///< columns with a pixel between them that only the bottom row joins
  kVComb,          ///< rows with a pixel between them that only the last column joins
  kDiagonals,      ///< lines that fall to the right and do not touch
  kAntidiagonals,  ///< lines that rise to the right and do not touch
  kOnes,
};
inline constexpr int kMasks = 11;

const char* name(Mask mask);
std::optional<Mask> find(const std::string& name);

/// The candidates alone.
reference::Bytes candidates(Mask mask, int width, int height);

/// Random masks have one strong pixel per 1000 candidates, the others one in the top left corner.
reference::Candidates draw(Mask mask, int width, int height);

/// The place of the only strong pixel among the pixels of the largest component, in the order of
/// their distance from its first pixel, row by row.
enum class Strong { kNone, kBegin, kMiddle, kEnd };

/// The mask with this strong pixel.
reference::Candidates draw(Mask mask, int width, int height, Strong strong);

}  // namespace masks
