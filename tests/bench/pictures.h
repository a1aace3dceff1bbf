// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures that benchmarks time: the same pixels on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace pictures {

enum class Content {
  kShapes,  ///< overlapping shaded rectangles with a little grain
  kNoise,   ///< random in every sample: edges nearly everywhere
};

const char* name(Content content);

/// A tight RGB picture.
std::vector<std::uint8_t> paint(Content content, int width, int height);

}  // namespace pictures
