// SPDX-License-Identifier: LGPL-2.1-or-later
// Device resources for tests: too little memory, blocks of memory, streams that are held up, and
// the status codes of other machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
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

/// Makes this thread's own context, or none, current at the start.
class CurrentContext {
 public:
  explicit CurrentContext(bool create);
  ~CurrentContext();
  bool is_current() const;
  void* handle() const { return context_; }

 private:
  void* context_ = nullptr;
};

/// Waits for all work in the current context. Returns whether that succeeded.
bool synchronize();

/// A small block that is never freed.
void* small_block();

/// Bytes in memory of the current device.
class Block {
 public:
  explicit Block(const std::vector<std::uint8_t>& bytes);
  ~Block();
  std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::vector<std::uint8_t> bytes() const;

 private:
  std::uint8_t* data_ = nullptr;
  const std::size_t size_;
};

/// A stream of the current context, which must outlive it.
class Stream {
 public:
  Stream();
  ~Stream();
  void* handle() const { return stream_; }
  /// Makes work queued from now on wait for release().
  void hold();
  void release();
  /// Queues a copy of blocks of the same size, or to page-locked memory.
  void copy(const Block& from, const Block& to);
  void copy(const Block& from, std::uint8_t* to);
  bool is_done() const;
  void synchronize();

 private:
  void* stream_ = nullptr;
  std::promise<void> released_;
  bool is_held_ = false;
};

/// Checks the StatusCode of every kind of machine that can't run the CUDA backend.
void test_machine_codes(harness::Tally* tally);

}  // namespace device_memory
