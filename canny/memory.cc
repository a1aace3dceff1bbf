// SPDX-License-Identifier: LGPL-2.1-or-later
// Page-locked host memory, and device memory.
#include <utility>

#include "canny/backend.h"
#include "canny/canny.h"
#include "canny/guard.h"
#include "canny/try.h"

namespace canny {
namespace {

Status check_request(std::size_t bytes, int cuda_device, const void* memory) {
  if (memory == nullptr) return {StatusCode::kInvalidOptions, "memory is null"};
  if (bytes == 0) return {StatusCode::kInvalidOptions, "bytes 0 is below 1"};
  return check_cuda_device(cuda_device);
}

}  // namespace

Status check_cuda_device(int id) {
  if (id >= -1) return {};
  return {StatusCode::kInvalidOptions, "cuda_device " + std::to_string(id) + " is below -1"};
}

HostMemory::~HostMemory() {
  if (data_ != nullptr) free_page_locked(cuda_device_, data_);
}

HostMemory::HostMemory(HostMemory&& other) noexcept { *this = std::move(other); }

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(cuda_device_, other.cuda_device_);
  return *this;
}

Status HostMemory::allocate(std::size_t bytes, int cuda_device, HostMemory* memory) noexcept {
  return guard([&]() -> Status {
    CANNY_TRY(check_request(bytes, cuda_device, memory));
    HostMemory allocated;
    allocated.cuda_device_ = cuda_device;
    CANNY_TRY(allocate_page_locked(bytes, &allocated.cuda_device_, &allocated.data_));
    allocated.size_ = bytes;
    *memory = std::move(allocated);
    return {};
  });
}

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) free_on_device(cuda_device_, data_);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(cuda_device_, other.cuda_device_);
  return *this;
}

Status DeviceMemory::allocate(std::size_t bytes, int cuda_device, DeviceMemory* memory) noexcept {
  return guard([&]() -> Status {
    CANNY_TRY(check_request(bytes, cuda_device, memory));
    DeviceMemory allocated;
    allocated.cuda_device_ = cuda_device;
    CANNY_TRY(allocate_on_device(bytes, &allocated.cuda_device_, &allocated.data_));
    allocated.size_ = bytes;
    *memory = std::move(allocated);
    return {};
  });
}

Status DeviceMemory::read(std::uint8_t* to) const noexcept {
  return guard([&]() -> Status {
    if (data_ == nullptr) return {StatusCode::kInvalidOptions, "there is no device memory to read"};
    if (to == nullptr) return {StatusCode::kInvalidOptions, "to is null"};
    return copy_to_host(cuda_device_, data_, size_, to);
  });
}

}  // namespace canny
