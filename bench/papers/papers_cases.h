// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames and parameters of the tables of five papers.
#pragma once

#include <string>
#include <vector>

#include "canny/canny.h"
#include "options.h"
#include "papers_pictures.h"

namespace papers {

/// A frame to measure. Its figures belong to a row of a group of tables.
struct Case {
  std::string group;    ///< a name of the paper's first author
  std::string row;      ///< unique in its group; ends with the size
  std::string variant;  ///< what its figures begin with, where a row has several cases
  Content content;
  bench::Size size;
  canny::Params params;
  canny::PixelFormat format;
};

/// All cases in the order of their rows. With `quick`, only those of at most 512x512 pixels.
std::vector<Case> all_cases(bool quick);

}  // namespace papers
