// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA errors as Status.
#pragma once

#include <cuda_runtime.h>

#include <new>
#include <string>

#include "canny/canny.h"

namespace canny::cuda {

/// The Status of `error`, which `what` returned; clears the runtime's record of it. Without memory
/// for a longer message it says no more than that.
inline Status device_status(cudaError_t error, const char* what) noexcept {
  if (error == cudaSuccess) return {};
  cudaGetLastError();
  const StatusCode code =
      error == cudaErrorMemoryAllocation ? StatusCode::kOutOfMemory : StatusCode::kDeviceFailure;
  try {
    return {code, std::string(what) + ": " + cudaGetErrorString(error)};
  } catch (const std::bad_alloc&) {
    return {code, "CUDA error"};  // short enough for a std::string to hold
  }
}

#if CANNY_CUDA_FAULTS
/// From here on no call fails.
void disarm_fault();
/// From here on the call that the environment variable CANNY_CUDA_FAULT numbers, from 1, fails. It
/// says that there is no memory if ":memory" follows the number, else that a launch failed.
void arm_fault();
/// Whether this is that call.
bool is_faulty_call();
/// What it returns.
cudaError_t fault();
#else
inline void disarm_fault() {}
inline void arm_fault() {}
constexpr bool is_faulty_call() { return false; }
constexpr cudaError_t fault() { return cudaSuccess; }
#endif

}  // namespace canny::cuda

/// The result of a CUDA call, which builds for tests can have fail instead of being made.
#define CANNY_CUDA_CALL(call) (::canny::cuda::is_faulty_call() ? ::canny::cuda::fault() : (call))

/// Returns the Status of a CUDA call from the function around it unless it is ok.
#define CANNY_CUDA_TRY(call)                                                                     \
  do {                                                                                           \
    if (::canny::Status s = ::canny::cuda::device_status(CANNY_CUDA_CALL(call), #call); !s.ok()) \
      return s;                                                                                  \
  } while (false)

/// Returns a Status from the function around it unless it is ok.
#define CANNY_TRY(status)                                \
  do {                                                   \
    if (::canny::Status s = (status); !s.ok()) return s; \
  } while (false)
