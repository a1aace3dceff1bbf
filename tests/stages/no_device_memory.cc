// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for device memory in a build without CUDA, where tests never use it.
#include "device_memory.h"

namespace device_memory {

Exhausted::Exhausted() = default;
Exhausted::~Exhausted() = default;
CurrentContext::CurrentContext(bool) {}
CurrentContext::~CurrentContext() = default;
bool CurrentContext::is_current() const { return false; }
bool synchronize() { return false; }
void* small_block() { return nullptr; }
Block::Block(const std::vector<std::uint8_t>& bytes) : size_(bytes.size()) {}
Block::~Block() = default;
std::vector<std::uint8_t> Block::bytes() const { return {}; }
Stream::Stream() = default;
Stream::~Stream() = default;
void Stream::hold() {}
void Stream::release() {}
void Stream::copy(const Block&, const Block&) {}
void Stream::copy(const Block&, std::uint8_t*) {}
bool Stream::is_done() const { return true; }
void Stream::synchronize() {}
void test_machine_codes(harness::Tally*) {}

}  // namespace device_memory
