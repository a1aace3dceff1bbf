// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns CUDA errors into a Status.
#pragma once

#include <cuda_runtime.h>

#include <new>
#include <string>

#include "canny/canny.h"
#include "canny/try.h"

namespace canny::cuda {

/// The Status of `error`, which `what` returned. Clears the runtime's record of it. If memory runs
/// out, the message is shorter.
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
/// Disables the fault.
void disarm_fault();
/// Makes a call fail: its number, counted from 1 from here on, is in the environment variable
/// CANNY_CUDA_FAULT. The error is out of memory if ":memory" follows the number, else a launch
/// failure.
void arm_fault();
/// Whether this call is to fail.
bool is_faulty_call();
/// The error of the failing call.
cudaError_t fault();
#else
inline void disarm_fault() {}
inline void arm_fault() {}
constexpr bool is_faulty_call() { return false; }
constexpr cudaError_t fault() { return cudaSuccess; }
#endif

}  // namespace canny::cuda

/// The result of a CUDA call. Builds for tests can make it fail instead of calling.
#define CANNY_CUDA_CALL(call) (::canny::cuda::is_faulty_call() ? ::canny::cuda::fault() : (call))

/// Returns from the enclosing function with the Status of a CUDA call unless it is ok.
#define CANNY_CUDA_TRY(call) CANNY_TRY(::canny::cuda::device_status(CANNY_CUDA_CALL(call), #call))
