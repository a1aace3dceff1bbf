// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory between pages that can't be read or written: a byte too many ends the process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace paged {

/// Bytes that begin at the start or end at the end of their pages, between two pages without
/// access.
class Block {
 public:
  enum class At { kStart, kEnd };
  Block(std::size_t bytes, At at);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  std::uint8_t* data() const { return data_; }

 private:
  std::uint8_t* pages_;
  std::size_t size_;
  std::uint8_t* data_;
};

/// Address space whose pages get memory when they are written; without access if `is_closed`.
class Space {
 public:
  Space(std::size_t bytes, bool is_closed);
  ~Space();
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;
  std::uint8_t* data() const { return data_; }

 private:
  std::uint8_t* data_;
  std::size_t size_;
};

}  // namespace paged
