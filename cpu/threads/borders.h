// SPDX-License-Identifier: LGPL-2.1-or-later
// Says which threads work on which strips of an image.
#pragma once

#include <tbb/spin_mutex.h>

#include <cstdint>
#include <vector>

namespace canny::cpu {

/// A thread owns the strips that it works on. Border i, between strips i - 1 and i, is open while
/// edges may have to pass it; a thread that owns the strips on both sides joins them. No thread
/// waits for another one: it joins the borders that it can, and leaves the others to the owners of
/// their strips.
class Borders {
 public:
  void set_size(int strips);

  /// Begins a frame: all borders are open, and each strip is owned until it is given up.
  void begin();

  /// Gives up strips first .. last - 1, which the caller owns, and opens the borders around them if
  /// told so. Returns an open border that the caller is to join, now the owner of the strips on
  /// both sides, or 0.
  int give_up(int first, int last, bool opens_first, bool opens_last);

 private:
  tbb::spin_mutex mutex_;  // held for less time than another thread takes to sleep
  // Under the mutex, one per strip: whether it has an owner, and whether the border above it is
  // open.
  std::vector<std::uint8_t> owned_, open_;
};

}  // namespace canny::cpu
