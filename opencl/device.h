// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL devices of this machine, and their errors as a Status.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "canny/try.h"
#include "opencl/library.h"

namespace canny::opencl {

/// A device that can run the kernels: OpenCL 1.2 or newer, full profile, with a compiler, and
/// little-endian.
struct Device {
  const Library* library = nullptr;
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  std::string name;              ///< "NVIDIA H200"
  std::string driver;            ///< its platform and version: "NVIDIA CUDA 580.159.04"
  bool has_host_memory = false;  ///< whether its memory is the host's
  bool shares_frames = false;    ///< whether it reads and writes them there; see SharedMemory
  bool has_doubles = false;      ///< whether it computes with double precision
  std::size_t group_limit = 0;   ///< most work items of a group

  /// The work items of groups that may have many.
  int group_items() const { return static_cast<int>(std::min<std::size_t>(256, group_limit)); }
  /// For messages: "NVIDIA H200 (NVIDIA CUDA 580.159.04)".
  std::string text() const { return name + " (" + driver + ")"; }
};

/// The nodes of GPUs of any kind, as a pattern for glob() with GLOB_BRACE.
inline constexpr const char* kGpuNodes =
    "/dev/{dri/*,nvidia[0-9]*,kfd,dxg,mali*,kgsl*,pvr*,galcore}";

/// Lists the devices that can run the kernels: those of all platforms, in the loader's order; or
/// only GPUs, without asking PoCL.
/// @retval kNoDriver  no loader, or no platform
Status list_devices(std::vector<Device>* devices, bool only_gpus = false);

/// Finds the device that `which` names: by its index in list_devices() if it is a number, or else
/// as the first one whose name has this part, in upper or lower case. If it is empty, finds the
/// first GPU.
/// @retval kNoDriver  as above
/// @retval kNoDevice  no GPU
/// @retval kDeviceOutOfRange  no such device; the message lists those that exist
Status find_device(const std::string& which, Device* device);

/// The Status of an error of a call on a device, which the message names with its driver. If memory
/// runs out, the message is shorter.
Status device_status(cl_int error, const char* what, const Device& device) noexcept;

}  // namespace canny::opencl

/// The Status of a call of a function of the loader.
#define CANNY_OPENCL_STATUS(device, function, ...) \
  ::canny::opencl::device_status((device).library->function(__VA_ARGS__), #function, device)

/// Likewise returns from the enclosing function unless it succeeds.
#define CANNY_OPENCL_CALL(...) CANNY_TRY(CANNY_OPENCL_STATUS(__VA_ARGS__))
