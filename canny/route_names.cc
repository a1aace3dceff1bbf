// SPDX-License-Identifier: LGPL-2.1-or-later
// Joins the names of kernels.
#include "canny/route_names.h"

namespace canny {
namespace {

std::string join(const std::string& source, const std::string& counter, const std::string& end) {
  const bool counts_luma = counter == "count-luma";
  const bool has_source = !source.empty() && !(counts_luma && source == "luma");
  std::string steps = counts_luma ? counter + '+' : "";
  if (has_source) steps += source + '+';
  if (!counts_luma && !counter.empty()) steps += counter + '+';
  return steps + end;
}

}  // namespace

RouteNames::RouteNames(const std::vector<std::string>& sources,
                       const std::vector<std::string>& counters,
                       const std::vector<std::string>& ends)
    : counters_(counters.size()), ends_(ends.size()) {
  for (const std::string& source : sources)
    for (const std::string& counter : counters)
      for (const std::string& end : ends) names_.push_back(join(source, counter, end));
}

}  // namespace canny
