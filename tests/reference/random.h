// SPDX-License-Identifier: LGPL-2.1-or-later
/// Random integers that are the same on every machine and with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace reference {

/// The splitmix64 generator (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014). The whole sequence follows from the seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// An integer from lo to hi, both included; lo <= hi. The modulo's bias is below 2^-32 for every
  /// range of int.
  int between(int lo, int hi) {
    const std::uint64_t span = std::uint64_t(std::int64_t(hi) - lo) + 1;
    return int(lo + std::int64_t(next() % span));
  }

  /// One of the values.
  template <class Values>
  auto any(const Values& values) {
    return values[between(0, int(std::size(values)) - 1)];
  }

  std::vector<std::uint8_t> bytes(std::size_t count) {
    std::vector<std::uint8_t> all(count);
    for (std::uint8_t& byte : all) byte = std::uint8_t(between(0, 255));
    return all;
  }

 private:
  std::uint64_t state_;
};

}  // namespace reference
