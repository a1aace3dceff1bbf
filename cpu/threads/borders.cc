// SPDX-License-Identifier: LGPL-2.1-or-later
// Says which threads work on which strips of an image.
#include "cpu/threads/borders.h"

#include <algorithm>

namespace canny::cpu {

void Borders::set_size(int strips) {
  owned_.resize(strips);
  open_.resize(strips);
}

void Borders::begin() {
  std::fill(owned_.begin(), owned_.end(), 1);
  std::fill(open_.begin(), open_.end(), 1);
}

int Borders::give_up(int first, int last, bool opens_first, bool opens_last) {
  const int strips = static_cast<int>(owned_.size());
  const tbb::spin_mutex::scoped_lock lock(mutex_);
  std::fill(owned_.begin() + first, owned_.begin() + last, 0);
  if (opens_first) open_[first] = 1;
  if (opens_last && last < strips) open_[last] = 1;
  for (int border = 1; border < strips; ++border) {
    if (!open_[border] || owned_[border - 1] || owned_[border]) continue;
    open_[border] = 0;
    owned_[border - 1] = owned_[border] = 1;
    return border;
  }
  return 0;
}

}  // namespace canny::cpu
