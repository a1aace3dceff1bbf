// SPDX-License-Identifier: LGPL-2.1-or-later
// What the Status test needs of the device: too little memory, a block of it, and the codes of
// machines that are not at hand.
#pragma once

#include <vector>

#include "harness.h"

namespace device_memory {

/// Takes nearly all memory of the current device until the end of the scope.
class Exhausted {
 public:
  Exhausted();
  ~Exhausted();

 private:
  std::vector<void*> blocks_;
};

/// A context of this thread's own, or none, that is current from the start.
class CurrentContext {
 public:
  explicit CurrentContext(bool create);
  ~CurrentContext();
  bool is_current() const;
  void* handle() const { return context_; }

 private:
  void* context_ = nullptr;
};

/// A small block that is never freed.
void* small_block();

/// Checks the StatusCode of every kind of machine that can't run the CUDA backend.
void test_machine_codes(harness::Tally* tally);

}  // namespace device_memory
