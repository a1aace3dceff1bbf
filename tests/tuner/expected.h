// SPDX-License-Identifier: LGPL-2.1-or-later
/// Settings of controls, and what the library makes of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "tools/edges.h"

namespace check {

/// A property's number, and the same value in the library's parameters.
struct Setting {
  std::string name;
  double value;
  std::function<void(canny::Params*)> apply;
};

/// Settings on frames of a format, the tested one last.
struct Case {
  std::string format;
  std::vector<Setting> settings;
};

/// At least one case for each property of the edges and the output, and one for each choice.
std::vector<Case> cases();

/// Whether the output has the bytes of the library for this input.
bool is_as_library(const tuner::Pair& pair, const canny::Params& params);

}  // namespace check
