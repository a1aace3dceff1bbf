// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists the cases of each paper: the rows of its first table, with each of their parameters.
#include "papers_cases.h"

#include <algorithm>
#include <cstdio>

#include "named_params.h"
#include "papers_tables.h"

namespace papers {
namespace {

using canny::PixelFormat;

/// The parameters of rows.
struct Kind {
  const char* group;
  const char* prefix;  ///< of the names of the rows
  const char* variant;
  Content content;
  PixelFormat format;
  const char* settings;  ///< besides a high threshold of 100
};

// Luo has four passes, and until stable as OpenCV does it; Lam five, the default of the paper's
// code. 0.4 and 0.7 are the largest sigmas, in tenths, whose blur has the 3 and the 5 taps of the
// others. A plain detector has no blur, suppression and hysteresis: all pixels above one threshold
// are strong, so a single pass finds nothing more. With shares of the largest gradient as
// thresholds, one pass is the least that there is.
constexpr Kind kKinds[] = {
    {"luo", "portrait", "", Content::kPortrait, PixelFormat::kRgb, "hysteresis-passes=4"},
    {"luo", "portrait", "stable_", Content::kPortrait, PixelFormat::kRgb, ""},
    {"luo", "busy", "", Content::kBusy, PixelFormat::kRgb, "hysteresis-passes=4"},
    {"luo", "busy", "stable_", Content::kBusy, PixelFormat::kRgb, ""},
    {"lam", "", "sigma1_", Content::kPortrait, PixelFormat::kRgb, "sigma=1 hysteresis-passes=5"},
    {"lam", "", "sigma2_", Content::kPortrait, PixelFormat::kRgb, "sigma=2 hysteresis-passes=5"},
    {"lam", "", "sigma3_", Content::kPortrait, PixelFormat::kRgb, "sigma=3 hysteresis-passes=5"},
    {"lam", "", "sigma4_", Content::kPortrait, PixelFormat::kRgb, "sigma=4 hysteresis-passes=5"},
    {"emrani", "Canny", "", Content::kPortrait, PixelFormat::kGray8, "sigma=0.4"},
    {"emrani", "Sobel", "", Content::kPortrait, PixelFormat::kGray8,
     "sigma=0 thin-edges=false hysteresis-passes=1 low-threshold=100"},
    {"emrani", "Prewitt", "", Content::kPortrait, PixelFormat::kGray8,
     "sigma=0 thin-edges=false hysteresis-passes=1 operator=prewitt low-threshold=75 "
     "high-threshold=75"},
    {"emrani", "Roberts", "", Content::kPortrait, PixelFormat::kGray8,
     "sigma=0 thin-edges=false hysteresis-passes=1 operator=roberts low-threshold=25 "
     "high-threshold=25"},
    {"jans", "", "", Content::kPortrait, PixelFormat::kGray8,
     "sigma=0.7 hysteresis-passes=1 threshold-mode=relative"},
    {"song", "", "", Content::kPortrait, PixelFormat::kGray8, "sigma=0.4 hysteresis-passes=1"},
};

/// The size that the name of a row ends with.
bench::Size size_of(const std::string& row) {
  bench::Size size = {};
  std::sscanf(row.c_str() + row.rfind(' ') + 1, "%dx%d", &size.width, &size.height);
  return size;
}

}  // namespace

std::vector<Case> all_cases(bool quick) {
  std::vector<Case> cases;
  for (const Table& table : tables()) {
    if (table.name != table.group) continue;
    for (const std::string& row : row_names(table)) {
      const bench::Size size = size_of(row);
      if (quick && std::max(size.width, size.height) > 512) continue;
      for (const Kind& kind : kKinds)
        if (table.group == kind.group && row.rfind(kind.prefix, 0) == 0)
          cases.push_back({table.group, row, kind.variant, kind.content, size,
                           bench::params_of(std::string("high-threshold=100 ") + kind.settings),
                           kind.format});
    }
  }
  return cases;
}

}  // namespace papers
