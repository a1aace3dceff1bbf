// SPDX-License-Identifier: LGPL-2.1-or-later
// The matrix of all settings: cases that cover each pair of values of any two settings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cases.h"

namespace matrix {

/// Cases of one operator and one view.
struct Group {
  std::string name;  ///< "sobel-5 overlay"
  std::vector<cases::Case> cases;
};

/// All cases, by group. They are the same on every machine.
std::vector<Group> groups();

/// Few of these cases, which still cover every pair of values that all of them cover, and usual
/// frames with each value of each setting.
std::vector<cases::Case> pairwise();

/// The number of pairs of values that two settings can have together, and how many of these no case
/// has.
struct Coverage {
  std::uint64_t pairs = 0, missing = 0;
};
Coverage coverage();

}  // namespace matrix
