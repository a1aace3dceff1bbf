// SPDX-License-Identifier: LGPL-2.1-or-later
// The device memory that calls work on.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "check_cuda.h"

namespace bench {

/// Blocks of device memory of one size, which calls use in turn.
class DeviceBlocks {
 public:
  DeviceBlocks(int count, std::size_t bytes) : bytes_(bytes) {
    for (int i = 0; i < count; ++i) {
      void* block = nullptr;
      check(cudaMalloc(&block, bytes));
      blocks_.push_back(static_cast<std::uint8_t*>(block));
    }
    clear();
  }
  ~DeviceBlocks() {
    for (std::uint8_t* block : blocks_) cudaFree(block);
  }
  DeviceBlocks(const DeviceBlocks&) = delete;
  DeviceBlocks& operator=(const DeviceBlocks&) = delete;

  // Both wait for the device, since the streams that use the blocks do not wait for the default
  // one.

  /// Sets all bytes to a value that no edge map holds.
  void clear() {
    for (std::uint8_t* block : blocks_) check(cudaMemset(block, 0x55, bytes_));
    check(cudaDeviceSynchronize());
  }
  /// Copies `data` to every block.
  void fill(const void* data) {
    for (std::uint8_t* block : blocks_)
      check(cudaMemcpy(block, data, bytes_, cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }

  int count() const { return static_cast<int>(blocks_.size()); }
  std::size_t bytes() const { return bytes_; }
  /// The block of call `i`.
  std::uint8_t* operator[](int i) const {
    return blocks_[static_cast<unsigned>(i) % blocks_.size()];
  }

 private:
  std::size_t bytes_;
  std::vector<std::uint8_t*> blocks_;
};

}  // namespace bench
