// SPDX-License-Identifier: LGPL-2.1-or-later
// The names of the routes of a device's front end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace canny {

/// The name of each route: its kernels in their order, joined by '+'. A kernel that counts luma
/// comes first, and leaves it for those that follow.
class RouteNames {
 public:
  /// The kernels by their enumerators, where "" is none.
  RouteNames(const std::vector<std::string>& sources, const std::vector<std::string>& counters,
             const std::vector<std::string>& ends);

  /// The string is valid as long as this.
  template <class Source, class Counter, class End>
  const char* name(Source source, Counter counter, End end) const {
    const std::size_t row =
        static_cast<std::size_t>(source) * counters_ + static_cast<std::size_t>(counter);
    return names_[row * ends_ + static_cast<std::size_t>(end)].c_str();
  }

 private:
  std::size_t counters_, ends_;
  std::vector<std::string> names_;
};

}  // namespace canny
