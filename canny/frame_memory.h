// SPDX-License-Identifier: LGPL-2.1-or-later
/// \file
/// Memory for frames that a device uses. canny.h includes this header. Every function takes one
/// thread at a time for each object.
#pragma once

#include <cstddef>
#include <cstdint>

#include "status.h"

namespace canny {

/// Page-locked host memory. A device copies frames from and to it at the speed of the bus, without
/// a detour through buffers of the driver. In every other respect it is ordinary memory.
class CANNY_API HostMemory {
 public:
  HostMemory() noexcept = default;
  ~HostMemory();
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;

  /// Allocates `bytes` (at least 1) bytes for CUDA device `cuda_device` (-1 = the first usable one)
  /// and stores the memory in `*memory`. Memory that `*memory` held before is freed.
  /// @retval kInvalidOptions, kOutOfMemory, kBackendNotBuilt, kNoDriver, kDriverTooOld,
  ///         kNoDevice, kDeviceOutOfRange, kDeviceUnusable, kDeviceFailure
  static Status allocate(std::size_t bytes, int cuda_device, HostMemory* memory) noexcept;

  std::uint8_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  int cuda_device_ = -1;
};

/// Memory of a device, for frames in Memory::kDevice. Frames may be in any other memory of the
/// device as well.
class CANNY_API DeviceMemory {
 public:
  DeviceMemory() noexcept = default;
  ~DeviceMemory();  ///< waits for all work of the device
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;

  /// Allocates `bytes` (at least 1) bytes on CUDA device `cuda_device` (-1 = the first usable one),
  /// in its primary context, and stores the memory in `*memory`. Memory that `*memory` held before
  /// is freed.
  /// @retval as of HostMemory::allocate()
  static Status allocate(std::size_t bytes, int cuda_device, DeviceMemory* memory) noexcept;

  /// Copies all bytes to `to`, in host memory. Work on this memory must be complete.
  /// @retval kInvalidOptions  this object has no memory, or `to` is null
  /// @retval kDeviceFailure
  Status read(std::uint8_t* to) const noexcept;

  std::uint8_t* data() const noexcept { return data_; }  ///< an address of the device
  std::size_t size() const noexcept { return size_; }
  int cuda_device() const noexcept { return cuda_device_; }  ///< -1 without memory

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  int cuda_device_ = -1;
};

}  // namespace canny
