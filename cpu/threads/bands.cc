// SPDX-License-Identifier: LGPL-2.1-or-later
// Shares the pieces of an image among threads.
#include "cpu/threads/bands.h"

namespace canny::cpu {

void Bands::begin(int pieces) {
  static_assert(std::atomic<Range>::is_always_lock_free);
  const auto first = [&](int band) {
    return static_cast<std::uint32_t>(std::int64_t{pieces} * band / size());
  };
  for (int band = 0; band < size(); ++band) bands_[band].left = {first(band), first(band + 1)};
}

// The band with the most pieces left, or -1.
int Bands::longest() const {
  int longest = -1;
  std::uint32_t most = 0;
  for (int band = 0; band < size(); ++band) {
    const Range left = bands_[band].left.load(std::memory_order_relaxed);
    if (left.last - left.first <= most) continue;
    most = left.last - left.first;
    longest = band;
  }
  return longest;
}

int Bands::take(int band) {
  std::atomic<Range>& own = bands_[band].left;
  for (Range left = own; left.first < left.last;)
    if (own.compare_exchange_weak(left, {left.first + 1, left.last}))
      return static_cast<int>(left.first);
  for (int other; (other = longest()) >= 0;) {
    Range left = bands_[other].left;
    if (left.first == left.last) continue;
    const std::uint32_t middle = left.first + (left.last - left.first) / 2;
    if (!bands_[other].left.compare_exchange_strong(left, {left.first, middle})) continue;
    own = {middle + 1, left.last};
    return static_cast<int>(middle);
  }
  return -1;
}

}  // namespace canny::cpu
