// SPDX-License-Identifier: LGPL-2.1-or-later
// A queue of work on a device, and what it works with: buffers and kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "canny/transfer.h"
#include "opencl/device.h"

namespace canny::opencl {

/// An object of OpenCL, which the loader's function kRelease gives back.
template <class Object, cl_int (*Library::*kRelease)(Object)>
class Handle {
 public:
  Handle() = default;
  ~Handle() { reset(); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void reset(const Library* library = nullptr, Object object = nullptr) {
    if (object_ != nullptr) (library_->*kRelease)(object_);
    library_ = library;
    object_ = object;
  }
  Object get() const { return object_; }

 private:
  const Library* library_ = nullptr;
  Object object_ = nullptr;
};

/// A queue of work on a device. Work is done in the order in which it is queued. For one thread at
/// a time.
class Queue {
 public:
  ~Queue();

  /// Creates a queue in the context of another one, or in its own. Call once, before anything else.
  Status open(const Device& device, const Queue* beside = nullptr);
  const Device& device() const { return device_; }
  const Library& library() const { return *device_.library; }
  cl_context context() const { return context_.get(); }
  cl_command_queue get() const { return queue_.get(); }

  /// Has the device begin what is queued.
  Status flush() const;
  /// Returns when all work is done.
  Status finish() const;

 private:
  Device device_;
  Handle<cl_context, &Library::clReleaseContext> context_;
  Handle<cl_command_queue, &Library::clReleaseCommandQueue> queue_;
};

/// A point in a queue, which must outlive it: the end of the work that was queued before it. One
/// thread may wait for it while others use the queue.
class Event {
 public:
  /// Sets it to the end of the work that is queued now.
  Status set(const Queue& queue);
  /// Returns when the device has got there. Call after set() and Queue::flush().
  Status wait() const;
  /// Likewise, makes later work in another queue of the context wait.
  Status delay(const Queue& other) const;
  /// The time from another point to this one. Call when the device has passed both.
  Status nanoseconds_since(const Event& first, std::uint64_t* nanoseconds) const;

 private:
  const Queue* queue_ = nullptr;
  Handle<cl_event, &Library::clReleaseEvent> event_;
};

/// Memory of a device. The queue must outlive it.
class Buffer {
 public:
  /// Ensures room for at least `bytes` bytes. The contents are lost if it grows.
  Status reserve(const Queue& queue, std::size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    return bytes <= capacity_ ? Status() : create(queue, bytes, flags, nullptr);
  }
  /// Becomes memory of the host that the device reads (CL_MEM_READ_ONLY) or writes
  /// (CL_MEM_WRITE_ONLY); see SharedMemory.
  Status share(const Queue& queue, std::uint8_t* data, std::size_t bytes, cl_mem_flags access) {
    return create(queue, bytes, access | CL_MEM_USE_HOST_PTR, data);
  }
  void release();

  cl_mem get() const { return memory_.get(); }
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

  Handle<cl_mem, &Library::clReleaseMemObject> memory_;
  std::size_t capacity_ = 0;
};

/// Page-locked memory of the host, which devices copy fastest. The queue must outlive it.
class HostMemory {
 public:
  ~HostMemory() { release(); }

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
template <class Number>
std::string define(const char* name, Number value) {
  return " -D" + std::string(name) + "=" + std::to_string(static_cast<int>(value));
}

/// Kernels that were compiled together. The queue must outlive them.
class Program {
 public:
  /// Compiles OpenCL C 1.2 with a compiler's options. Drivers keep what they have compiled. After a
  /// failure it can be called again.
  /// @retval kDeviceFailure  the message has the device, its driver, and the first error
  Status build(const Queue& queue, const char* source, const std::string& options = "");
  const Queue& queue() const { return *queue_; }
  cl_program get() const { return program_.get(); }

 private:
  const Queue* queue_ = nullptr;
  Handle<cl_program, &Library::clReleaseProgram> program_;
};

/// The number of blocks that cover `size` pixels or work items.
inline int blocks(int size, int of_block) { return (size + of_block - 1) / of_block; }

/// The work items of a run of a kernel.
struct WorkItems {
  int columns, rows = 1, layers = 1;
};

/// A kernel of a Program.
class Kernel {
 public:
  /// As Program::build(). Each work group is `group` consecutive work items of a row.
  Status open(const Program& program, const std::string& name, int group = 64);

  /// Queues a run with these work items, and some more at the end of each row, to fill the last
  /// group. The arguments are buffers, pointers to buffers or null, and values of the types that
  /// the kernel has.
  template <class... Arguments>
  Status run(const WorkItems& items, const Arguments&... arguments) const {
    cl_uint index = 0;
    cl_int error = CL_SUCCESS;
    ((error = error == CL_SUCCESS ? set(index++, arguments) : error), ...);
    CANNY_TRY(device_status(error, name_.c_str(), queue_->device()));
    return launch(items);
  }

 private:
  cl_int set(cl_uint index, const Buffer& buffer) const {
    cl_mem memory = buffer.get();
    return memory == nullptr ? CL_INVALID_MEM_OBJECT : set(index, memory);
  }
  cl_int set(cl_uint index, const Buffer* buffer) const {
    return buffer != nullptr ? set(index, *buffer) : set(index, cl_mem{nullptr});
  }
  template <class Value>
  cl_int set(cl_uint index, const Value& value) const {
    return queue_->library().clSetKernelArg(kernel_.get(), index, sizeof value, &value);
  }
  Status launch(const WorkItems& items) const;

  const Queue* queue_ = nullptr;
  Handle<cl_kernel, &Library::clReleaseKernel> kernel_;
  std::string name_;
  int group_ = 1;
};

}  // namespace canny::opencl
