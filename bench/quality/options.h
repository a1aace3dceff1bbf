// SPDX-License-Identifier: LGPL-2.1-or-later
// The arguments of the program.
#pragma once

#include <string>
#include <vector>

#include "canny/canny.h"

namespace quality {

struct Options {
  canny::Backend backend = canny::Backend::kAuto;
  std::string boundaries;  ///< a folder, or empty
  std::string json;        ///< a file, or empty
  bool markdown = false;
  bool help = false;
  std::vector<std::string> pictures;
};

/// Throws std::invalid_argument if an argument is wrong.
Options parse(const std::vector<std::string>& arguments);

extern const char kUsage[];

}  // namespace quality
