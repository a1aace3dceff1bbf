// SPDX-License-Identifier: LGPL-2.1-or-later
// Page-locked host memory, and device memory.
#include <utility>

#include "canny/backend.h"
#include "canny/canny.h"
#include "canny/guard.h"

namespace canny {
namespace {

Status check_request(std::size_t bytes, int device_id) {
  if (bytes == 0) return {StatusCode::kInvalidOptions, "bytes 0 is below 1"};
  if (device_id < -1) {
    return {StatusCode::kInvalidOptions, "device_id " + std::to_string(device_id) + " is below -1"};
  }
  return {};
}

}  // namespace

HostMemory::~HostMemory() {
  if (data_ != nullptr) free_page_locked(device_id_, data_);
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      device_id_(other.device_id_) {}

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(device_id_, other.device_id_);
  return *this;
}

Status HostMemory::allocate(std::size_t bytes, int device_id, HostMemory* memory) noexcept {
  return guard([&]() -> Status {
    if (Status s = check_request(bytes, device_id); !s.ok()) return s;
    HostMemory allocated;
    allocated.device_id_ = device_id;
    if (Status s = allocate_page_locked(bytes, &allocated.device_id_, &allocated.data_); !s.ok())
      return s;
    allocated.size_ = bytes;
    *memory = std::move(allocated);
    return {};
  });
}

DeviceMemory::~DeviceMemory() {
  if (data_ != nullptr) free_on_device(device_id_, data_);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      device_id_(std::exchange(other.device_id_, -1)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(device_id_, other.device_id_);
  return *this;
}

Status DeviceMemory::allocate(std::size_t bytes, int device_id, DeviceMemory* memory) noexcept {
  return guard([&]() -> Status {
    if (Status s = check_request(bytes, device_id); !s.ok()) return s;
    DeviceMemory allocated;
    allocated.device_id_ = device_id;
    if (Status s = allocate_on_device(bytes, &allocated.device_id_, &allocated.data_); !s.ok())
      return s;
    allocated.size_ = bytes;
    *memory = std::move(allocated);
    return {};
  });
}

Status DeviceMemory::read(std::uint8_t* to) const noexcept {
  return guard([&]() -> Status {
    if (data_ == nullptr) return {StatusCode::kInvalidOptions, "there is no device memory to read"};
    if (to == nullptr) return {StatusCode::kInvalidOptions, "to is null"};
    return copy_to_host(device_id_, data_, size_, to);
  });
}

}  // namespace canny
