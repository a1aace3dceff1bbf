// SPDX-License-Identifier: LGPL-2.1-or-later
// In place of device memory in a build without CUDA, where the Status test never asks for it.
#include "device_memory.h"

namespace device_memory {

Exhausted::Exhausted() = default;
Exhausted::~Exhausted() = default;
CurrentContext::CurrentContext(bool) {}
CurrentContext::~CurrentContext() = default;
bool CurrentContext::is_current() const { return false; }
void* small_block() { return nullptr; }
void test_machine_codes(harness::Tally*) {}

}  // namespace device_memory
