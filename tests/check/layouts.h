// SPDX-License-Identifier: LGPL-2.1-or-later
/// Functions shared by the files of the suite "layouts".
#pragma once

#include "fixture.h"

namespace layouts {

inline constexpr int kWidth = 37;
inline constexpr int kHeight = 23;

/// Compares an output of that size with these edges. Returns a difference, empty if there is none.
inline std::string output_difference(GstBuffer* output, const check::Format& format,
                                     const std::vector<std::uint8_t>& edges) {
  return check::difference(output, format, kWidth, kHeight, edges);
}

/// Adds the tests of broken buffers.
void add_broken_tests(TCase* tcase);

}  // namespace layouts
