// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA errors as Status.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "canny.h"

namespace canny::cuda {

/// The Status of `error`, which `what` returned; clears the runtime's record of it.
inline Status device_status(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return {};
  cudaGetLastError();
  const StatusCode code =
      error == cudaErrorMemoryAllocation ? StatusCode::kOutOfMemory : StatusCode::kDeviceFailure;
  return {code, std::string(what) + ": " + cudaGetErrorString(error)};
}

#if CANNY_CUDA_FAULTS
/// From here on no call fails.
void disarm_fault();
/// From here on the call that the environment variable CANNY_CUDA_FAULT numbers, from 1, fails.
void arm_fault();
/// Whether this is that call.
bool is_faulty_call();
#else
inline void disarm_fault() {}
inline void arm_fault() {}
constexpr bool is_faulty_call() { return false; }
#endif

}  // namespace canny::cuda

/// The result of a CUDA call, which builds for tests can have fail instead of being made.
#define CANNY_CUDA_CALL(call) (::canny::cuda::is_faulty_call() ? cudaErrorLaunchFailure : (call))

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
