// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny/copy_rows.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstring>

namespace canny {

void copy_rows(const std::uint8_t* from, std::ptrdiff_t from_stride, std::uint8_t* to,
               std::ptrdiff_t to_stride, std::size_t row_bytes, int rows) {
  constexpr std::size_t kBytesPerTask = std::size_t{1} << 18;
  const int grain = static_cast<int>(std::max<std::size_t>(kBytesPerTask / row_bytes, 1));
  const auto copy = [&](const tbb::blocked_range<int>& range) {
    for (int y = range.begin(); y < range.end(); ++y)
      std::memcpy(to + y * to_stride, from + y * from_stride, row_bytes);
  };
  tbb::parallel_for(tbb::blocked_range<int>(0, rows, grain), copy);
}

}  // namespace canny
