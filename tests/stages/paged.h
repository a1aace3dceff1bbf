// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames between memory that can't be read or written: a byte too many ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "canny/canny.h"
#include "pages.h"

namespace paged {

/// A copy of a frame in host memory, and of its region's mask, each plane in a Block of its own.
class Copy {
 public:
  Copy(const canny::ConstFrame& from, Block::At at);
  canny::ConstFrame const_frame() const;
  const canny::Frame& frame() const { return frame_; }

  /// Copies all bytes back, with those between the rows.
  void restore(const canny::Frame& to) const;

 private:
  std::uint8_t* add(const std::uint8_t* lowest, std::size_t bytes, Block::At at);

  canny::Frame frame_;
  canny::Region region_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

/// The same frame to read or to write.
canny::ConstFrame to_read(const canny::Frame& frame);
canny::Frame to_write(const canny::ConstFrame& frame);

}  // namespace paged
