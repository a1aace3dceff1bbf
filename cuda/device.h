// SPDX-License-Identifier: LGPL-2.1-or-later
// Chooses and checks the CUDA device, and makes it the calling thread's.
#pragma once

#include <cuda.h>

#include <string>

#include "canny/canny.h"

namespace canny::cuda {

/// The CUDA runtime's data about this machine, as plain numbers.
struct Machine {
  int driver_version = 0;   ///< 1000 * major + 10 * minor, 0 = no driver
  int runtime_version = 0;  ///< of the runtime in this library, likewise
  int devices = 0;
  std::string error;  ///< why the devices could not be counted, else empty
};

/// Checks whether a machine can run CUDA device `device` (-1 = any). Otherwise returns kNoDriver,
/// kDriverTooOld, kNoDevice, kDeviceUnusable or kDeviceOutOfRange.
Status check_machine(const Machine& machine, int device);

/// A device that runs this library's kernels.
struct Device {
  int id = -1;
  CUcontext context = nullptr;  ///< context to run in, null = the device's primary one
  std::string name;
  int compute_capability = 0;  ///< 10 * major + minor
  int code_capability = 0;     ///< likewise, of the library's code that it runs
  int multiprocessors = 0;
  int l2_bytes = 0;  ///< of the L2 cache
};

/// Finds device `requested`, or the first usable one with -1.
Status find_device(int requested, Device* device);

/// Finds the device of a context that another library created, to run in that context.
Status find_device_of(CUcontext context, Device* device);

/// Makes a device's context the calling thread's current one until the end of the scope. Then
/// restores the previous context, which may be null or another library's.
class DeviceScope {
 public:
  explicit DeviceScope(const Device& device) noexcept : DeviceScope(device.id, device.context) {}
  explicit DeviceScope(int device, CUcontext context = nullptr) noexcept;
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

  const Status& status() const { return status_; }

 private:
  CUcontext previous_ = nullptr;
  Status status_;
};

}  // namespace canny::cuda
