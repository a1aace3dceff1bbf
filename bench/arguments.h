// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the command lines of programs.
#pragma once

#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace bench {

/// What options do with their value.
using OptionReaders = std::map<std::string, std::function<void(const std::string&)>>;
/// Options without a value.
using Flags = std::map<std::string, bool*>;

/// Throws the exception for a wrong value.
[[noreturn]] inline void refuse(const std::string& text, const std::string& rule) {
  throw std::invalid_argument("\"" + text + "\" " + rule);
}

template <class Number>
Number read_number(const std::string& text, double least, double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0' && value >= least && value <= most &&
      static_cast<Number>(value) == value)
    return static_cast<Number>(value);
  std::ostringstream rule;
  rule << "is not a " << (std::is_integral_v<Number> ? "whole " : "") << "number from " << least
       << " to " << most;
  refuse(text, rule.str());
}

/// These store a value.
inline std::function<void(const std::string&)> store(std::string* target) {
  return [target](const std::string& text) { *target = text; };
}
template <class Number>
std::function<void(const std::string&)> store(Number* target, double least, double most) {
  return [=](const std::string& text) { *target = read_number<Number>(text, least, most); };
}

/// Reads options, and returns the other arguments. Throws std::invalid_argument, as readers may, if
/// one is wrong.
inline std::vector<std::string> read_arguments(int argc, char** argv, const OptionReaders& readers,
                                               const Flags& flags) {
  std::vector<std::string> others;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto reader = readers.find(name);
    const auto flag = flags.find(name);
    if (flag != flags.end()) {
      *flag->second = true;
    } else if (reader != readers.end()) {
      if (i + 1 == argc || *argv[i + 1] == '\0')
        throw std::invalid_argument(name + " needs a value");
      try {
        reader->second(argv[++i]);
      } catch (const std::invalid_argument& wrong) {
        throw std::invalid_argument(name + ": " + wrong.what());
      }
    } else if (name.empty() || name[0] == '-') {
      throw std::invalid_argument("unknown option \"" + name + "\"; --help lists them");
    } else {
      others.push_back(name);
    }
  }
  return others;
}

/// Likewise for programs that take options alone.
inline void read_options(int argc, char** argv, const OptionReaders& readers, const Flags& flags) {
  const std::vector<std::string> others = read_arguments(argc, argv, readers, flags);
  if (!others.empty()) refuse(others.front(), "is no option; --help lists them");
}

}  // namespace bench
