// SPDX-License-Identifier: LGPL-2.1-or-later
// Chooses the device, and allocates its memory and page-locked memory.
#include "cuda/device.h"

#include <new>

#include "canny/backend.h"
#include "cuda/check.h"

namespace canny::cuda {
namespace {

// An empty kernel that shows whether this library has code for a device.
__global__ void probe_kernel() {}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Machine this_machine() {
  Machine machine;
  cudaDriverGetVersion(&machine.driver_version);
  cudaRuntimeGetVersion(&machine.runtime_version);
  const cudaError_t error = cudaGetDeviceCount(&machine.devices);
  cudaGetLastError();
  if (error == cudaSuccess) return machine;
  machine.devices = 0;
  if (error != cudaErrorNoDevice) machine.error = cudaGetErrorString(error);
  return machine;
}

Status unusable(int id, const std::string& why) {
  return {StatusCode::kDeviceUnusable,
          "CUDA device " + std::to_string(id) + " can't be used: " + why};
}

// Functions of the driver without an equivalent in the runtime: cudaGetDevice() does not see
// contexts that others created, and cudaSetDevice() would start its device.
struct DriverContext {
  CUresult (*get)(CUcontext*) = nullptr;
  CUresult (*set)(CUcontext) = nullptr;  // null if either is missing
};

template <class Function>
bool find_driver_function(const char* name, Function* function) {
  constexpr unsigned kSince = 12000;  // the CUDA version of the signature
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  const bool ok = cudaGetDriverEntryPointByVersion(name, &found, kSince, cudaEnableDefault,
                                                   &result) == cudaSuccess &&
                  result == cudaDriverEntryPointSuccess;
  cudaGetLastError();
  if (ok) *function = reinterpret_cast<Function>(found);
  return ok;
}

const DriverContext& driver_context() {
  static const DriverContext context = [] {
    DriverContext found;
    if (find_driver_function("cuCtxGetCurrent", &found.get))
      find_driver_function("cuCtxSetCurrent", &found.set);
    return found;
  }();
  return context;
}

// Checks that device `id` starts, in that context or its primary one, and that this library has
// code for it.
Status open_device(int id, CUcontext context, Device* device) {
  cudaDeviceProp properties;
  if (cudaError_t e = cudaGetDeviceProperties(&properties, id); e != cudaSuccess) {
    cudaGetLastError();
    return unusable(id, cudaGetErrorString(e));
  }
  const DeviceScope scope(id, context);
  if (scope.status().code() == StatusCode::kOutOfMemory) return scope.status();
  if (!scope.status().ok()) return unusable(id, scope.status().message());
  cudaFuncAttributes attributes;
  if (cudaError_t e = cudaFuncGetAttributes(&attributes, probe_kernel); e != cudaSuccess) {
    cudaGetLastError();
    if (e == cudaErrorMemoryAllocation) return device_status(e, "cudaFuncGetAttributes");
    return unusable(id, std::string(properties.name) + " of compute capability " +
                            std::to_string(properties.major) + "." +
                            std::to_string(properties.minor) + ": " + cudaGetErrorString(e));
  }
  *device = {id,
             context,
             properties.name,
             10 * properties.major + properties.minor,
             attributes.ptxVersion,
             properties.multiProcessorCount,
             properties.l2CacheSize};
  return {};
}

}  // namespace

Status check_machine(const Machine& machine, int device) {
  if (machine.driver_version == 0)
    return {StatusCode::kNoDriver, "no NVIDIA driver is installed; CUDA needs one"};
  if (machine.driver_version / 1000 < machine.runtime_version / 1000) {
    return {StatusCode::kDriverTooOld,
            "the NVIDIA driver supports CUDA " + version_text(machine.driver_version) +
                ", older than the runtime's " + version_text(machine.runtime_version) +
                "; install a newer driver"};
  }
  if (!machine.error.empty())
    return {StatusCode::kDeviceUnusable, "the CUDA devices can't be listed: " + machine.error};
  if (machine.devices == 0)
    return {StatusCode::kNoDevice, "the NVIDIA driver finds no CUDA device"};
  if (device >= machine.devices) {
    return {StatusCode::kDeviceOutOfRange, "CUDA device " + std::to_string(device) +
                                               " does not exist; this machine has devices 0.." +
                                               std::to_string(machine.devices - 1)};
  }
  return {};
}

Status find_device(int requested, Device* device) {
  const Machine machine = this_machine();
  CANNY_TRY(check_machine(machine, requested));
  if (requested >= 0) return open_device(requested, nullptr, device);
  Status first_failure;
  for (int id = 0; id < machine.devices; ++id) {
    Status status = open_device(id, nullptr, device);
    if (status.ok()) return status;
    if (first_failure.ok()) first_failure = std::move(status);
  }
  return first_failure;
}

Status find_device_of(CUcontext context, Device* device) {
  CANNY_TRY(check_machine(this_machine(), -1));
  int id = -1;
  {
    const DeviceScope scope(-1, context);
    CANNY_TRY(scope.status());
    CANNY_CUDA_TRY(cudaGetDevice(&id));
  }
  return open_device(id, context, device);
}

DeviceScope::DeviceScope(int device, CUcontext context) noexcept {
  const auto fail = [&](const char* why) {
    try {
      status_ = {StatusCode::kDeviceFailure, why};
    } catch (const std::bad_alloc&) {
      status_ = {StatusCode::kDeviceFailure, "CUDA context"};  // allocates nothing
    }
  };
  const DriverContext& driver = driver_context();
  if (driver.set == nullptr || driver.get(&previous_) != CUDA_SUCCESS)
    fail("the driver can't report the thread's CUDA context");
  else if (context == nullptr)
    status_ = device_status(CANNY_CUDA_CALL(cudaSetDevice(device)), "cudaSetDevice");
  else if (driver.set(context) != CUDA_SUCCESS)
    fail("cuda_context is not a usable context");
}

DeviceScope::~DeviceScope() {
  if (driver_context().set != nullptr) driver_context().set(previous_);
}

}  // namespace canny::cuda

namespace canny {

namespace {

// Finds device `*device`, stores its id there, and stores in `*data` what `allocate` stores in its
// argument.
template <class Allocate>
Status allocate_for(int* device, std::uint8_t** data, Allocate allocate) {
  cuda::Device found;
  CANNY_TRY(cuda::find_device(*device, &found));
  *device = found.id;
  const cuda::DeviceScope scope(found);
  CANNY_TRY(scope.status());
  void* memory = nullptr;
  CANNY_CUDA_TRY(allocate(&memory));
  *data = static_cast<std::uint8_t*>(memory);
  return {};
}

}  // namespace

Status allocate_page_locked(std::size_t bytes, int* device, std::uint8_t** data) {
  // Portable: page-locked for every device, context and thread.
  return allocate_for(device, data, [&](void** memory) {
    return cudaHostAlloc(memory, bytes, cudaHostAllocPortable);
  });
}

void free_page_locked(int device, std::uint8_t* data) {
  const cuda::DeviceScope scope(device);
  cudaFreeHost(data);
  cudaGetLastError();
}

Status allocate_on_device(std::size_t bytes, int* device, std::uint8_t** data) {
  return allocate_for(device, data, [&](void** memory) { return cudaMalloc(memory, bytes); });
}

void free_on_device(int device, std::uint8_t* data) {
  const cuda::DeviceScope scope(device);
  cudaFree(data);
  cudaGetLastError();
}

Status copy_to_host(int device, const std::uint8_t* data, std::size_t bytes, std::uint8_t* to) {
  const cuda::DeviceScope scope(device);
  CANNY_TRY(scope.status());
  CANNY_CUDA_TRY(cudaMemcpy(to, data, bytes, cudaMemcpyDeviceToHost));
  return {};
}

}  // namespace canny
