// SPDX-License-Identifier: LGPL-2.1-or-later
/// What the files of the suite "layouts" share.
#pragma once

#include "fixture.h"

namespace layouts {

inline constexpr int kWidth = 37;
inline constexpr int kHeight = 23;

/// How an output of that size differs from these edges, empty if it does not.
inline std::string output_difference(GstBuffer* output, const check::Format& format,
                                     const std::vector<std::uint8_t>& edges) {
  return check::difference(output, format, kWidth, kHeight, edges);
}

/// Adds the tests of buffers that don't hold what they promise.
void add_broken_tests(TCase* tcase);

}  // namespace layouts
