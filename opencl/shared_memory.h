// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory of the host that a device reads or writes where it is: zero-copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opencl/queue.h"

namespace canny::opencl {

/// Shared memory begins at a multiple of kSharedAlignment bytes and has a multiple of kSharedUnit
/// bytes: drivers copy any other memory.
inline constexpr std::size_t kSharedAlignment = 4096, kSharedUnit = 64;

/// A buffer of the caller's memory (CL_MEM_USE_HOST_PTR). No two buffers of the process share a
/// byte, for OpenCL leaves undefined what such buffers do. The queue must outlive it.
class SharedMemory {
 public:
  ~SharedMemory() { release(); }

  /// Shares memory that the device reads (CL_MEM_READ_ONLY) or writes (CL_MEM_WRITE_ONLY), unless
  /// the device shares no frames, the memory is not aligned, another buffer has a part of it,
  /// or the driver refuses. Returns whether it is shared.
  bool open(const Queue& queue, const std::uint8_t* data, std::size_t bytes, cl_mem_flags access);
  /// Ends it. Call with no work pending.
  void release();

  bool is_open() const { return data_ != nullptr; }
  const std::uint8_t* data() const { return data_; }
  const Buffer& buffer() const { return buffer_; }

 private:
  const std::uint8_t* data_ = nullptr;
  Buffer buffer_;
};

}  // namespace canny::opencl
