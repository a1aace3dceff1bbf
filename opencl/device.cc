// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds OpenCL devices, and names their errors.
#include "opencl/device.h"

#include <glob.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "canny/test_choices.h"

namespace canny::opencl {
namespace {

// The text that a device or platform has for `what`, without spaces around it. `get` is
// clGetDeviceInfo or clGetPlatformInfo.
template <class Get, class Object>
std::string text_of(Get get, Object object, cl_uint what) {
  std::size_t size = 0;
  if (get(object, what, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string text(size, '\0');
  if (get(object, what, size, text.data(), nullptr) != CL_SUCCESS) return "";
  text.resize(std::min(text.find('\0'), text.size()));
  const auto last = text.find_last_not_of(' ');
  text.resize(last == std::string::npos ? 0 : last + 1);
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

template <class Value>
Value device_value(const Library& library, cl_device_id id, cl_device_info what) {
  Value value = {};
  library.clGetDeviceInfo(id, what, sizeof value, &value, nullptr);
  return value;
}

// The most work items of a group in a row.
std::size_t group_limit(const Library& library, cl_device_id id) {
  std::size_t sizes[16] = {};
  library.clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, nullptr);
  return std::min(sizes[0], device_value<std::size_t>(library, id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
}

// The smallest work groups that all kernels can have.
constexpr std::size_t kLeastGroupLimit = 64;

bool is_usable(const Library& library, cl_device_id id) {
  // "OpenCL 1.2 vendor's text"
  int major = 0, minor = 0;
  std::sscanf(text_of(library.clGetDeviceInfo, id, CL_DEVICE_VERSION).c_str(), "OpenCL %d.%d",
              &major, &minor);
  const auto is_set = [&](cl_device_info what) {
    return device_value<cl_bool>(library, id, what) == CL_TRUE;
  };
  return (major > 1 || minor >= 2) && is_set(CL_DEVICE_AVAILABLE) &&
         is_set(CL_DEVICE_COMPILER_AVAILABLE) && is_set(CL_DEVICE_ENDIAN_LITTLE) &&
         text_of(library.clGetDeviceInfo, id, CL_DEVICE_PROFILE) == "FULL_PROFILE" &&
         group_limit(library, id) >= kLeastGroupLimit;
}

std::string names_of(const std::vector<Device>& devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(i) + " " + devices[i].text();
  return text.empty() ? "none" : text;
}

// PoCL's devices are CPUs, in most builds. Asked for GPUs, it would load a compiler of 100 MB to
// say so.
bool is_pocl(const std::string& platform) { return platform == "Portable Computing Language"; }

// Asked for its platforms, the loader asks all drivers for devices, and those of CPUs may abort the
// process: PoCL 6 and 7 do where there is no /sys.
bool has_gpu_node() {
  glob_t nodes = {};
  const int error = glob(kGpuNodes, GLOB_BRACE, nullptr, &nodes);
  globfree(&nodes);
  return error != GLOB_NOMATCH;
}

// The name of an error, without the "CL_": "OUT_OF_RESOURCES".
std::string error_name(cl_int error) {
#define CANNY_OPENCL_NAME(name) \
  case CL_##name:               \
    return #name;
  switch (error) {
    CANNY_OPENCL_NAME(DEVICE_NOT_FOUND)
    CANNY_OPENCL_NAME(DEVICE_NOT_AVAILABLE)
    CANNY_OPENCL_NAME(COMPILER_NOT_AVAILABLE)
    CANNY_OPENCL_NAME(MEM_OBJECT_ALLOCATION_FAILURE)
    CANNY_OPENCL_NAME(OUT_OF_RESOURCES)
    CANNY_OPENCL_NAME(OUT_OF_HOST_MEMORY)
    CANNY_OPENCL_NAME(BUILD_PROGRAM_FAILURE)
    CANNY_OPENCL_NAME(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    CANNY_OPENCL_NAME(INVALID_ARG_SIZE)
    CANNY_OPENCL_NAME(INVALID_BINARY)
    CANNY_OPENCL_NAME(INVALID_BUFFER_SIZE)
    CANNY_OPENCL_NAME(INVALID_BUILD_OPTIONS)
    CANNY_OPENCL_NAME(INVALID_GLOBAL_WORK_SIZE)
    CANNY_OPENCL_NAME(INVALID_KERNEL_ARGS)
    CANNY_OPENCL_NAME(INVALID_KERNEL_NAME)
    CANNY_OPENCL_NAME(INVALID_MEM_OBJECT)
    CANNY_OPENCL_NAME(INVALID_PROGRAM_EXECUTABLE)
    CANNY_OPENCL_NAME(INVALID_VALUE)
    CANNY_OPENCL_NAME(INVALID_WORK_GROUP_SIZE)
  }
#undef CANNY_OPENCL_NAME
  return "error " + std::to_string(error);
}

}  // namespace

Status list_devices(std::vector<Device>* devices, bool only_gpus) {
  devices->clear();
  const Library* library = nullptr;
  CANNY_TRY(load(&library));
  if (only_gpus && !has_gpu_node()) return {};
  const TestChoices choices;
  cl_platform_id platforms[16];
  cl_uint platform_count = 0;
  // An error of the loader means that it found no driver.
  if (library->clGetPlatformIDs(16, platforms, &platform_count) != CL_SUCCESS) platform_count = 0;
  if (platform_count == 0) return {StatusCode::kNoDriver, "no OpenCL driver is installed"};
  for (cl_uint p = 0; p < std::min<cl_uint>(platform_count, 16); ++p) {
    const std::string platform =
        text_of(library->clGetPlatformInfo, platforms[p], CL_PLATFORM_NAME);
    if (only_gpus && is_pocl(platform)) continue;
    cl_device_id ids[64];
    cl_uint count = 0;
    const cl_device_type types = only_gpus ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_ALL;
    if (library->clGetDeviceIDs(platforms[p], types, 64, ids, &count) != CL_SUCCESS)
      continue;  // a platform without devices
    for (cl_uint i = 0; i < std::min<cl_uint>(count, 64); ++i) {
      if (!is_usable(*library, ids[i])) continue;
      const bool has_host_memory =
          choices.opencl_memory != "separate" &&
          device_value<cl_bool>(*library, ids[i], CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
      devices->push_back(
          {library, platforms[p], ids[i], text_of(library->clGetDeviceInfo, ids[i], CL_DEVICE_NAME),
           platform + " " + text_of(library->clGetDeviceInfo, ids[i], CL_DRIVER_VERSION),
           has_host_memory, has_host_memory && choices.opencl_memory != "copied",
           choices.opencl_doubles != "no" &&
               device_value<cl_device_fp_config>(*library, ids[i], CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
           group_limit(*library, ids[i])});
    }
  }
  return {};
}

Status find_device(const std::string& which, Device* device) {
  std::vector<Device> devices;
  CANNY_TRY(list_devices(&devices, which.empty()));
  if (which.empty() && devices.empty())
    return {StatusCode::kNoDevice, "no OpenCL GPU; devices of other kinds are used by name"};
  const bool is_index = which.find_first_not_of("0123456789") == std::string::npos;
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const Device& each) {
    return which.empty() || (is_index ? std::to_string(&each - devices.data()) == which
                                      : strcasestr(each.name.c_str(), which.c_str()) != nullptr);
  });
  if (found == devices.end()) {
    return {StatusCode::kDeviceOutOfRange,
            "no OpenCL device \"" + which + "\"; devices: " + names_of(devices)};
  }
  *device = *found;
  return {};
}

Status device_status(cl_int error, const char* what, const Device& device) noexcept {
  if (error == CL_SUCCESS) return {};
  const bool is_memory = error == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                         error == CL_OUT_OF_HOST_MEMORY || error == CL_INVALID_BUFFER_SIZE;
  const StatusCode code = is_memory ? StatusCode::kOutOfMemory : StatusCode::kDeviceFailure;
  try {
    return {code, device.text() + ": " + what + ": " + error_name(error)};
  } catch (const std::bad_alloc&) {
    return {code, "OpenCL error"};  // short enough for a std::string to hold
  }
}

}  // namespace canny::opencl
