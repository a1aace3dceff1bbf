// SPDX-License-Identifier: LGPL-2.1-or-later
// Shares the pieces of an image among threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace canny::cpu {

/// Hands each piece of a loop to one of several threads, which call take() at the same time. A
/// thread has a band of consecutive pieces, the same in each loop of as many, so that a piece
/// continues from the previous one and finds in the cache what the thread left there. When its band
/// is done, the thread takes over the lower half of what is left of the longest band.
class Bands {
 public:
  void set_size(int bands) { bands_ = std::vector<Band>(bands); }
  int size() const { return static_cast<int>(bands_.size()); }

  /// Begins a loop. No thread calls take().
  void begin(int pieces);

  /// Returns the next piece for the thread that has this band, or -1.
  int take(int band);

 private:
  // Clang calls libatomic for a struct of lower alignment.
  struct alignas(std::uint64_t) Range {
    std::uint32_t first = 0, last = 0;  // last is excluded
  };
  // Any thread may replace a range by a part of it, and its own thread an empty one by another.
  // Ranges only get smaller, so one that is equal has not been replaced in between.
  struct alignas(64) Band {
    std::atomic<Range> left = Range();
  };

  int longest() const;

  std::vector<Band> bands_;
};

}  // namespace canny::cpu
