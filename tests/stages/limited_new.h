// SPDX-License-Identifier: LGPL-2.1-or-later
// Replaces a program's operator new by one with limits. For one source of a program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace limited_new {

/// The most bytes of an allocation.
inline std::atomic<std::size_t> most_bytes = SIZE_MAX;
/// The allocations that this thread may still make, and the bytes that it has allocated.
inline thread_local std::uint64_t allocations_left = UINT64_MAX;
inline thread_local std::size_t allocated_bytes = 0;

}  // namespace limited_new

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  using namespace limited_new;
  void* memory = bytes <= most_bytes && allocations_left > 0 ? std::malloc(bytes) : nullptr;
  if (memory == nullptr) return nullptr;
  if (allocations_left != UINT64_MAX) --allocations_left;
  allocated_bytes += bytes;
  return memory;
}
void* operator new(std::size_t bytes) {
  void* memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// Inlined alone, it would look like a mismatch to GCC 14.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
