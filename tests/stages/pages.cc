// SPDX-License-Identifier: LGPL-2.1-or-later
// Maps pages.
#include "pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

namespace paged {
namespace {

std::uint8_t* map(std::size_t bytes, int access) {
  void* memory = mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<std::uint8_t*>(memory);
}

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

Block::Block(std::size_t bytes, At at) {
  const std::size_t page = page_bytes(), inner = (bytes + page - 1) / page * page;
  size_ = inner + 2 * page;
  pages_ = map(size_, PROT_NONE);
  if (mprotect(pages_ + page, inner, PROT_READ | PROT_WRITE) != 0) std::abort();
  data_ = pages_ + page + (at == At::kEnd ? inner - bytes : 0);
}

Block::~Block() { munmap(pages_, size_); }

Space::Space(std::size_t bytes, bool is_closed)
    : data_(map(bytes, is_closed ? PROT_NONE : PROT_READ | PROT_WRITE)), size_(bytes) {}

Space::~Space() { munmap(data_, size_); }

}  // namespace paged
