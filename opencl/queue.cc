// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls the OpenCL loader for queues, buffers and kernels.
#include "opencl/queue.h"

#include <algorithm>

namespace canny::opencl {
namespace {

// The first line of a compiler's messages with "error:", or the first one.
std::string first_error(const std::string& log) {
  const std::size_t begin = log.find_first_not_of(" \n");
  if (begin == std::string::npos) return "the compiler says nothing";
  std::size_t error = log.find("error:", begin);
  if (error == std::string::npos) error = log.find("Error:", begin);
  const std::size_t line = error == std::string::npos ? begin : log.rfind('\n', error) + 1;
  return log.substr(line, log.find('\n', line) - line);
}

}  // namespace

Queue::~Queue() {
  if (get() != nullptr) library().clFinish(get());
}

Status Queue::open(const Device& device, const Queue* beside) {
  device_ = device;
  cl_int error = CL_SUCCESS;
  if (beside != nullptr) {
    CANNY_OPENCL_CALL(device_, clRetainContext, beside->context());
    context_.reset(&library(), beside->context());
  } else {
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(device.platform), 0};
    context_.reset(&library(),
                   library().clCreateContext(properties, 1, &device.id, nullptr, nullptr, &error));
    CANNY_TRY(device_status(error, "clCreateContext", device_));
  }
  queue_.reset(&library(), library().clCreateCommandQueue(context(), device_.id,
                                                          CL_QUEUE_PROFILING_ENABLE, &error));
  return device_status(error, "clCreateCommandQueue", device_);
}

Status Queue::flush() const { return CANNY_OPENCL_STATUS(device_, clFlush, get()); }

Status Queue::finish() const { return CANNY_OPENCL_STATUS(device_, clFinish, get()); }

Status Event::set(const Queue& queue) {
  queue_ = &queue;
  cl_event event = nullptr;
  CANNY_OPENCL_CALL(queue.device(), clEnqueueMarkerWithWaitList, queue.get(), 0, nullptr, &event);
  event_.reset(&queue.library(), event);
  return {};
}

Status Event::wait() const {
  cl_event event = event_.get();
  return CANNY_OPENCL_STATUS(queue_->device(), clWaitForEvents, 1, &event);
}

Status Event::delay(const Queue& other) const {
  cl_event event = event_.get();
  return CANNY_OPENCL_STATUS(other.device(), clEnqueueBarrierWithWaitList, other.get(), 1, &event,
                             nullptr);
}

Status Event::nanoseconds_since(const Event& first, std::uint64_t* nanoseconds) const {
  cl_ulong times[2] = {};
  const Event* const events[] = {&first, this};
  for (int i = 0; i < 2; ++i)
    CANNY_OPENCL_CALL(queue_->device(), clGetEventProfilingInfo, events[i]->event_.get(),
                      CL_PROFILING_COMMAND_END, sizeof times[i], &times[i], nullptr);
  *nanoseconds = times[1] > times[0] ? times[1] - times[0] : 0;
  return {};
}

void Buffer::release() {
  memory_.reset();
  capacity_ = 0;
}

Status Buffer::create(const Queue& queue, std::size_t bytes, cl_mem_flags flags, void* host) {
  release();
  cl_int error = CL_SUCCESS;
  memory_.reset(&queue.library(),
                queue.library().clCreateBuffer(queue.context(), flags, bytes, host, &error));
  CANNY_TRY(device_status(error, "clCreateBuffer", queue.device()));
  capacity_ = bytes;
  return {};
}

Status Buffer::write(const Queue& queue, const void* from, std::size_t bytes) {
  return CANNY_OPENCL_STATUS(queue.device(), clEnqueueWriteBuffer, queue.get(), get(), CL_TRUE, 0,
                             bytes, from, 0, nullptr, nullptr);
}

Status Buffer::read(const Queue& queue, void* to, std::size_t bytes) const {
  return CANNY_OPENCL_STATUS(queue.device(), clEnqueueReadBuffer, queue.get(), get(), CL_TRUE, 0,
                             bytes, to, 0, nullptr, nullptr);
}

Status Buffer::queue_write(const Queue& queue, const Rows<const std::uint8_t>& from,
                           std::size_t offset, std::size_t pitch) {
  if (from.pitch == from.bytes && pitch == from.bytes) {
    return CANNY_OPENCL_STATUS(queue.device(), clEnqueueWriteBuffer, queue.get(), get(), CL_FALSE,
                               offset, from.bytes * from.count, from.data, 0, nullptr, nullptr);
  }
  const std::size_t at[3] = {offset, 0, 0}, begin[3] = {}, size[3] = {from.bytes, from.count, 1};
  return CANNY_OPENCL_STATUS(queue.device(), clEnqueueWriteBufferRect, queue.get(), get(), CL_FALSE,
                             at, begin, size, pitch, 0, from.pitch, 0, from.data, 0, nullptr,
                             nullptr);
}

Status Buffer::queue_read(const Queue& queue, const Rows<std::uint8_t>& to, std::size_t offset,
                          std::size_t pitch) const {
  if (to.pitch == to.bytes && pitch == to.bytes) {
    return CANNY_OPENCL_STATUS(queue.device(), clEnqueueReadBuffer, queue.get(), get(), CL_FALSE,
                               offset, to.bytes * to.count, to.data, 0, nullptr, nullptr);
  }
  const std::size_t at[3] = {offset, 0, 0}, begin[3] = {}, size[3] = {to.bytes, to.count, 1};
  return CANNY_OPENCL_STATUS(queue.device(), clEnqueueReadBufferRect, queue.get(), get(), CL_FALSE,
                             at, begin, size, pitch, 0, to.pitch, 0, to.data, 0, nullptr, nullptr);
}

// The memory keeps what a map for reading brought there, so that it need not stay mapped.
Status Buffer::queue_map(const Queue& queue) const {
  cl_int error = CL_SUCCESS;
  void* data = queue.library().clEnqueueMapBuffer(queue.get(), get(), CL_FALSE, CL_MAP_READ, 0,
                                                  capacity_, 0, nullptr, nullptr, &error);
  CANNY_TRY(device_status(error, "clEnqueueMapBuffer", queue.device()));
  return CANNY_OPENCL_STATUS(queue.device(), clEnqueueUnmapMemObject, queue.get(), get(), data, 0,
                             nullptr, nullptr);
}

Status Buffer::queue_copy(const Queue& queue, const Buffer& to, std::size_t bytes,
                          std::size_t offset) const {
  return CANNY_OPENCL_STATUS(queue.device(), clEnqueueCopyBuffer, queue.get(), get(), to.get(), 0,
                             offset, bytes, 0, nullptr, nullptr);
}

Status Buffer::fill(const Queue& queue, unsigned char value, std::size_t bytes) {
  return CANNY_OPENCL_STATUS(queue.device(), clEnqueueFillBuffer, queue.get(), get(), &value,
                             sizeof value, 0, bytes, 0, nullptr, nullptr);
}

Status HostMemory::reserve(const Queue& queue, std::size_t bytes) {
  if (data_ != nullptr && bytes <= buffer_.capacity()) return {};
  release();
  queue_ = &queue;
  CANNY_TRY(buffer_.reserve(queue, bytes, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR));
  cl_int error = CL_SUCCESS;
  void* data = queue.library().clEnqueueMapBuffer(queue.get(), buffer_.get(), CL_TRUE,
                                                  CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr,
                                                  nullptr, &error);
  CANNY_TRY(device_status(error, "clEnqueueMapBuffer", queue.device()));
  data_ = static_cast<std::uint8_t*>(data);
  return {};
}

void HostMemory::release() {
  if (data_ != nullptr)
    queue_->library().clEnqueueUnmapMemObject(queue_->get(), buffer_.get(), data_, 0, nullptr,
                                              nullptr);
  data_ = nullptr;
  buffer_.release();
}

Status Program::build(const Queue& queue, const char* source, const std::string& options) {
  queue_ = &queue;
  const Library& library = queue.library();
  const Device& device = queue.device();
  cl_int error = CL_SUCCESS;
  program_.reset(&library,
                 library.clCreateProgramWithSource(queue.context(), 1, &source, nullptr, &error));
  CANNY_TRY(device_status(error, "clCreateProgramWithSource", device));
  error = library.clBuildProgram(get(), 1, &device.id, ("-cl-std=CL1.2" + options).c_str(), nullptr,
                                 nullptr);
  if (error != CL_BUILD_PROGRAM_FAILURE) return device_status(error, "clBuildProgram", device);
  std::size_t size = 0;
  library.clGetProgramBuildInfo(get(), device.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  library.clGetProgramBuildInfo(get(), device.id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  return {StatusCode::kDeviceFailure,
          device.text() + ": the driver can't compile the kernels: " + first_error(log)};
}

Status Kernel::open(const Program& program, const std::string& name, int group) {
  queue_ = &program.queue();
  name_ = name;
  group_ = group;
  cl_int error = CL_SUCCESS;
  kernel_.reset(&queue_->library(),
                queue_->library().clCreateKernel(program.get(), name.c_str(), &error));
  return device_status(error, name.c_str(), queue_->device());
}

Status Kernel::launch(const WorkItems& items) const {
  // Some drivers compile a kernel again for each size of work groups.
  const std::size_t group[3] = {static_cast<std::size_t>(group_), 1, 1};
  const std::size_t sizes[3] = {static_cast<std::size_t>(blocks(items.columns, group_) * group_),
                                static_cast<std::size_t>(items.rows),
                                static_cast<std::size_t>(items.layers)};
  return device_status(
      queue_->library().clEnqueueNDRangeKernel(queue_->get(), kernel_.get(), 3, nullptr, sizes,
                                               group, 0, nullptr, nullptr),
      name_.c_str(), queue_->device());
}

}  // namespace canny::opencl
