// SPDX-License-Identifier: LGPL-2.1-or-later
// A queue of work on a device, and what it works with: buffers and kernels.
#pragma once

#include <cstddef>
#include <string>

#include "opencl/check.h"

namespace canny::opencl {

/// A queue of a device, in a context of its own. Work is done in the order in which it is queued.
/// For one thread at a time.
class Queue {
 public:
  Queue() = default;
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Call once, before anything else.
  Status open(const Device& device);
  const Device& device() const { return device_; }
  const Library& library() const { return *device_.library; }
  cl_context context() const { return context_; }
  cl_command_queue get() const { return queue_; }

  /// Returns when all work is done.
  Status finish() const;

 private:
  Device device_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

/// Memory of a device. The queue must outlive it.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { release(); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Ensures room for at least `bytes` bytes. The contents are lost if it grows.
  Status reserve(const Queue& queue, std::size_t bytes);
  void release();

  cl_mem get() const { return memory_; }
  std::size_t capacity() const { return capacity_; }  ///< bytes

  /// Copies from the host, and returns when that is done.
  Status write(const Queue& queue, const void* from, std::size_t bytes);
  /// Copies to the host, when all work is done.
  Status read(const Queue& queue, void* to, std::size_t bytes) const;
  /// Queues setting the first `bytes` bytes.
  Status fill(const Queue& queue, unsigned char value, std::size_t bytes);

 private:
  const Library* library_ = nullptr;
  cl_mem memory_ = nullptr;
  std::size_t capacity_ = 0;
};

/// Kernels that were compiled together. The queue must outlive them.
class Program {
 public:
  Program() = default;
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Compiles OpenCL C with a compiler's options, unless an earlier build has left the result for
  /// this device, driver, source and options in the cache. Call once.
  /// @retval kDeviceFailure  the message has the device, its driver, and the first error
  Status build(const Queue& queue, const char* source, const std::string& options);
  Status kernel(const Queue& queue, const char* name, cl_kernel* kernel) const;

  /// Whether the cache had it.
  bool was_cached() const { return was_cached_; }

 private:
  bool build_cached(const Queue& queue, const std::string& binary, const std::string& options);
  Status compile(const Queue& queue, const char* source, const std::string& options);
  std::string binary() const;
  void release();

  const Library* library_ = nullptr;
  cl_program program_ = nullptr;
  bool was_cached_ = false;
};

/// A kernel of a Program. The Program must outlive the Kernel.
class Kernel {
 public:
  Kernel() = default;
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Each work group is `group` consecutive work items of a row.
  Status open(const Queue& queue, const Program& program, const char* name, int group = 64);

  /// Queues a run with columns * rows * layers work items, and some more at the end of each row, to
  /// fill the last group. The arguments are buffers, and values of the types that the kernel has.
  template <class... Arguments>
  Status run(const Queue& queue, int columns, int rows, int layers,
             const Arguments&... arguments) const {
    cl_uint index = 0;
    cl_int error = CL_SUCCESS;
    ((error = error == CL_SUCCESS ? set(index++, arguments) : error), ...);
    CANNY_OPENCL_TRY(queue.device(), name_, error);
    return launch(queue, columns, rows, layers);
  }

 private:
  cl_int set(cl_uint index, const Buffer& buffer) const {
    const cl_mem memory = buffer.get();
    return memory == nullptr ? CL_INVALID_MEM_OBJECT : set(index, memory);
  }
  template <class Value>
  cl_int set(cl_uint index, const Value& value) const {
    return library_->clSetKernelArg(kernel_, index, sizeof value, &value);
  }
  Status launch(const Queue& queue, int columns, int rows, int layers) const;

  const Library* library_ = nullptr;
  cl_kernel kernel_ = nullptr;
  const char* name_ = "";
  int group_ = 1;
};

}  // namespace canny::opencl
