// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws numbers from the bytes that a fuzzer chose. After the last byte, all numbers are 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace fuzz {

class Reader {
 public:
  Reader(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}

  bool is_at_end() const { return next_ == end_; }

  /// The next bytes as a number of any type that may have any bits.
  template <class Number>
  Number raw() {
    Number number = {};
    const std::size_t count = std::min(sizeof number, static_cast<std::size_t>(end_ - next_));
    std::memcpy(&number, next_, count);
    next_ += count;
    return number;
  }

  std::uint8_t byte() { return raw<std::uint8_t>(); }

  /// An integer from lo to hi, both included; hi - lo < 65536.
  int between(int lo, int hi) {
    const unsigned span = static_cast<unsigned>(hi - lo) + 1;
    return lo + static_cast<int>((span > 256 ? raw<std::uint16_t>() : byte()) % span);
  }

  /// True for 1 of `count` values. An exhausted reader says false.
  bool one_in(int count) { return between(0, count - 1) == count - 1; }

  template <class Values>
  auto any(const Values& values) {
    return values[between(0, static_cast<int>(std::size(values)) - 1)];
  }

  /// Bytes without a meaning of their own.
  struct Bytes {
    const std::uint8_t* data;
    std::size_t size;
  };
  Bytes bytes(std::size_t most) {
    const Bytes taken = {next_, std::min(most, static_cast<std::size_t>(end_ - next_))};
    next_ += taken.size;
    return taken;
  }

 private:
  const std::uint8_t* next_;
  const std::uint8_t* const end_;
};

}  // namespace fuzz
