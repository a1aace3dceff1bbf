// SPDX-License-Identifier: LGPL-2.1-or-later
/// Functions shared by the files of the suite "layouts".
#pragma once

#include "fixture.h"

namespace layouts {

inline constexpr int kWidth = 37;
inline constexpr int kHeight = 23;

/// Adds the tests of broken buffers.
void add_broken_tests(TCase* tcase);

}  // namespace layouts
