// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pictures in column-major order into row-major ones, and back.
#pragma once

#include <algorithm>
#include <cstddef>

namespace mex {

/// Side of the blocks, whose lines lie in the cache until all their samples are copied.
inline constexpr std::size_t kBlock = 32;

/// Copies sample i of line j of `from` to sample j of line i of `to`. `from` has `lines` lines of
/// `length` samples without gaps; the samples of `to` are `step` apart. Inlined into a large
/// function, the inner loop spills registers and takes five times as long (GCC 12).
template <class Sample>
[[gnu::noinline]] void transpose(const Sample* from, std::size_t lines, std::size_t length,
                                 Sample* to, std::size_t step = 1) {
  for (std::size_t top = 0; top < lines; top += kBlock) {
    const std::size_t bottom = std::min(top + kBlock, lines);
    for (std::size_t left = 0; left < length; left += kBlock) {
      const std::size_t right = std::min(left + kBlock, length);
      for (std::size_t i = left; i < right; ++i) {
        for (std::size_t j = top; j < bottom; ++j)
          to[(i * lines + j) * step] = from[j * length + i];
      }
    }
  }
}

}  // namespace mex
