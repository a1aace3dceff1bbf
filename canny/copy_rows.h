// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies rows in host memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace canny {

/// Copies `rows` rows in host memory, with several threads if that is faster.
void copy_rows(const std::uint8_t* from, std::ptrdiff_t from_stride, std::uint8_t* to,
               std::ptrdiff_t to_stride, std::size_t row_bytes, int rows);

}  // namespace canny
