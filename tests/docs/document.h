// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads, writes and compares documents as lines.
#pragma once

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace docs {

using Lines = std::vector<std::string>;

inline Lines read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("can't be read");
  Lines lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

inline void write(const std::string& path, const Lines& lines) {
  std::ofstream file(path);
  for (const std::string& line : lines) file << line << '\n';
  if (!file.flush()) throw std::runtime_error("can't be written");
}

/// Throws at the first difference. `what` is out of date, and `command` brings it up to date.
inline void compare(const Lines& is, const Lines& should_be, const std::string& what,
                    const std::string& command) {
  if (is == should_be) return;
  const auto [left, right] =
      std::mismatch(is.begin(), is.end(), should_be.begin(), should_be.end());
  const std::string none = "(the end)";
  throw std::runtime_error(what + " is out of date:\n  is        " +
                           (left != is.end() ? *left : none) + "\n  should be " +
                           (right != should_be.end() ? *right : none) +
                           "\nIf the element is right, bring it up to date with\n  " + command);
}

}  // namespace docs
