// SPDX-License-Identifier: LGPL-2.1-or-later
// A queue of work on a device, and what it works with: buffers and kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "canny/transfer.h"
#include "opencl/check.h"

namespace canny::opencl {

/// A point in a queue: the end of the work that was queued before it. One thread may wait for it
/// while others use the queue.
class Event {
 public:
  Event() = default;
  ~Event() { release(); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Returns when the device has got there. Call after Queue::mark() and Queue::flush().
  Status wait(const Device& device) const;
  /// Sets when the device got there, in nanoseconds of its clock. Call after wait().
  Status read_time(const Device& device, std::uint64_t* nanoseconds) const;
  bool is_set() const { return event_ != nullptr; }
  void release();

 private:
  friend class Queue;
  const Library* library_ = nullptr;
  cl_event event_ = nullptr;
};

/// A queue of work on a device. Work is done in the order in which it is queued. For one thread at
/// a time.
class Queue {
 public:
  Queue() = default;
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Creates a queue in a context of its own. Call once, before anything else.
  Status open(const Device& device);
  /// Likewise, in the context of another queue.
  Status open_beside(const Queue& other);
  const Device& device() const { return device_; }
  const Library& library() const { return *device_.library; }
  cl_context context() const { return context_; }
  cl_command_queue get() const { return queue_; }

  /// Sets `*event` to the end of the work that is queued now.
  Status mark(Event* event) const;
  /// Makes later work wait for an event of another queue of the context, which must be flushed.
  Status wait_for(const Event& event) const;
  /// Has the device begin what is queued.
  Status flush() const;
  /// Returns when all work is done.
  Status finish() const;

 private:
  Status create_queue();

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
  Status reserve(const Queue& queue, std::size_t bytes) {
    return reserve(queue, bytes, CL_MEM_READ_WRITE);
  }
  /// Likewise with other flags than memory of the device has.
  Status reserve(const Queue& queue, std::size_t bytes, cl_mem_flags flags) {
    return bytes <= capacity_ ? Status() : create(queue, bytes, flags, nullptr);
  }
  /// Becomes memory of the host that the device reads (CL_MEM_READ_ONLY) or writes
  /// (CL_MEM_WRITE_ONLY); see SharedMemory.
  Status share(const Queue& queue, std::uint8_t* data, std::size_t bytes, cl_mem_flags access) {
    return create(queue, bytes, access | CL_MEM_USE_HOST_PTR, data);
  }
  void release();

  cl_mem get() const { return memory_; }
  std::size_t capacity() const { return capacity_; }  ///< bytes

  /// Copies from the host, and returns when that is done.
  Status write(const Queue& queue, const void* from, std::size_t bytes);
  /// Copies to the host, when all work is done.
  Status read(const Queue& queue, void* to, std::size_t bytes) const;
  /// Queues copies from and to the host, whose memory must stay until they are done. In the buffer
  /// rows begin at an offset, with a pitch.
  Status queue_write(const Queue& queue, const Rows<const std::uint8_t>& from, std::size_t offset,
                     std::size_t pitch);
  Status queue_read(const Queue& queue, const Rows<std::uint8_t>& to, std::size_t offset,
                    std::size_t pitch) const;
  /// After share(), queues making what the device wrote visible to the host.
  Status queue_map(const Queue& queue) const;
  /// Queues a copy of the first `bytes` bytes to an offset.
  Status queue_copy(const Queue& queue, const Buffer& to, std::size_t bytes,
                    std::size_t offset = 0) const;
  /// Queues setting the first `bytes` bytes.
  Status fill(const Queue& queue, unsigned char value, std::size_t bytes);

 private:
  Status create(const Queue& queue, std::size_t bytes, cl_mem_flags flags, void* host);

  const Library* library_ = nullptr;
  cl_mem memory_ = nullptr;
  std::size_t capacity_ = 0;
};

/// Page-locked memory of the host, which devices copy fastest. The queue must outlive it.
class HostMemory {
 public:
  HostMemory() = default;
  ~HostMemory() { release(); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Ensures room for at least `bytes` bytes. The contents are lost if it grows.
  Status reserve(const Queue& queue, std::size_t bytes);
  void release();
  std::uint8_t* data() const { return data_; }

 private:
  const Queue* queue_ = nullptr;
  Buffer buffer_;
  std::uint8_t* data_ = nullptr;
};

/// A compiler's option that defines the name of a number.
std::string define(const char* name, int value);

/// Kernels that were compiled together. The queue must outlive them.
class Program {
 public:
  Program() = default;
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Compiles OpenCL C with a compiler's options. Drivers keep what they have compiled. After a
  /// failure it can be called again.
  /// @retval kDeviceFailure  the message has the device, its driver, and the first error
  Status build(const Queue& queue, const char* source, const std::string& options);
  Status kernel(const Queue& queue, const char* name, cl_kernel* kernel) const;

 private:
  void release();

  const Library* library_ = nullptr;
  cl_program program_ = nullptr;
};

/// A kernel of a Program. The Program must outlive the Kernel.
class Kernel {
 public:
  Kernel() = default;
  ~Kernel() { release(); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// As Program::build(). Each work group is `group` consecutive work items of a row.
  Status open(const Queue& queue, const Program& program, const std::string& name, int group = 64);

  /// Queues a run with columns * rows * layers work items, and some more at the end of each row, to
  /// fill the last group. The arguments are buffers, and values of the types that the kernel has.
  template <class... Arguments>
  Status run(const Queue& queue, int columns, int rows, int layers,
             const Arguments&... arguments) const {
    cl_uint index = 0;
    cl_int error = CL_SUCCESS;
    ((error = error == CL_SUCCESS ? set(index++, arguments) : error), ...);
    CANNY_OPENCL_TRY(queue.device(), name_.c_str(), error);
    return launch(queue, columns, rows, layers);
  }

 private:
  cl_int set(cl_uint index, const Buffer& buffer) const {
    cl_mem memory = buffer.get();
    return memory == nullptr ? CL_INVALID_MEM_OBJECT : set(index, memory);
  }
  template <class Value>
  cl_int set(cl_uint index, const Value& value) const {
    return library_->clSetKernelArg(kernel_, index, sizeof value, &value);
  }
  Status launch(const Queue& queue, int columns, int rows, int layers) const;
  void release();

  const Library* library_ = nullptr;
  cl_kernel kernel_ = nullptr;
  std::string name_;
  int group_ = 1;
};

}  // namespace canny::opencl
