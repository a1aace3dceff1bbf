// SPDX-License-Identifier: LGPL-2.1-or-later
// Several arrays in one allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace canny {

/// Cuts memory into consecutive arrays, each of which begins at a multiple of kAlignment bytes.
/// Without memory it only adds up their sizes, and the arrays are null.
template <std::size_t kAlignment>
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<std::uint8_t*>(memory)) {}

  /// Takes `count` elements, with `margin` more on both sides.
  template <class T>
  void take(std::size_t count, T** array, std::size_t margin = 0) {
    *array = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_) + margin;
    const std::size_t taken = (count + 2 * margin) * sizeof(T);
    bytes_ += (taken + kAlignment - 1) / kAlignment * kAlignment;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::uint8_t* memory_;
  std::size_t bytes_ = 0;
};

}  // namespace canny
