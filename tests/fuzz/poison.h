// SPDX-License-Identifier: LGPL-2.1-or-later
// Lets AddressSanitizer report each access to a frame's memory outside its rows.
#pragma once

#include "stages/harness.h"

#if defined(__SANITIZE_ADDRESS__)
#define FUZZ_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FUZZ_HAS_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef FUZZ_HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(address))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(address))
#endif

namespace fuzz {

/// Poisons the gaps of a frame until lift(), or until it is gone. A gap that ends in the middle of
/// 8 bytes is accessible there: AddressSanitizer knows how many of 8 bytes are, from the first one
/// on.
class Poison {
 public:
  explicit Poison(harness::GuardedFrame& frame) : block_(frame.block()) {
    for (const harness::GuardedFrame::Gap& gap : frame.gaps())
      ASAN_POISON_MEMORY_REGION(block_.data() + gap.begin, gap.end - gap.begin);
  }
  ~Poison() { lift(); }
  Poison(const Poison&) = delete;
  Poison& operator=(const Poison&) = delete;

  void lift() { ASAN_UNPOISON_MEMORY_REGION(block_.data(), block_.size()); }

 private:
  std::vector<std::uint8_t>& block_;
};

}  // namespace fuzz
